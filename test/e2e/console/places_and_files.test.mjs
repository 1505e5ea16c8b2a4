// Where runs stand, what is counted by day, what becomes a file, and what the stream tells.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { end, eventually, serve, tab } from './harness.mjs';
import { branches, fails, policy, waits } from './world.mjs';

after(end);
const noon = '2026-01-12T12:00:00Z';

const rowsOf = (page) => page.page.locator('[role=row][data-id]').evaluateAll((found) => found.map((row) => row.dataset.id));

// U-22
test('runs_are_found_by_version_node_kind_of_wait_and_error', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/reminder', waits);
  const first = await server.start('reminder');
  await server.put('/workflows/reminder', { ...waits, nodes: waits.nodes.map((node) => (node.id === 'wait' ? { ...node, parameters: { amount: 3, unit: 'hours' } } : node)) });
  const second = await server.start('reminder');
  await server.put('/workflows/order', branches);
  const order = await server.start('order', { input: { total: 10 } });
  await server.put('/workflows/checkout', fails);
  const failed = await server.start('checkout', { input: { amount: 1 } });
  await server.until(failed, 'failed');
  const runs = await tab(server, '/runs');
  await eventually(async () => assert.equal((await rowsOf(runs)).length, 4));
  // Each row says where it stands.
  assert.match(await runs.page.locator(`[data-id="${first}"]`).innerText(), /wait in 2 h/);
  assert.match(await runs.page.locator(`[data-id="${failed}"]`).innerText(), /network at charge/);
  await runs.page.getByRole('button', { name: 'More filters' }).click();
  const by = async (label, value, wanted) => {
    await runs.page.getByLabel(label, { exact: true }).fill(value);
    await runs.page.keyboard.press('Enter');
    await eventually(async () => assert.deepEqual((await rowsOf(runs)).toSorted(), wanted.toSorted(), `${label} ${value}`));
    await runs.page.getByRole('button', { name: 'Clear filters' }).first().click();
    await eventually(async () => assert.equal((await rowsOf(runs)).length, 4));
  };
  await by('Version', '2', [second]);
  await by('Node', 'wait', [first, second]);
  await by('Node', 'charge', [order, failed]);
  await by('Error code', 'network', [failed]);
  await runs.page.getByLabel('Waits for', { exact: true }).selectOption('signal');
  await eventually(async () => assert.deepEqual(await rowsOf(runs), [order]));
  assert.match(runs.page.url(), /wait_kind=signal/);
  await runs.page.reload();
  await eventually(async () => assert.deepEqual(await rowsOf(runs), [order]));
  // All that match is what the filter says, on the server too.
  await runs.open('/runs?node=wait&version=1');
  await eventually(async () => assert.deepEqual(await rowsOf(runs), [first]));
  const dry = await server.post('/executions/bulk', { action: 'cancel', filter: { node: 'wait', version: '1' }, dry_run: true });
  assert.deepEqual([dry.count, dry.sample], [1, [first]]);
  await runs.close();
});

// U-13
test('what_is_filtered_becomes_a_file_of_csv_or_ndjson', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push(await server.start('reminder', { labels: { team: '=1+1' } }));
  const runs = await tab(server, '/runs?workflow_id=reminder');
  await eventually(async () => assert.equal((await rowsOf(runs)).length, 3));
  const file = async (form) => {
    const [download] = await Promise.all([runs.page.waitForEvent('download'), runs.page.getByLabel('Export', { exact: true }).selectOption(form)]);
    assert.equal(download.suggestedFilename(), `runs.${form}`);
    const folder = mkdtempSync(join(tmpdir(), 'fermata-file-'));
    await download.saveAs(join(folder, form));
    const text = readFileSync(join(folder, form), 'utf8');
    rmSync(folder, { recursive: true });
    return text;
  };
  const lines = (await file('ndjson')).trimEnd().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(lines.map((line) => line.id).toSorted(), ids.toSorted());
  assert.equal(lines[0].labels.team, '=1+1');
  const csv = await file('csv');
  assert.equal(csv.trimEnd().split('\r\n').length, 4);
  assert.ok(csv.startsWith('id,workflow_id,version,status'));
  await runs.close();
});

// U-32
test('the_graph_of_a_workflow_shows_where_runs_stand_and_fail_and_leads_to_them', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/checkout', fails);
  await server.put('/workflows/reminder', waits);
  for (let i = 0; i < 2; i++) await server.until(await server.start('checkout', { input: { amount: 1 } }), 'failed');
  const live = [await server.start('reminder'), await server.start('reminder')];
  const page = await tab(server, '/workflows/reminder');
  await page.page.locator('[data-node="wait"] .mark', { hasText: '2 runs' }).waitFor();
  await page.page.locator('[data-node="wait"]').click();
  await page.page.waitForURL('**/runs?*node=wait*');
  await eventually(async () => assert.deepEqual((await rowsOf(page)).toSorted(), live.toSorted()));
  await page.open('/workflows/checkout?overlay=failed');
  await page.page.locator('[data-node="charge"] .mark', { hasText: '2 failed' }).waitFor();
  await page.page.locator('[data-node="charge"]').click();
  await eventually(async () => assert.equal((await rowsOf(page)).length, 2));
  await page.close();
});

// U-44
test('rules_tell_how_often_they_decided_by_day', async () => {
  const server = await serve({ clock: noon });
  await server.put('/policy/base', policy);
  const rule = policy.rules[0];
  for (let i = 0; i < 3; i++) await server.post('/jobs', { topic: 'job.pay.refund', input: {} });
  await server.advance(25 * 3_600_000);
  await server.post('/jobs', { topic: 'job.pay.refund', input: {} });
  const { items } = await server.get('/policy/rules');
  const hit = items.find((item) => item.hits > 0);
  assert.ok(hit, JSON.stringify([rule, items]));
  const page = await tab(server, '/policy');
  await page.says(hit.rule_id);
  const row = page.page.locator('tr', { hasText: hit.rule_id });
  const cells = await row.locator('td').allInnerTexts();
  assert.deepEqual([cells[3], cells[4]], [String(hit.lately.day), String(hit.lately.month)]);
  assert.deepEqual([hit.lately.day, hit.lately.month], [1, 4]);
  await row.getByRole('img', { name: 'Decided in 30 days: 4 decisions' }).waitFor();
  await page.close();
});

// U-47, U-55: nothing is asked again and again while the stream tells it.
test('a_simulation_and_a_bulk_operation_are_followed_by_the_stream', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const page = await tab(server, '/simulate');
  await page.says('Live', { exact: true });
  const { id } = await server.post('/simulations', { workflow_id: 'reminder', seeds: 300 });
  await page.open(`/simulate/${id}`);
  await page.says('300 of 300 seeds');
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push(await server.start('reminder'));
  const { bulk_id } = await server.post('/executions/bulk', { action: 'cancel', ids, reason: 'enough', per_second: 2 });
  await page.open(`/bulk/${bulk_id}`);
  await page.says('5 of 5');
  await page.close();
});
