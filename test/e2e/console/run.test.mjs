// The page of one run: why it does not move, what it did, what can be done about it.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { end, eventually, lastingPort, serve, tab } from './harness.mjs';
import { branches, contacts, fails, retries, script, split, waits } from './world.mjs';

after(end);
const noon = '2026-01-12T12:00:00Z';
const hour = 3_600_000;

test('t9_a_wait_counts_down_and_the_run_completes_without_a_reload', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder');
  const run = await tab(server, `/runs/${id}`);
  await run.says('continues in 2 h');
  await run.says('Live', { exact: true });
  await run.page.getByRole('button', { name: '+1 h' }).click();
  await run.says('continues in 1 h');
  await run.page.getByRole('button', { name: '+1 h' }).click();
  await run.page.locator('h1 + .status', { hasText: 'Completed' }).waitFor();
  await run.page.locator('[data-node="wait"].success').waitFor();
  await run.close();
});

test('t10_a_split_is_one_box_and_leads_to_the_item_that_failed', async () => {
  const server = await serve();
  await server.put('/workflows/campaign', split(17, 12));
  const id = await server.start('campaign', { input: { contacts: contacts(1000) } });
  await server.until(id, 'waiting');
  const run = await tab(server, `/runs/${id}`);
  const box = run.page.locator('[data-node="score"]');
  await box.waitFor();
  assert.equal(await run.page.locator('[data-node]').count(), 7);
  await eventually(async () => assert.match(await box.getAttribute('aria-label'), /1 failed, 987 done/));
  await eventually(async () => assert.match(await run.page.locator('[data-node="pause"]').getAttribute('aria-label'), /12 waiting/));
  await box.click();
  const panel = run.page.locator('aside');
  await panel.getByRole('button', { name: 'Failed', exact: true }).click();
  await panel.locator('.items').getByText('each@0.17').click();
  await panel.getByText('no address for contact 17').first().waitFor();
  await panel.getByText('Contact 17').first().waitFor();
  assert.match(run.page.url(), /node=score/);
  assert.match(run.page.url(), /item=each%400\.17/);
  await run.page.reload();
  await run.page.locator('aside').getByText('no address for contact 17').first().waitFor();
  await run.close();
});

test('t11_a_merge_names_what_is_missing_and_the_untaken_branch_is_hatched', async () => {
  const server = await serve();
  await server.put('/workflows/order', branches);
  const id = await server.start('order', { input: { total: 40 } });
  await server.until(id, 'waiting');
  const run = await tab(server, `/runs/${id}`);
  await run.says('1 of 2 arrived, missing: Ask for payment');
  await run.page.locator('[data-node="review"].skipped').waitFor();
  assert.ok((await run.page.locator('path.edge.untaken').count()) >= 2);
  await run.page.getByRole('button', { name: 'Send signal' }).click();
  await run.page.getByRole('button', { name: 'Send', exact: true }).click();
  await run.page.locator('h1 + .status', { hasText: 'Completed' }).waitFor();
  await run.close();
});

test('t12_a_call_that_fails_tells_its_attempt_and_the_next', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/dunning', retries);
  const id = await server.start('dunning', { input: { amount: 12 } });
  await server.until(id, 'waiting');
  const run = await tab(server, `/runs/${id}`);
  await eventually(async () => assert.match(await run.text(), /next in \d+ s|next in 1 m/));
  const failedTimes = (times) => eventually(async () => assert.equal((await server.get(`/executions/${id}`)).waiting[0]?.what?.attempt, times));
  for (let times = 1; times < 3; times++) {
    await failedTimes(times);
    await server.put('/test/clock', { now: (await server.get(`/executions/${id}`)).waiting[0].until });
  }
  await failedTimes(3);
  await eventually(async () => assert.match(await run.text(), /attempt 3 of 5|attempt 4 of 5/));
  await run.page.locator('[data-node="charge"] .mark', { hasText: '↻ 3' }).waitFor();
  // It is tried again and again: somebody should look.
  await run.open('/runs');
  await run.page.getByRole('button', { name: 'Needs attention' }).click();
  const row = run.page.locator(`[role=row][data-id="${id}"]`);
  await row.waitFor();
  assert.match(await row.innerText(), /↻ 3/);
  await run.page.getByRole('button', { name: 'Retrying', exact: true }).click();
  await row.waitFor();
  await run.close();
});

