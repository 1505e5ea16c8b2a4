// Keys, the palette, values, announcements, settings of the account, large graphs.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deep, end, eventually, serve, tab } from './harness.mjs';
import { branches, waits } from './world.mjs';

after(end);
const noon = '2026-03-16T12:00:00Z';

// U-7, U-8
test('actions_on_the_open_thing_are_in_the_palette_and_behind_the_dot', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder');
  const page = await tab(server, `/runs/${id}`);
  await page.page.locator('h1 + .status').waitFor();
  await page.page.keyboard.press('.');
  await page.says('What can be done here');
  const retry = page.page.getByRole('option', { name: /Retry/ });
  assert.equal(await retry.getAttribute('aria-disabled'), 'true');
  await page.says('Only a failed run can be retried.');
  await page.page.keyboard.press('Escape');
  await page.page.keyboard.press('Control+k');
  await page.page.getByRole('combobox', { name: 'Search' }).fill('pause');
  await page.page.getByRole('option', { name: 'Pause', exact: false }).first().waitFor();
  await page.page.keyboard.press('Enter');
  await page.page.locator('dialog').getByRole('button', { name: 'Pause', exact: true }).click();
  await server.until(id, 'paused');
  // Who does not see the page is told.
  await page.page.locator('[data-announcer]', { hasText: 'The run is now paused.' }).waitFor({ state: 'attached' });
  // The page that follows has nothing to offer of it.
  await page.page.goto(`${server.url}/workers`);
  await page.settled();
  await page.page.keyboard.press('.');
  await page.says('There is nothing to do here.');
  await page.close();
});

// U-8
test('a_row_is_looked_at_beside_the_list', async () => {
  const server = await serve();
  await server.put('/workflows/order', branches);
  for (const total of [40, 41]) await server.start('order', { input: { total } });
  const page = await tab(server, '/runs');
  await page.page.locator('[data-index="0"]').focus();
  await page.page.keyboard.press(' ');
  const peek = page.page.getByRole('complementary', { name: 'A look at the row' });
  await peek.getByText('waits for the signal paid').waitFor();
  await peek.getByText('41', { exact: true }).waitFor();
  await page.page.keyboard.press('j');
  await peek.getByText('40', { exact: true }).waitFor();
  await page.page.keyboard.press('Escape');
  await peek.waitFor({ state: 'detached' });
  assert.equal(await page.page.evaluate(() => document.activeElement?.dataset.index), '1');
  await page.close();
});

// U-14, U-30
test('values_are_searched_and_a_moment_is_compared_with_now', async () => {
  const server = await serve();
  await server.put('/workflows/order', branches);
  const id = await server.start('order', { input: { total: 40, lines: [{ name: 'Tea' }, { name: 'Cup' }] } });
  await server.until(id, 'waiting');
  const page = await tab(server, `/runs/${id}?tab=data`);
  const input = page.page.getByRole('region', { name: 'Input' }).first();
  await input.getByRole('button', { name: 'Find' }).click();
  await input.getByLabel('Find in Input').fill('cup');
  await input.getByRole('button', { name: 'lines[1].name' }).waitFor();
  assert.equal(await input.locator('.found li').count(), 1);
  await page.page.goto(`${server.url}/runs/${id}?at=1`);
  await page.says('Values after event 1');
  await server.post(`/executions/${id}/signals/paid`, {});
  await server.until(id, 'completed');
  await page.page.getByRole('button', { name: 'Compare with now' }).click();
  await page.page.locator('.diff .added', { hasText: '"completed"' }).waitFor();
  await page.close();
});

// U-14: what is over 64 KiB comes when it is asked for.
test('a_large_value_is_loaded_when_asked_for', async () => {
  const server = await serve();
  await server.put('/workflows/order', branches);
  const id = await server.start('order', { input: { total: 40, text: 'x'.repeat(70_000) } });
  await server.until(id, 'waiting');
  const page = await tab(server, `/runs/${id}?tab=history`);
  await page.page.getByText('Run started').first().click();
  const asked = page.page.waitForRequest('**/values/1/input');
  await page.page.getByRole('button', { name: /^Load \d/ }).first().click();
  await asked;
  await page.says('all 70000 characters');
  await page.page.goto(`${server.url}/runs/${id}?tab=data`);
  await page.page.getByRole('button', { name: /^Show it: more than 64/ }).click();
  await page.says('all 70000 characters');
  await page.close();
});

