// Hostile names, secrets, roles, other origins; many tabs.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { end, eventually, lastingPort, serve, tab } from './harness.mjs';
import { keyed, signIn } from './keyed.mjs';
import { asks, fill, nowhere, waits } from './world.mjs';

after(end);
const hostile = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">{{7*7}}\u202egnp';

/** Hostile words wherever somebody from outside may put some; the addresses where they are shown. */
async function hostileWorld(server) {
  await server.put('/workflows/bad', {
    nodes: [{ id: 'start', name: hostile, type: 'manual', trigger: true }, { id: 'say', name: 'javascript:alert(1)', type: 'wait_for_signal', parameters: { name: 'go' } }],
    edges: [{ id: '1', src: 'start', dst: 'say' }],
    input_schema: { type: 'object', properties: { text: { type: 'string', title: hostile, description: hostile } } },
  });
  await server.put('/workflows/throws', {
    nodes: [{ id: 'start', name: 'Start', type: 'manual', trigger: true }, { id: 'throw', name: 'Throw', type: 'code', parameters: { source: `throw new Error(${JSON.stringify(hostile)})` } }],
    edges: [{ id: '1', src: 'start', dst: 'throw' }],
  });
  await server.put('/workflows/asks', { ...asks, nodes: asks.nodes.map((node) => (node.type === 'approval' ? { ...node, parameters: { ...node.parameters, title: hostile, message: hostile } } : node)) });
  const input = { text: hostile, [hostile]: 1, link: 'javascript:alert(1)', nul: 'a\u0000b' };
  const id = await server.start('bad', { input, labels: { team: hostile.slice(0, 60) }, contact_id: '=cmd()' });
  await server.until(id, 'waiting');
  const failed = await server.start('throws', { input });
  await server.until(failed, 'failed');
  await server.start('asks', { input });
  const approval = await eventually(async () => {
    const { items } = await server.get('/approvals?status=pending');
    assert.equal(items.length, 1);
    return items[0].id;
  });
  const contact = '<img>{{7*7}}';
  await server.put(`/contacts/${encodeURIComponent(contact)}`, { email: 'a@example.org', fields: { note: hostile } });
  const job = (await server.post('/jobs', { topic: 'job.mail', input: { text: hostile }, labels: { l: '<img src=x onerror=alert(1)>' }, retry: { max_attempts: 1 } })).id;
  const { registration_id } = await server.post('/worker/register', { worker_id: '<svg>{{7*7}}', topics: ['job.mail'], max_parallel: 1, labels: { zone: hostile.slice(0, 60) } });
  const [claimed] = await eventually(async () => {
    const { jobs } = await server.post('/worker/claim', { registration_id, seq: 1, slots: 1, wait_ms: 1000 });
    assert.equal(jobs.length, 1);
    return jobs;
  });
  await server.post(`/worker/jobs/${job}/logs`, { registration_id, fence: claimed.fence, lines: [hostile] });
  await server.post('/worker/results', { registration_id, results: [{ job_id: job, attempt: claimed.attempt, fence: claimed.fence, status: 'failed_fatal', error: { code: 'bad', message: hostile } }] });
  await server.put('/policy/base', { version: 1, default_decision: 'allow', rules: [{ id: 'odd', match: { topics: ['job.odd'] }, decision: 'deny', reason: hostile }] });
  const denied = (await server.post('/jobs', { topic: 'job.odd', input: {} })).id;
  const letter = await eventually(async () => {
    const { items } = await server.get('/dlq');
    assert.ok(items.length > 0);
    return items[0].id;
  });
  await server.put('/schedules/odd', { workflow_id: 'bad', cron: '0 9 * * *', timezone: 'UTC', input });
  const cancelled = await server.start('bad', { input });
  await server.post(`/executions/${cancelled}/cancel`, { reason: hostile });
  const person = `/contacts/${encodeURIComponent(contact)}`;
  return ['/', '/runs', '/runs?group_by=error_code', `/runs/${id}`, `/runs/${id}?node=start`, `/runs/${id}?at=2`, `/runs/${id}?tab=timeline`, `/runs/${id}?tab=history`, `/runs/${id}?tab=data`, `/runs/${failed}`, `/runs/${failed}?node=throw`, '/workflows', '/workflows/bad', '/workflows/bad?tab=edit', '/workflows/bad?tab=start', '/waits', '/waits?tab=list', '/waits?tab=listeners', '/waits?tab=calendar', '/contacts', person, '/jobs', '/jobs?view=list', `/jobs/${job}`, `/jobs/${denied}`, '/approvals', `/approvals/${approval}`, '/dlq', `/dlq/${letter}`, '/policy', `/policy?tab=explain&job=${denied}`, '/policy?tab=history', '/workers', '/schedules', '/schedules/odd', '/simulate?new=1&workflow=bad', '/audit', '/settings/system'];
}

