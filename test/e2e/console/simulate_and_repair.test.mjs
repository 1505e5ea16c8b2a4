// Trying a workflow in a world apart, and repairing many things at once.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { end, eventually, root, serve, tab } from './harness.mjs';
import { branches, contacts, deadLetters, retries, split, waits } from './world.mjs';

after(end);
const noon = '2026-01-12T12:00:00Z';

test('t33_a_rare_race_is_found_and_its_seed_is_gone_through', async () => {
  const server = await serve({ clock: noon });
  const page = await tab(server, '/simulate');
  await page.says('No simulations since the server started');
  await page.page.getByRole('button', { name: /A race between a call and a timer/ }).click();
  await page.page.getByRole('combobox', { name: /^Horizon/ }).selectOption('1 year');
  await page.page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.page.waitForURL('**/simulate/*');
  await page.page.locator('h1 + .status', { hasText: 'Done' }).waitFor();
  await page.says('1,000 of 1,000 seeds');
  await page.says('Kept in all 1,000 lives');
  const broken = page.page.locator('li.broken', { hasText: 'Nothing ships without its reservation' });
  await broken.waitFor();
  const id = new URL(page.page.url()).pathname.split('/')[2];
  const told = (await server.get(`/simulations/${id}`)).result.promises.at(-1);
  assert.ok(told.broken > 0 && told.broken < 100, `${told.broken} of 1000`);
  await page.says('Slowest path');
  await page.settled();
  // The picture of docs/guide/console.md, made anew when somebody asks for it.
  if (process.env.CONSOLE_GUIDE === '1') {
    await page.page.setViewportSize({ width: 1040, height: 760 });
    await page.page.screenshot({ path: join(root, 'docs/guide/images/console-simulate.png') });
    await page.page.setViewportSize({ width: 1280, height: 800 });
  }
  await broken.getByRole('link').first().click();
  await page.says(`Breaks a promise`);
  await page.says('It happened in a world apart');
  assert.match(await page.page.title(), /virtual/);
  await page.page.locator('[data-node="patience"].success').waitFor();
  await page.page.locator('[data-slider]').focus();
  await page.page.keyboard.press('Home');
  await page.says('As of event 1 of');
  assert.match(page.page.url(), /at=1/);
  assert.equal(await page.page.getByRole('button', { name: 'Fork from here' }).count(), 0);
  assert.equal((await server.get('/executions')).items.length, 0);
  assert.equal((await server.get('/waits')).items.length, 0);
  await page.close();
});

test('a_stored_workflow_offers_what_it_meets_outside', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/order', branches);
  const page = await tab(server, '/workflows/order');
  await page.page.locator('main').getByRole('link', { name: 'Simulate', exact: true }).click();
  await page.page.locator('.rule input[aria-label="Name"]').first().waitFor();
  assert.equal(await page.page.locator('.rule input[aria-label="Name"]').first().inputValue(), 'paid');
  await page.page.getByLabel('Input, JSON').fill('{"total": 40}');
  await page.page.getByLabel(/Seeds/).fill('50');
  await page.page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.page.locator('h1 + .status', { hasText: 'Done' }).waitFor();
  await page.says('Never reached:');
  await page.says('waits for what never comes');
  await page.close();
});

test('t29_a_group_of_dead_letters_is_retried_at_a_rate', async () => {
  const server = await serve();
  await deadLetters(server, [['job.mail.send', 'smtp_refused', 3], ['job.card.charge', 'card_declined', 2], ['job.wipe', 'broken', 1]]);
  const page = await tab(server, '/dlq');
  await page.says('By cause');
  await page.page.getByRole('button', { name: 'Retry 3' }).click();
  const dialog = page.page.locator('dialog');
  await dialog.getByText('3 dead letters').first().waitFor();
  await dialog.getByLabel('Why (goes to the audit)').fill('the mail server is back');
  // What is no rate is sent by nobody (U-12).
  const retry = dialog.getByRole('button', { name: 'Retry 3 dead letters' });
  for (const wrong of ['0', '1.5', 'fast', '6000001']) {
    await dialog.getByLabel(/At most so many a minute/).fill(wrong);
    assert.ok(await retry.isDisabled(), wrong);
  }
  await dialog.getByLabel(/At most so many a minute/).fill('60');
  const began = Date.now();
  await retry.click();
  await page.page.waitForURL('**/bulk/*');
  await page.says('At most 60 a minute.');
  await page.page.locator('.status', { hasText: 'Done' }).waitFor();
  assert.ok(Date.now() - began >= 1900, 'three at sixty a minute');
  const left = (await server.get('/dlq')).items;
  assert.deepEqual([...new Set(left.map((letter) => letter.topic))].sort(), ['job.card.charge', 'job.wipe']);
  assert.equal((await server.get('/audit?action=dlq.retry')).items.length, 3);
  await page.close();
});