// U-49, U-9
test('settings_of_the_account_are_changed_and_times_follow', async () => {
  const server = await serve({ clock: noon });
  const page = await tab(server, '/settings/account', { allow: [/status of 422/] });
  await page.page.getByLabel('Zone, where').selectOption('Asia/Tokyo');
  await page.page.getByRole('checkbox', { name: 'sat' }).check();
  await page.page.getByLabel('Holidays').fill('12-25\n2026-12-28 substitute day');
  await page.page.getByRole('button', { name: 'Save' }).click();
  await page.says('Saved.');
  const settings = await server.get('/settings');
  assert.equal(settings.timezone, 'Asia/Tokyo');
  assert.ok(settings.business_days.includes('saturday'));
  assert.equal(settings.holidays.length, 2);
  await page.page.getByLabel('Holidays').fill('32-99');
  await page.page.getByRole('button', { name: 'Save' }).click();
  await page.page.getByRole('alert').first().waitFor();
  assert.equal((await server.get('/settings')).holidays.length, 2);
  await page.page.getByRole('link', { name: 'Limits' }).click();
  await page.page.getByLabel('Waits of one run').fill('50');
  await page.page.getByRole('button', { name: 'Save' }).click();
  await eventually(async () => assert.equal((await server.get('/settings')).limits.waits_per_execution, 50));
  await page.page.goto(`${server.url}/audit?action=settings.changed`);
  await page.settled();
  await page.page.keyboard.press('z');
  await page.page.keyboard.press('z');
  await page.says('2026-03-16 21:00:00 +09:00');
  await page.close();
});

// U-49
test('the_server_says_where_each_setting_came_from', async () => {
  const server = await serve({ flags: ['--bulk-items-max', '5000'] });
  const { configuration, store } = await server.get('/system');
  const of = (name) => configuration.find((line) => line.name === name);
  assert.deepEqual(of('bulk_items_max'), { name: 'bulk_items_max', value: '5000', source: '--bulk-items-max', secret: false });
  assert.equal(of('http_body_bytes_max').source, 'default');
  assert.ok(configuration.filter((line) => line.secret).every((line) => !line.value || line.value === '(hidden)'));
  assert.equal(store.kind, 'sqlite');
  assert.ok(store.bytes > 0 && store.disk_free_bytes > 0);
});

// U-48
test('each_thing_leads_to_what_was_done_with_it', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder');
  await server.post(`/executions/${id}/cancel`, { reason: 'no longer wanted' });
  const page = await tab(server, `/runs/${id}`);
  await page.page.getByRole('link', { name: 'Show audit' }).click();
  await page.page.waitForURL(`**/audit?subject=${id}`);
  await page.says('no longer wanted');
  await page.close();
});

// U-25, U-72
test('a_graph_of_three_hundred_nodes_has_a_map_and_is_drawn_soon', async () => {
  const server = await serve();
  const many = 300;
  const nodes = Array.from({ length: many }, (_, i) => (i ? { id: `n${i}`, name: `Step ${i}`, type: 'noop' } : { id: 'n0', name: 'Start', type: 'manual', trigger: true }));
  const edges = nodes.slice(1).map((_, i) => ({ id: `e${i}`, src: `n${i % 3 ? i - (i % 3) : i}`, dst: `n${i + 1}` }));
  await server.put('/workflows/large', { nodes, edges });
  const page = await tab(server, '/');
  await page.page.locator('main h1').waitFor();
  const began = Date.now();
  await page.page.goto(`${server.url}/workflows/large`);
  await page.page.locator(`[data-node="n${many - 1}"]`).waitFor({ state: 'attached' });
  const took = Date.now() - began;
  assert.ok(!deep || took < 1500, `drawn after ${took} ms`);
  const map = page.page.locator('.map');
  const view = () => map.locator('.view').getAttribute('x');
  await page.page.getByRole('button', { name: 'Zoom in' }).click();
  const before = await view();
  await map.click({ position: { x: 2, y: 2 } });
  assert.notEqual(await view(), before);
  await page.close();
});
