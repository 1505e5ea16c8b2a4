// Servers with keys, and people who sign in with them.

import { serve, tab } from './harness.mjs';

/** A server with keys, one of each role and one of another account; they must be there when it starts. */
export async function keyed() {
  const first = await serve();
  const make = async (role, headers) => (await first.ask('POST', '/keys', { role, name: role }, { headers })).key;
  const keys = {};
  for (const role of ['root', 'viewer', 'operator', 'editor', 'admin', 'worker']) keys[role] = await make(role);
  keys.stranger = await make('admin', { 'X-Account-Id': 'elsewhere' });
  await first.stop();
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