test('one_dead_letter_is_retried_with_changes', async () => {
  const server = await serve();
  await deadLetters(server, [['job.mail.send', 'smtp_refused', 1]]);
  const letter = (await server.get('/dlq')).items[0];
  const page = await tab(server, `/dlq/${letter.id}`);
  await page.says('What the job was given');
  await page.page.getByRole('button', { name: 'Retry', exact: true }).click();
  const dialog = page.page.locator('dialog');
  await dialog.getByLabel('With changes').check();
  await dialog.getByLabel('Input, JSON').fill('{"to": "ada@example.org"');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Input, JSON').fill('{"to": "ada@example.org"}');
  await dialog.getByRole('button', { name: 'Retry', exact: true }).click();
  await page.page.locator('h1 ~ .status', { hasText: 'Retried' }).waitFor();
  const again = (await server.get(`/dlq/${letter.id}`)).retried_as;
  assert.deepEqual((await server.get(`/jobs/${again}`)).input, { to: 'ada@example.org' });
  await page.close();
});

test('t22_live_runs_are_migrated_and_those_that_do_not_fit_are_named', async () => {
  const server = await serve({ clock: noon });
  const start = { id: 'start', name: 'Start', type: 'manual', trigger: true };
  const two = (second) => ({
    nodes: [start, { id: 'which', name: 'Which', type: 'conditional', parameters: { expression: '{{ $input.odd }}', true_edge_id: 'odd', false_edge_id: 'even' } },
      { id: 'stays', name: 'Stays', type: 'wait', parameters: { amount: 2, unit: 'hours' } }, { id: second, name: 'Other', type: 'wait', parameters: { amount: 2, unit: 'hours' } }],
    edges: [{ id: '1', src: 'start', dst: 'which' }, { id: 'even', src: 'which', dst: 'stays' }, { id: 'odd', src: 'which', dst: second }],
  });
  await server.put('/workflows/pair', two('old'));
  for (const odd of [false, false, false, false, true]) await server.until(await server.start('pair', { input: { odd } }), 'waiting');
  await server.put('/workflows/pair', two('new'));
  const page = await tab(server, '/workflows/pair?tab=versions', { allow: [/status of 409/] });
  await page.page.getByRole('button', { name: 'Migrate…' }).click();
  await eventually(async () => assert.equal(await page.page.locator('tr[data-fit="clean"]').count(), 4));
  assert.equal(await page.page.locator('tr[data-fit="rule"]').count(), 1);
  await page.says('stands on a node the other version does not have');
  await page.page.getByLabel(/Rules for nodes/).fill('old -> new');
  await eventually(async () => assert.equal(await page.page.locator('tr[data-fit="clean"]').count(), 5));
  await page.page.getByLabel(/Rules for nodes/).fill('');
  await eventually(async () => assert.equal(await page.page.locator('tr[data-fit="clean"]').count(), 4));
  await page.page.getByRole('button', { name: 'Migrate 4 runs' }).click();
  const dialog = page.page.locator('dialog');
  await dialog.getByLabel('Why (goes to the audit)').fill('the new version is right');
  await dialog.getByRole('button', { name: 'Migrate 4 runs' }).click();
  await page.page.waitForURL('**/bulk/*');
  await page.page.locator('.status', { hasText: 'Done' }).waitFor();
  const runs = (await server.get('/executions?workflow_id=pair')).items;
  assert.deepEqual(runs.map((run) => run.version).sort(), [1, 2, 2, 2, 2]);
  await page.close();
});

test('u28_the_timeline_is_zoomed_and_moved_by_keys_and_by_hand', async () => {
  const server = await serve();
  await server.put('/workflows/order', branches);
  const id = await server.start('order', { input: { total: 40 } });
  await server.until(id, 'waiting');
  const page = await tab(server, `/runs/${id}?tab=timeline`);
  const rows = page.page.locator('.rows[data-size]');
  await rows.waitFor();
  const size = async () => Number(await rows.getAttribute('data-size'));
  assert.equal(await size(), 1);
  await rows.focus();
  await page.page.keyboard.press('+');
  await page.page.keyboard.press('+');
  await eventually(async () => assert.ok((await size()) < 0.5));
  const from = Number(await rows.getAttribute('data-from'));
  await page.page.keyboard.press('ArrowRight');
  await eventually(async () => assert.ok(Number(await rows.getAttribute('data-from')) > from));
  await page.page.getByRole('button', { name: 'The whole run' }).click();
  await eventually(async () => assert.equal(await size(), 1));
  await page.close();
});

