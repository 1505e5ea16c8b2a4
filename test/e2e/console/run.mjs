// Runs the tests of the pages: `node run.mjs [FILE…]`. All files share one browser; two at a time, the
// longest first, keep two cores busy. CONSOLE_JOBS says how many at a time.

import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchShared } from './harness.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const first = ['looks.test.mjs', 'looks_small.test.mjs', 'safety.test.mjs', 'home_and_lists.test.mjs'];
const place = (name) => (first.includes(name) ? first.indexOf(name) : first.length);

function allFiles() {
  const names = readdirSync(here).filter((name) => name.endsWith('.test.mjs')).sort();
  return names.sort((a, b) => place(a) - place(b)).map((name) => join(here, name));
}

/** One file in a process of its own; what it prints comes out whole when it has ended. */
function runFile(path, environment) {
  return new Promise((ended) => {
    const child = spawn(process.execPath, ['--test', '--test-reporter=spec', path], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (text += piece));
    child.on('exit', (code) => {
      process.stdout.write(text.replace(/^ℹ (suites|cancelled|todo) .*\n/gm, ''));
      ended(code === 0);
    });
  });
}

const asked = process.argv.slice(2).filter((path) => !statSync(path).isDirectory());
const files = asked.length ? asked : allFiles();
const browser = await launchShared();
const environment = { ...process.env, CONSOLE_BROWSER: browser.wsEndpoint() };
const begun = Date.now();
const failed = [];
async function work() {
  for (let path = files.shift(); path; path = files.shift()) if (!(await runFile(path, environment))) failed.push(path);
}
await Promise.all(Array.from({ length: Number(process.env.CONSOLE_JOBS ?? 2) }, work));
await browser.close();
console.log(`pages of the console: ${failed.length ? `failed: ${failed.join(', ')}` : 'all passed'} after ${Math.round((Date.now() - begun) / 1000)} s`);
process.exit(failed.length ? 1 : 0);