test('t13_a_script_shows_the_line_where_it_stands', async () => {
  const server = await serve();
  await server.ask('PUT', '/workflows/fan', script, { headers: { 'Content-Type': 'text/x-flow' } });
  const id = await server.start('fan');
  await server.until(id, 'waiting');
  const run = await tab(server, `/runs/${id}`);
  const here = run.page.locator('li.here');
  await here.waitFor();
  assert.match(await here.innerText(), /Task\.all/);
  await run.says('3 still open');
  for (const name of ['job.one', 'job.two', 'job.three']) await run.says(name);
  // A worker does all three, one of them last; the mark goes on with the script.
  const { registration_id } = await server.post('/worker/register', { worker_id: 'w-1', topics: ['job.*'], max_parallel: 3 });
  const claimed = [];
  for (let seq = 1; claimed.length < 3 && seq < 20; seq++) claimed.push(...(await server.post('/worker/claim', { registration_id, seq, slots: 3, wait_ms: 1000 })).jobs);
  const done = (jobs) => server.post('/worker/results', { registration_id, results: jobs.map((job) => ({ job_id: job.job_id, attempt: job.attempt, fence: job.fence, status: 'succeeded', output: { ok: true } })) });
  await done(claimed.slice(0, 2));
  await run.says('1 still open');
  await done(claimed.slice(2));
  await run.page.locator('li.here', { hasText: 'Task.delay' }).waitFor();
  await run.close();
});

test('t14_time_travel_agrees_with_the_server_and_is_in_the_address', async () => {
  const server = await serve();
  await server.put('/workflows/campaign', split(3, 4));
  const id = await server.start('campaign', { input: { contacts: contacts(40) } });
  await server.until(id, 'waiting');
  const run = await tab(server, `/runs/${id}?at=12`);
  assert.ok((await server.get(`/executions/${id}`)).sequence >= 30);
  await run.says('As of event 12 of');
  const agrees = async (at) => {
    const { nodes } = await server.get(`/executions/${id}/nodes?at=${at}`);
    await eventually(async () => {
      for (const node of nodes) {
        const label = await run.page.locator(`[data-node="${node.node_id}"]`).getAttribute('aria-label');
        assert.equal(/not reached/.test(label), Object.keys(node.counts).length === 0, `${node.node_id} at ${at}: ${label}`);
      }
    });
  };
  await agrees(12);
  const state = await server.get(`/executions/${id}/state?at=12`);
  assert.ok((await server.get(`/executions/${id}`)).sequence >= 30);
  await run.page.locator('[data-at="12"]').waitFor();
  assert.equal(await run.page.locator('[data-at="12"] .node').count(), state.values.length);
  await run.page.locator('[data-at="12"]').getByRole('region', { name: 'Input' }).waitFor();
  await run.page.keyboard.press('ArrowRight');
  await run.says('As of event 13 of');
  await agrees(13);
  await run.page.getByRole('button', { name: 'Actions' }).click();
  assert.ok(await run.page.getByRole('menuitem', { name: 'Cancel' }).isDisabled());
  assert.ok(await run.page.getByRole('menuitem', { name: 'Fork…' }).isEnabled());
  await run.page.reload();
  await run.says('As of event 13 of');
  // It is played from there to its end, sixteen events a second.
  await run.page.getByLabel('Events a second').selectOption('16');
  await run.page.getByRole('button', { name: 'Play', exact: true }).click();
  await eventually(async () => assert.ok(Number(/As of event (\d+) of/.exec(await run.text())?.[1]) >= 30));
  await run.page.getByRole('button', { name: 'Live', exact: true }).click();
  await run.page.waitForFunction(() => !location.search.includes('at='));
  await run.close();
});

test('t15_a_fork_shows_what_repeats_and_links_both_ways', async () => {
  const server = await serve();
  await server.put('/workflows/checkout', fails);
  const id = await server.start('checkout', { input: { amount: 3 } });
  await server.until(id, 'failed');
  const run = await tab(server, `/runs/${id}?at=2`);
  await run.page.getByRole('button', { name: 'Fork from here' }).click();
  const dialog = run.page.locator('dialog');
  await dialog.getByText('Charge card').waitFor();
  await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
  await run.page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(id));
  await run.page.locator(`a[href="/runs/${id}"]`).waitFor();
  await run.close();
});

test('t15_a_fork_with_one_value_changed_completes', async () => {
  const server = await serve();
  await server.put('/workflows/limit', {
    nodes: [{ id: 'start', name: 'Start', type: 'manual', trigger: true }, { id: 'check', name: 'Check', type: 'code', parameters: { source: 'if ($input.amount > 2) { throw new Error("too much") }\nreturn { paid: $input.amount }' } }],
    edges: [{ id: '1', src: 'start', dst: 'check' }],
  });
  const id = await server.start('limit', { input: { amount: 3 } });
  await server.until(id, 'failed');
  const run = await tab(server, `/runs/${id}?at=2`, { allow: [/status of 422/] });
  await run.page.getByRole('button', { name: 'Fork from here' }).click();
  const dialog = run.page.locator('dialog');
  const go = dialog.getByRole('button', { name: 'Fork', exact: true });
  await dialog.getByLabel('Changes').fill('{"$nothing": 1}');
  await dialog.getByText('there is no reference').first().waitFor();
  assert.ok(await go.isDisabled());
  await dialog.getByLabel('Changes').fill('{"$input.amount": 1}');
  await eventually(async () => assert.ok(await go.isEnabled()));
  await go.click();
  await run.page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(id));
  await run.page.locator('h1 + .status', { hasText: 'Completed' }).waitFor();
  await run.close();
});

