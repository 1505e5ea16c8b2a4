// A real server and a real browser for each test, and the rules that hold in all of them (U-90).

import assert from 'node:assert/strict';
import { afterEach } from 'node:test';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const modules = join(root, 'ui/console/node_modules');
const { chromium } = await import(join(modules, 'playwright-core/index.mjs'));
const axeSource = readFileSync(join(modules, 'axe-core/axe.min.js'), 'utf8');

export const artifacts = join(root, 'build/artifacts/console');
mkdirSync(artifacts, { recursive: true });

export const binary = process.env.FERMATA_BINARY ?? join(root, 'build/release/fermata');
/** Deadlines are for what hangs, not for what is slow: CONSOLE_PATIENCE=3 triples them all. */
const patience = Number(process.env.CONSOLE_PATIENCE ?? 1);
export const deadline = 60_000 * patience;
/** CONSOLE_DIR serves pages of a folder (ui/console/tools/build.mjs) instead of those in the program. */
const pageFlags = process.env.CONSOLE_DIR ? ['--console-dir', resolve(process.env.CONSOLE_DIR)] : [];
/** Deep tests take their time, and hold pages to the times of U-72: they need a machine for themselves. */
export const deep = process.env.CONSOLE_DEEP === '1';
const started = [];
/** Tabs that no test has closed yet, with what went wrong in them. */
const opened = new Map();
let browser = null;
let failures = 1;

/**
 * A server on a free port with data of its own. `clock` stands still until it is moved. It ends with its
 * test; one that is `shared` ends with the file.
 */
export async function serve({ clock = '', data = mkdtempSync(join(tmpdir(), 'fermata-console-')), listen = '127.0.0.1:0', flags = [], pages = '', shared = false } = {}) {
  const child = spawn(binary, ['serve', '--listen', listen, '--data', data, ...(clock ? ['--clock', `virtual:${clock}`] : []), ...(pages ? ['--console-dir', pages] : pageFlags), ...flags],
    { cwd: data, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  const url = await new Promise((found, failed) => {
    const timer = setTimeout(() => failed(new Error(`the server did not start:\n${log}`)), deadline);
    const read = (text) => {
      log += text;
      const match = /Serving url=(\S+)/.exec(log);
      if (match) {
        clearTimeout(timer);
        found(match[1]);
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => failed(new Error(`the server ended with ${code}:\n${log}`)));
  });
  const server = {
    url, data, child, shared,
    log: () => log,
    key: '',
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise((over) => child.on('exit', over));
      child.kill(signal);
      await ended;
    },
    /** Asks the API; fails unless the answer is a success (or `status`). */
    async ask(method, path, body, { status, headers = {} } = {}) {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...(server.key ? { 'X-API-Key': server.key } : {}), ...headers },
        body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      });
      const text = await answer.text();
      if (status !== undefined ? answer.status !== status : !answer.ok) assert.fail(`${method} ${path}: ${answer.status} ${text}`);
      return text ? JSON.parse(text) : null;
    },
    get: (path) => server.ask('GET', path),
    post: (path, body = {}) => server.ask('POST', path, body),
    put: (path, body) => server.ask('PUT', path, body),
    advance: (ms) => server.ask('POST', '/test/clock/advance', { ms }),
    async start(workflow, body = {}) {
      return (await server.post(`/workflows/${workflow}/executions`, body)).id;
    },
    async until(id, status) {
      return eventually(async () => {
        const run = await server.get(`/executions/${id}`);
        assert.equal(run.status, status);
        return run;
      });
    },
  };
  started.push(server);
  return server;
}

/** A port that no outgoing connection takes while a server is away, so that it can come back to it. */
export async function lastingPort() {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const probe = createServer();
    const free = await new Promise((told) => {
      probe.once('error', () => told(false));
      probe.listen(port, '127.0.0.1', () => probe.close(() => told(true)));
    });
    if (free) return port;
  }
  throw new Error('no port is free');
}

/** Tries until it does not fail; what it last failed with when time is over. */
export async function eventually(attempt) {
  const end = Date.now() + deadline;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((later) => setTimeout(later, 50));
    }
  }
}

const browserOptions = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'],
  timeout: deadline,
};

/** One browser for several files, whose address they find in CONSOLE_BROWSER (run.mjs). */
export const launchShared = () => chromium.launchServer(browserOptions);

async function theBrowser() {
  const shared = process.env.CONSOLE_BROWSER;
  browser ??= shared ? await chromium.connect(shared, { timeout: deadline }) : await chromium.launch(browserOptions);
  return browser;
}

