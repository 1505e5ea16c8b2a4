// Hostile names, secrets, roles, other origins; many tabs.

import assert from 'node:assert/strict';
import http from 'node:http';
import { after, test } from 'node:test';
import { end, eventually, serve, tab } from './harness.mjs';
import { keyed, signIn } from './keyed.mjs';
import { fill, waits } from './world.mjs';

after(end);
const hostile = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">{{7*7}}\u202egnp';

test('t34_hostile_names_are_shown_as_text_everywhere', async () => {
  const server = await serve();
  await server.put('/workflows/bad', {
    nodes: [{ id: 'start', name: hostile, type: 'manual', trigger: true }, { id: 'say', name: 'javascript:alert(1)', type: 'wait_for_signal', parameters: { name: 'go' } }],
    edges: [{ id: '1', src: 'start', dst: 'say' }],
  });
  const id = await server.start('bad', { input: { text: hostile, link: 'javascript:alert(1)', nul: 'a\u0000b' }, labels: { team: hostile.slice(0, 60) }, contact_id: '=cmd()' });
  await server.until(id, 'waiting');
  await server.post('/jobs', { topic: 'job.mail', input: { text: hostile }, labels: { l: '<img src=x onerror=alert(1)>' } });
  await server.post(`/executions/${id}/cancel`, { reason: hostile });
  const { items } = await server.get('/jobs');
  const page = await tab(server);
  for (const path of ['/', '/runs', `/runs/${id}`, `/runs/${id}?node=start`, `/runs/${id}?tab=timeline`, `/runs/${id}?tab=history`, `/runs/${id}?tab=data`, '/workflows', '/workflows/bad', '/workflows/bad?tab=edit', '/jobs', `/jobs/${items[0].id}`, '/audit', '/settings/system']) {
    await page.open(path);
    await page.settled();
    assert.equal(await page.page.evaluate(() => window.hacked), undefined, path);
    assert.equal(await page.page.locator('a[href^="javascript:"]').count(), 0, path);
    assert.equal(await page.page.locator('main img, main script').count(), 0, path);
    page.check();
  }
  await page.open('/runs');
  await page.page.locator('[role=row][data-id]').first().waitFor();
  const saved = page.page.waitForEvent('download');
  await page.page.getByLabel('Export', { exact: true }).selectOption('csv');
  const stream = await (await saved).createReadStream();
  let csv = '';
  for await (const piece of stream) csv += piece;
  assert.match(csv, /,'=cmd\(\),/);
  await page.close();
});

test('t35_no_secret_is_in_a_page_but_once_in_the_dialog_of_a_new_key', async () => {
  const server = await serve();
  const ids = await fill(server);
  const secret = 'tok_hidden_value_5521';
  const page = await tab(server, '/');
  let bodies = '';
  page.page.on('response', async (response) => {
    if (response.url().includes('/api/') && !response.url().includes('/stream')) bodies += await response.text().catch(() => '');
  });
  for (const path of ['/', '/runs', `/runs/${ids.failed}`, '/workflows', '/jobs', '/approvals', '/contacts/c-1', '/policy', '/dlq', '/waits', '/schedules', '/workers', '/audit', '/settings/credentials', '/settings/keys', '/settings/system']) {
    await page.page.goto(server.url + path);
    await page.settled();
    assert.ok(!(await page.page.content()).includes(secret), path);
  }
  assert.ok(!bodies.includes(secret));
  await page.page.goto(`${server.url}/settings/keys`);
  await page.page.getByRole('button', { name: 'Create a key' }).click();
  await page.page.getByLabel('Name').fill('ci');
  await page.page.getByRole('button', { name: 'Create', exact: true }).click();
  const made = await page.page.locator('.made').innerText();
  assert.match(made, /^fk_[0-9a-f]{16}_/);
  await page.page.getByRole('button', { name: 'Done' }).click();
  assert.ok(!(await page.page.content()).includes(made));
  const kept = await page.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]));
  assert.ok(!kept.includes(made) && !kept.includes(secret));
  await page.close();
});

test('t36_each_role_sees_what_it_may_do_and_nothing_else', async () => {
  const { server, keys } = await keyed();
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder');
  const actions = { viewer: { run: 0, edit: 0, audit: 0 }, operator: { run: 1, edit: 0, audit: 0 }, editor: { run: 1, edit: 1, audit: 0 }, admin: { run: 1, edit: 1, audit: 1 } };
  for (const [role, wanted] of Object.entries(actions)) {
    const page = await signIn(server, keys[role], `/runs/${id}`);
    await page.page.locator('h1 + .status').waitFor();
    assert.equal(await page.page.getByRole('button', { name: 'Actions' }).count(), wanted.run, `${role} acts`);
    assert.equal(await page.page.getByRole('link', { name: 'Audit', exact: true }).count(), wanted.audit, `${role} audits`);
    await page.page.goto(`${server.url}/workflows/reminder`);
    await page.page.locator('main h1').waitFor();
    assert.equal(await page.page.getByRole('link', { name: 'Edit' }).count(), wanted.edit, `${role} edits`);
    if (role === 'viewer') {
      const forged = await page.page.evaluate(async (run) => (await fetch(`/api/v1/executions/${run}/cancel`, { method: 'POST' })).status, id);
      assert.equal(forged, 403);
    }
    await page.close();
  }
  const worker = await signIn(server, keys.worker);
  await worker.says("A worker's key cannot sign in.");
  await worker.close();
  assert.equal((await server.get(`/executions/${id}`)).status, 'waiting');
});