test('t34_hostile_names_are_shown_as_text_everywhere', async () => {
  const server = await serve();
  const places = await hostileWorld(server);
  const page = await tab(server);
  for (const path of places) {
    await page.open(path);
    await page.settled();
    const found = await page.page.evaluate(() => ({ hacked: window.hacked, links: document.querySelectorAll('a[href^="javascript:" i]').length, made: document.querySelectorAll('main img, main script, main [onload], main [onerror]').length, title: document.title.includes('49') && document.title.includes('{{') }));
    assert.deepEqual(found, { hacked: undefined, links: 0, made: 0, title: false }, path);
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
  // A call that carries it in a header, refused at once: its node shows what was sent.
  await server.put('/workflows/pays', { nodes: [{ id: 'start', name: 'Start', type: 'manual', trigger: true }, { id: 'pay', name: 'Pay', type: 'http', credentials: { id: 'stripe' }, parameters: { url: `${nowhere}/pay`, method: 'POST' } }], edges: [{ id: '1', src: 'start', dst: 'pay' }] });
  const paid = await server.start('pays');
  await eventually(async () => assert.notEqual((await server.get(`/executions/${paid}`)).status, 'running'));
  const page = await tab(server, '/');
  let bodies = '';
  page.page.on('response', async (response) => {
    if (response.url().includes('/api/') && !response.url().includes('/stream')) bodies += await response.text().catch(() => '');
  });
  for (const path of ['/', '/runs', `/runs/${ids.failed}`, `/runs/${paid}?node=pay`, `/runs/${paid}?tab=history`, '/workflows', '/workflows/pays?tab=edit', '/jobs', '/approvals', '/contacts/c-1', '/policy', '/dlq', '/waits', '/schedules', '/workers', '/audit', '/settings/credentials', '/settings/keys', '/settings/system']) {
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
  // Of another account nobody sees anything, whatever they may do in their own.
  const stranger = await signIn(server, keys.stranger, `/runs/${id}`);
  await stranger.says('There is no such run');
  const theirs = await stranger.page.evaluate(async (run) => (await fetch(`/api/v1/executions/${run}`)).status, id);
  assert.equal(theirs, 404);
  await stranger.open('/runs');
  await stranger.says('No runs yet');
  await stranger.context.close();
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

// T-37 with a cookie: a page of the server itself that does not send the csrf text writes nothing either.
test('t37_a_cookie_alone_writes_nothing', async () => {
  const { server, keys } = await keyed();
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder');
  const page = await signIn(server, keys.operator, `/runs/${id}`);
  await page.page.locator('h1 + .status').waitFor();
  const tried = await page.page.evaluate(async (run) => {
    const read = await fetch(`/api/v1/executions/${run}`);
    const write = await fetch(`/api/v1/executions/${run}/cancel`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' });
    return [read.status, write.status];
  }, id);
  assert.deepEqual(tried, [200, 403]);
  // The cookie from another origin, as a browser that knows no SameSite would send it.
  const cookie = (await page.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
  const { csrf } = await (await fetch(`${server.url}/api/v1/session`, { headers: { Cookie: cookie } })).json();
  const foreign = await fetch(`${server.url}/api/v1/executions/${id}/cancel`, { method: 'POST', headers: { Cookie: cookie, 'X-CSRF-Token': csrf, Origin: 'http://evil.example', 'Content-Type': 'application/json' }, body: '{}' });
  assert.equal(foreign.status, 403);
  assert.equal((await server.get(`/executions/${id}`)).status, 'waiting');
  await page.context.close();
});

/** The pages that a server has, as a folder of another build: each file has another name, for names stand for content. */
async function otherBuildOf(server) {
  const folder = mkdtempSync(join(tmpdir(), 'fermata-pages-'));
  mkdirSync(join(folder, 'assets'));
  const hashed = /[\w.-]+-[\w-]{8}\.(js|css)/g;
  const texts = new Map();
  const left = ['index.html', 'theme.js', 'favicon.svg'];
  while (left.length) {
    const path = left.pop();
    if (texts.has(path)) continue;
    const answer = await fetch(`${server.url}/${path === 'index.html' ? '' : path}`);
    texts.set(path, answer.ok ? await answer.text() : null);
    for (const [name] of texts.get(path)?.matchAll(hashed) ?? []) left.push(`assets/${name}`);
  }
  const newer = (text) => text.replace(hashed, (name) => (texts.get(`assets/${name}`) ? `newer-${name}` : name));
  for (const [path, text] of texts) if (text !== null) writeFileSync(join(folder, newer(path)), newer(text));
  return folder;
}

// U-85: another build of the console, under a server that was killed and started again.
test('t41_a_tab_of_an_older_console_says_so_and_the_next_page_is_loaded_afresh', async () => {
  const listen = `127.0.0.1:${await lastingPort()}`;
  const server = await serve({ listen });
  const page = await tab(server, '/runs', { allow: [/ERR_/] });
  await page.says('No runs yet');
  await page.says('Live', { exact: true });
  await page.page.evaluate(() => { window.sameDocument = true; });
  const folder = await otherBuildOf(server);
  assert.ok(readdirSync(join(folder, 'assets')).some((name) => name.startsWith('newer-Workflows-')), 'the page of workflows is a file of its own');
  await server.stop('SIGKILL');
  const newer = await serve({ data: server.data, listen, pages: folder });
  await page.says('Fermata was updated');
  await page.page.getByRole('link', { name: 'Workflows' }).first().click();
  await page.says('No workflows yet');
  assert.equal(await page.page.evaluate(() => window.sameDocument), undefined);
  await page.context.close();
  await newer.stop();
  rmSync(folder, { recursive: true });
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
  // The server counts a stream until it has seen its end.
  await eventually(async () => assert.ok((await streams()) <= 4));
  for (const one of tabs) one.check();
  await first.context.close();
});

// T-40, U-3: a tab that nobody sees for half a minute lets its stream go, and misses nothing.
test('t40_a_hidden_tab_drops_its_stream_and_catches_up_when_shown', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder');
  const page = await tab(server, '/settings');
  await page.page.clock.install();
  await page.open('/runs');
  await page.page.locator(`[data-id="${id}"]`).waitFor();
  await page.says('Live', { exact: true });
  const streams = async () => Number(/fermata_streams_open (\d+)/.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1] ?? 0);
  await eventually(async () => assert.equal(await streams(), 1));
  const show = (hidden) => page.page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => (value ? 'hidden' : 'visible') });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
  await show(true);
  await page.page.clock.runFor(32_000);
  await eventually(async () => assert.equal(await streams(), 0));
  await server.post(`/executions/${id}/pause`);
  await show(false);
  await eventually(async () => {
    await page.page.clock.runFor(500);
    assert.match(await page.page.locator(`[data-id="${id}"]`).innerText(), /Paused/);
  });
  await eventually(async () => assert.equal(await streams(), 1));
  await page.close();
});