/**
 * A tab that fails the test on any error in its console, anything the policy stopped, a request that
 * leaves the origin, or a file that is missing. `allow` names what a test makes go wrong itself.
 */
export async function tab(server, path = '/', { width = 1280, height = 800, theme = 'light', allow = [], context, touch = false } = {}) {
  const own = context ?? (await (await theBrowser()).newContext({ viewport: { width, height }, colorScheme: theme, locale: 'en', timezoneId: 'Europe/Berlin', reducedMotion: 'reduce', hasTouch: touch }));
  const page = await own.newPage();
  page.setDefaultTimeout(deadline);
  const faults = [];
  const requests = [];
  opened.set(page, faults);
  const allowed = (text) => allow.some((pattern) => pattern.test(text));
  page.on('console', (message) => {
    if (message.type() === 'error' && !allowed(`${message.text()} ${message.location().url}`)) faults.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.stack ?? error.message}`));
  page.on('request', (request) => {
    requests.push(request.url());
    if (!request.url().startsWith(server.url) && !/^(data|blob|about):/.test(request.url())) faults.push(`foreign request: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.url().includes('/api/')) faults.push(`${response.status()} ${response.url()}`);
  });
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
    addEventListener('unhandledrejection', (event) => console.error(`unhandled: ${String(event.reason?.stack ?? event.reason)}`));
  });
  await page.goto(server.url + path);
  return {
    page, requests, context: own,
    faults: () => faults,
    check() {
      assert.deepEqual(faults, []);
    },
    async close() {
      await own.close();
      opened.delete(page);
      assert.deepEqual(faults, []);
    },
    /** Another page in the same tab, loaded afresh. */
    async open(to) {
      requests.length = 0;
      await page.goto(server.url + to);
    },
    text: () => page.evaluate(() => document.body.innerText),
    /** Waits until the page says `text` where it can be seen. */
    says: (text, options = {}) => page.getByText(text, options).filter({ visible: true }).first().waitFor(),
    /** Lets the page paint what it has. */
    painted: () => page.evaluate(() => new Promise((later) => requestAnimationFrame(() => requestAnimationFrame(later)))),
    /** Waits until nothing is being loaded any more. The stream never ends, so the network is no measure. */
    async settled() {
      await page.locator('main h1').first().waitFor();
      await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
    },
    async overflow() {
      return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    },
    async shot(name) {
      const image = await page.screenshot({ path: join(artifacts, `${name}.png`) });
      assert.ok(image.length > 4000, `${name} looks blank`);
    },
    /** What axe finds wrong, by the debugger: the page's policy stays whole. */
    async axe() {
      const session = await own.newCDPSession(page);
      const run = (expression) => session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      await run(`${axeSource};0`);
      const { result, exceptionDetails } = await run(
        'axe.run(document,{runOnly:["wcag2a","wcag2aa","wcag21aa","wcag22aa"],resultTypes:["violations"],selectors:false,iframes:false,preload:false}).then(r=>JSON.stringify(r.violations.map(v=>({id:v.id,nodes:v.nodes.map(n=>n.html.slice(0,160)+" :: "+n.failureSummary.slice(0,240)).slice(0,3)}))))');
      if (exceptionDetails) assert.fail(JSON.stringify(exceptionDetails));
      return JSON.parse(result.value);
    },
  };
}

/** A tab that is still open is one of a test that failed. */
async function leave() {
  for (const [page, faults] of opened) if (faults.length && !page.isClosed()) console.error(`${page.url()}:\n  ${faults.join('\n  ')}`);
  opened.clear();
  for (const context of browser?.contexts() ?? []) {
    for (const page of context.pages()) await page.screenshot({ path: join(artifacts, `failed-${process.pid}-${failures++}.png`), timeout: 10_000 }).catch(() => {});
    await context.close().catch(() => {});
  }
}

/** Servers of one directory end before it is removed. */
async function stopAll(servers) {
  for (const server of servers) await server.stop('SIGKILL');
  for (const server of servers) rmSync(server.data, { recursive: true, force: true });
}

// What a test leaves behind must not slow down the next one.
afterEach(async () => {
  await leave();
  const own = started.filter((server) => !server.shared);
  await stopAll(own);
  for (const server of own) started.splice(started.indexOf(server), 1);
});

/** Ends what the tests of a file have begun. */
export async function end() {
  await leave();
  await browser?.close();
  browser = null;
  await stopAll(started.splice(0));
}