test('a_session_ends_at_the_same_address_it_began', async () => {
  const { server, keys } = await keyed();
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder');
  const page = await signIn(server, keys.operator, `/runs/${id}?tab=history`);
  await page.page.locator('h1 + .status').waitFor();
  assert.match(page.page.url(), new RegExp(`/runs/${id}\\?tab=history$`));
  const cookies = await page.context.cookies();
  assert.ok(cookies.every((cookie) => cookie.httpOnly && cookie.sameSite === 'Strict' && !cookie.value.includes(keys.operator)));
  await page.page.getByRole('button', { name: 'Pause', exact: true }).click();
  await page.page.locator('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
  await server.until(id, 'paused');
  await page.page.getByRole('button', { name: 'Sign out' }).click();
  await page.says('Sign in to Fermata');
  await page.close();
});

test('t37_pages_from_elsewhere_can_neither_read_nor_write', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder');
  const elsewhere = http.createServer((_, answer) => {
    answer.setHeader('Content-Type', 'text/html');
    answer.end(`<!doctype html><title>elsewhere</title><a id="link" href="${server.url}/runs/${id}">a run</a>`);
  });
  await new Promise((ready) => elsewhere.listen(0, '127.0.0.1', ready));
  const other = `http://localhost:${elsewhere.address().port}`;
  const page = await tab({ url: other }, '/', { allow: [/./] });
  const tried = await page.page.evaluate(async ([url, run]) => {
    const out = [];
    for (const [method, path] of [['GET', '/overview'], ['POST', `/executions/${run}/cancel`]]) {
      try {
        const answer = await fetch(`${url}/api/v1${path}`, { method, headers: { 'Content-Type': 'text/plain' } });
        out.push(`read ${answer.status}`);
      } catch {
        out.push('refused');
      }
      await fetch(`${url}/api/v1${path}`, { method, mode: 'no-cors' }).catch(() => {});
    }
    return out;
  }, [server.url, id]);
  assert.deepEqual(tried, ['refused', 'refused']);
  assert.equal((await server.get(`/executions/${id}`)).status, 'waiting');
  const rebound = await new Promise((answered) => http.get({ host: '127.0.0.1', port: new URL(server.url).port, path: '/', headers: { Host: 'evil.example' } }, answered));
  assert.equal(rebound.statusCode, 403);
  await page.page.click('#link');
  await page.page.locator('h1 + .status').waitFor();
  await page.context.close();
  elsewhere.close();
});

test('t41_a_tab_of_an_older_console_says_so_and_the_next_page_is_loaded_afresh', async () => {
  const server = await serve();
  const page = await tab(server, '/runs');
  await page.says('No runs yet');
  // The tab begins on another console than the one that is served later, as before an upgrade.
  await page.page.route('**/api/v1/session', async (route) => {
    // One that is under way when the tab goes on is nobody's any more.
    try {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), console: 'older' } });
    } catch {
      await route.continue().catch(() => {});
    }
  });
  await page.page.clock.install();
  await page.page.reload();
  await page.says('No runs yet');
  await page.page.unrouteAll({ behavior: 'wait' });
  await page.page.evaluate(() => { window.sameDocument = true; });
  await page.page.clock.runFor(31_000);
  await page.says('Fermata was updated');
  await page.page.getByRole('link', { name: 'Workflows' }).first().click();
  await page.says('No workflows yet');
  assert.equal(await page.page.evaluate(() => window.sameDocument), undefined);
  await page.close();
});

// U-3
test('t40_twelve_tabs_share_four_streams', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const first = await tab(server, '/runs');
  const tabs = [first];
  for (let i = 0; i < 11; i++) tabs.push(await tab(server, '/runs', { context: first.context }));
  const streams = async () => Number(/fermata_streams_open (\d+)/.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1] ?? 0);
  // Tabs agree within seconds, as each says that it is there.
  await eventually(async () => assert.ok((await streams()) <= 4 && (await streams()) > 0));
  await tabs.at(-1).page.getByText('No runs yet').waitFor();
  const id = await server.start('reminder');
  await tabs.at(-1).page.locator(`[data-id="${id}"]`).waitFor();
  await tabs.at(-1).page.locator(`[data-id="${id}"]`).focus();
  await tabs.at(-1).page.keyboard.press('Enter');
  await tabs.at(-1).page.getByRole('button', { name: 'Pause', exact: true }).click();
  await tabs.at(-1).page.locator('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
  await server.until(id, 'paused');
  await tabs[0].page.bringToFront();
  await tabs[0].page.locator(`[data-id="${id}"]`).getByText('Paused').waitFor();
  assert.ok((await streams()) <= 4);
  for (const one of tabs) one.check();
  await first.context.close();
});
