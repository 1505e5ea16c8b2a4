// How pages look on a wide screen; the keyboard; what a panel says that cannot be read.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { end, eventually, serve, tab } from './harness.mjs';
import { everyPageIsWhole, filled } from './looks.mjs';
import { fails } from './world.mjs';

let world;
before(async () => {
  world = await filled();
});
after(async () => {
  world.over();
  await end();
});

test('t38_every_page_is_whole_1280', () => everyPageIsWhole(world, 1280));

test('t39_a_failed_run_is_found_understood_and_retried_by_keyboard_alone', async () => {
  const own = await serve();
  await own.put('/workflows/checkout', fails);
  const id = await own.start('checkout', { input: { amount: 1 } });
  await own.until(id, 'failed');
  const page = await tab(own, '/');
  await page.says('need');
  const press = (key) => page.page.keyboard.press(key);
  await press('?');
  await page.says('Keyboard shortcuts');
  await press('Escape');
  await press('g');
  await press('r');
  await page.page.locator('[role=row][data-id]').first().waitFor();
  await press('j');
  await eventually(async () => assert.equal(await page.page.evaluate(() => document.activeElement?.dataset.id), id));
  await press('Enter');
  await page.says('network');
  for (let i = 0; i < 40; i++) {
    await press('Tab');
    if ((await page.page.evaluate(() => document.activeElement?.textContent)) === 'Retry') break;
  }
  await press('Enter');
  const dialog = page.page.locator('dialog');
  await dialog.getByText('Charge card').waitFor();
  for (let i = 0; i < 10; i++) {
    await press('Tab');
    if ((await page.page.evaluate(() => document.activeElement?.textContent)) === 'Retry') break;
  }
  await press('Enter');
  await page.page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.includes(id));
  await page.close();
});

test('a_page_that_cannot_be_read_says_so_in_its_panel', async () => {
  const page = await tab(world.server, '/runs', { allow: [/status of 503/] });
  await page.page.route('**/api/v1/workers', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify({ title: 'The store is full', detail: 'No more can be written.', code: 'store_unavailable', instance: 'urn:uuid:1' }) }));
  await page.page.goto(`${world.server.url}/workers`);
  await page.says('The store is full');
  await page.says('store_unavailable');
  await page.says('Queues');
  await page.shot('workers_error-light-1280');
  await page.close();
});