// The browser folds the history itself (U-30); the server's answer is the judge, event by event.
test('u30_what_the_browser_folds_is_what_the_server_says', async () => {
  const { createServer } = await import(join(root, 'ui/console/node_modules/vite/dist/node/index.js'));
  const vite = await createServer({ root: join(root, 'ui/console'), configFile: false, logLevel: 'error', appType: 'custom', server: { middlewareMode: true, watch: null, ws: false } });
  try {
    const { nodesAt, canFold } = await vite.ssrLoadModule('/src/lib/fold.ts');
    const server = await serve({ clock: noon });
    const runs = [['order', branches, { total: 40 }], ['large', branches, { total: 4000 }], ['campaign', split(3, 4), { contacts: contacts(9) }], ['retries', retries, {}], ['reminder', waits, {}]];
    for (const [name, definition, input] of runs) {
      await server.put(`/workflows/${name}`, definition);
      const id = await server.start(name, { input });
      await eventually(async () => assert.notEqual((await server.get(`/executions/${id}`)).status, 'running'));
      if (name === 'order') await server.post(`/executions/${id}/signals/paid`, {});
      if (name === 'large') await server.post(`/executions/${id}/cancel`, { reason: 'enough' });
      if (name === 'reminder') await server.advance(3 * 3_600_000);
      const history = (await server.get(`/executions/${id}/history?limit=1000`)).items;
      const stored = (await server.get(`/workflows/${name}`)).definition;
      assert.ok(canFold(history));
      for (const { sequence } of history) {
        const { nodes, edges } = await server.get(`/executions/${id}/nodes?at=${sequence}`);
        const mine = nodesAt(stored, history, sequence);
        const plain = (list) => list.map(({ node_id, status, counts }) => ({ node_id, status, counts: Object.fromEntries(Object.entries(counts).sort()) })).sort((a, b) => a.node_id.localeCompare(b.node_id));
        assert.deepEqual(plain(mine.nodes), plain(nodes), `${name} after event ${sequence}, ${history[sequence - 1].type}`);
        assert.deepEqual([...mine.edges].sort((a, b) => a.edge_id.localeCompare(b.edge_id)), [...edges].sort((a, b) => a.edge_id.localeCompare(b.edge_id)), `edges of ${name} after event ${sequence}`);
      }
    }
  } finally {
    await vite.close();
  }
});

test('columns_are_chosen_and_stand_in_the_address', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await server.until(await server.start('reminder'), 'waiting');
  const page = await tab(server, '/runs');
  await page.page.getByRole('row', { name: /reminder/ }).waitFor();
  await page.page.getByRole('button', { name: 'Columns' }).click();
  const dialog = page.page.locator('dialog');
  await dialog.getByLabel('Contact', { exact: true }).uncheck();
  await dialog.getByLabel('Version', { exact: true }).check();
  await dialog.getByRole('button', { name: 'Workflow earlier' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  // Without the arrow of the one that the list is sorted by.
  const heads = async () => (await page.page.getByRole('columnheader').allInnerTexts()).map((text) => text.split('\n')[0]);
  const wanted = ['Workflow', 'Status', 'Run', 'Now at', 'Labels', 'Started', 'Duration', 'Tries', 'Version'];
  await eventually(async () => assert.deepEqual((await heads()).filter((name) => name !== 'Selected'), wanted));
  assert.match(page.page.url(), /columns=workflow/);
  await page.page.reload();
  await page.page.getByRole('row', { name: /reminder/ }).waitFor();
  assert.deepEqual((await heads()).filter((name) => name !== 'Selected'), wanted);
  await page.close();
});

test('t31_a_silent_worker_ages_and_is_lost_without_a_reload', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/reminder', waits);
  const register = async (worker_id) => (await server.post('/worker/register', { worker_id, topics: ['job.mail.send'], max_parallel: 4 })).registration_id;
  const silent = await register('silent');
  const busy = await register('busy');
  const beat = () => server.post('/worker/heartbeat', { registration_id: busy, last_seq: 0, leases: [], cpu_load: 95, memory_load: 20 });
  const page = await tab(server, '/workers');
  await page.says('silent');
  assert.ok(silent);
  await server.advance(20_000);
  await beat();
  // The page learns what time it is when something happens.
  await server.start('reminder');
  const row = (name) => page.page.locator('li', { hasText: name }).first();
  await row('silent').locator('.status', { hasText: 'Ageing' }).waitFor();
  await row('busy').locator('.load.high', { hasText: 'CPU' }).waitFor();
  for (let i = 0; i < 12; i++) {
    await server.advance(10_000);
    await beat();
  }
  await page.page.getByRole('heading', { name: 'Lost' }).waitFor();
  await page.page.locator('.lost li', { hasText: 'silent' }).waitFor();
  assert.equal(await page.page.locator('.lost li', { hasText: 'busy' }).count(), 0);
  await page.close();
});

