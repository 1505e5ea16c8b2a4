// Servers with keys, and people who sign in with them.

import { execFileSync } from 'node:child_process';
import { binary, serve, tab } from './harness.mjs';

function addKey(data, role) {
  const out = execFileSync(binary, ['keys', 'create', '--data', data, '--role', role, '--json'], { encoding: 'utf8' });
  return /fk_[0-9a-f]{16}_[\w-]{43}/.exec(out)[0];
}

/** A server with keys, one of each role; the keys must be there when it starts. */
export async function keyed() {
  const first = await serve();
  await first.stop();
  const keys = {};
  for (const role of ['root', 'viewer', 'operator', 'editor', 'admin', 'worker']) keys[role] = addKey(first.data, role);
  const server = await serve({ data: first.data });
  server.key = keys.root;
  return { server, keys };
}

export async function signIn(server, key, path = '/') {
  const page = await tab(server, path, { allow: [/status of 40[13]/] });
  await page.page.getByLabel('Key').fill(key);
  await page.page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}