test('t16_a_retry_previews_what_happens_and_a_double_click_acts_once', async () => {
  const server = await serve();
  await server.put('/workflows/checkout', fails);
  const id = await server.start('checkout', { input: { amount: 1 } });
  await server.until(id, 'failed');
  const run = await tab(server, `/runs/${id}`);
  await run.page.getByRole('button', { name: 'Retry', exact: true }).click();
  const dialog = run.page.locator('dialog');
  await dialog.getByText('Charge card').waitFor();
  await dialog.getByText('Start', { exact: true }).waitFor();
  await dialog.getByRole('button', { name: 'Retry', exact: true }).dblclick();
  await run.page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(id));
  const { items } = await server.get('/executions?workflow_id=checkout');
  assert.equal(items.length, 2);
  const made = items.find((one) => one.id !== id);
  await server.until(made.id, 'failed');
  const { items: history } = await server.get(`/executions/${made.id}/history`);
  assert.ok(history.some((event) => event.type === 'NodeStarted' && event.node_id === 'charge'));
  assert.ok(!history.some((event) => event.type === 'NodeSucceeded' && event.node_id === 'start'));
  // And from a node that is chosen: what stands before it is not done again.
  await run.open(`/runs/${id}?node=charge`);
  await run.page.getByRole('button', { name: 'Rerun from here' }).click();
  await dialog.locator('.preview').getByText('Charge card').waitFor();
  await dialog.getByRole('button', { name: 'Rerun', exact: true }).click();
  await run.page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(id));
  const again = run.page.url().split('/').at(-1);
  await server.until(again, 'failed');
  const { items: third } = await server.get(`/executions/${again}/history`);
  assert.ok(third.some((event) => event.type === 'NodeStarted' && event.node_id === 'charge'));
  assert.ok(!third.some((event) => event.type === 'NodeStarted' && event.node_id === 'start'));
  await run.close();
});

test('t17_idle_time_is_folded_and_a_bar_selects_its_node', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/week', {
    nodes: [{ id: 'start', name: 'Start', type: 'manual', trigger: true }, { id: 'wait', name: 'A week', type: 'wait', parameters: { amount: 7, unit: 'days' } }, { id: 'end', name: 'End', type: 'log', parameters: { message: 'x' } }],
    edges: [{ id: '1', src: 'start', dst: 'wait' }, { id: '2', src: 'wait', dst: 'end' }],
  });
  const id = await server.start('week');
  await server.until(id, 'waiting');
  await server.advance(7 * 24 * hour);
  await server.until(id, 'completed');
  const run = await tab(server, `/runs/${id}?tab=timeline`);
  await run.page.locator('.break').getByText('7 d').waitFor();
  await run.page.locator('.bar.waiting').click();
  await run.page.waitForFunction(() => location.search.includes('node=wait'));
  await run.page.getByRole('link', { name: 'History' }).click();
  await run.says('only wait');
  await run.close();
});

test('t18_a_killed_server_comes_back_and_no_event_is_missed_or_doubled', async () => {
  const listen = `127.0.0.1:${await lastingPort()}`;
  const server = await serve({ listen });
  await server.put('/workflows/order', branches);
  const id = await server.start('order', { input: { total: 40 } });
  await server.until(id, 'waiting');
  const run = await tab(server, `/runs/${id}?tab=history`, { allow: [/ERR_/] });
  await run.says('Live', { exact: true });
  await server.stop('SIGKILL');
  await eventually(async () => assert.match(await run.text(), /Reconnecting|Offline/));
  const again = await serve({ data: server.data, listen });
  await again.post(`/executions/${id}/signals/paid`, {});
  await again.until(id, 'completed');
  await run.page.locator('h1 + .status', { hasText: 'Completed' }).waitFor();
  const { items } = await again.get(`/executions/${id}/history?limit=1000`);
  await eventually(async () => {
    const shown = await run.page.locator('.sequence').allInnerTexts();
    assert.deepEqual(shown.map(Number).sort((a, b) => a - b), items.map((event) => event.sequence));
  });
  await again.stop();
  await run.close();
});