test('j77_what_a_run_has_done_is_undone_and_a_parked_entry_is_decided', async () => {
  const server = await serve();
  const source = 'workflow trip(inputs) {\n  await Task.run("job.book", {}, { compensation: { topic: "job.unbook" } })\n  await Signal.next("go")\n}\n';
  await server.ask('PUT', '/workflows/trip', { language: 'flow', source });
  const id = await server.start('trip');
  const { registration_id } = await server.post('/worker/register', { worker_id: 'agent', topics: ['job.book', 'job.unbook'], max_parallel: 4 });
  let seq = 0;
  const work = async (status, more) => {
    const [job] = await eventually(async () => {
      const { jobs } = await server.post('/worker/claim', { registration_id, seq: ++seq, slots: 1, wait_ms: 1000 });
      assert.equal(jobs.length, 1);
      return jobs;
    });
    await server.post('/worker/results', { registration_id, results: [{ job_id: job.job_id, fence: job.fence, attempt: job.attempt, status, ...more }] });
    return job.job_id;
  };
  const booked = await work('succeeded', { output: { seat: '12A' } });
  await server.until(id, 'waiting');
  const page = await tab(server, `/runs/${id}?tab=undo`);
  await page.says('These would be undone');
  await server.post(`/executions/${id}/rollback`, { reason: 'the trip is off' });
  await work('failed_fatal', { error: { code: 'closed', message: 'the office is closed' } });
  await page.says('Undo stopped');
  await page.page.getByRole('button', { name: 'Skip', exact: true }).click();
  const dialog = page.page.locator('dialog');
  await dialog.getByLabel('Why').fill('refunded by hand');
  await dialog.getByRole('button', { name: 'Skip it' }).click();
  await page.says('refunded by hand');
  await page.page.goto(`${server.url}/jobs/${booked}`);
  await page.says('undoes what this job has done');
  await page.close();
});

test('t38_pages_of_a_simulation_are_whole_in_both_themes_and_widths', async () => {
  const server = await serve();
  await server.put('/workflows/order', branches);
  const { id } = await server.post('/simulations', { workflow_id: 'order', seeds: 20, input: { total: 40 }, signals: [{ name: 'paid', latency_max_ms: 86_400_000, missing: 0.3 }] });
  await eventually(async () => assert.equal((await server.get(`/simulations/${id}`)).state, 'done'));
  const pages = { simulate: ['/simulate', 'order'], simulate_new: ['/simulate?new=1', 'How the world answers'], simulation: [`/simulate/${id}`, 'How it ends'], seed: [`/simulate/${id}?seed=1`, 'It happened in a world apart'], seed_timeline: [`/simulate/${id}?seed=1&tab=timeline`, 'Pick goods'] };
  const faults = [];
  for (const [theme, width] of [['light', 1280], ['dark', 375]]) {
    const page = await tab(server, '/simulate', { theme, width });
    for (const [name, [path, text]] of Object.entries(pages)) {
      await page.page.goto(server.url + path);
      await page.page.locator('main').getByText(text).filter({ visible: true }).first().waitFor();
      await page.settled();
      await page.shot(`${name}-${theme}-${width}`);
      if ((await page.overflow()) > 0) faults.push(`${name} overflows at ${width}`);
      for (const found of await page.axe()) faults.push(`${name} at ${width}, ${theme}: ${found.id} ${found.nodes.join(' | ')}`);
    }
    await page.close();
  }
  assert.deepEqual(faults, []);
});
