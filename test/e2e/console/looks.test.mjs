// Every page in both themes and two widths: nothing overflows, nothing is unreadable; the pictures
// are kept in build/artifacts/console.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { end, eventually, serve, tab } from './harness.mjs';
import { fails, fill } from './world.mjs';

after(end);
let server;
let ids;
before(async () => {
  server = await serve();
  ids = await fill(server);
  await server.post('/worker/register', { worker_id: 'mailer-1', topics: ['job.letter'], pool: 'mail', max_parallel: 4, labels: { zone: 'a' } });
});

const pages = () => ({
  home: ['/', 'need'], runs: ['/runs', 'Export'], run_waiting: [`/runs/${ids.merge}`, 'Send signal'], run_failed: [`/runs/${ids.failed}`, 'network'],
  run_split: [`/runs/${ids.split}?node=score`, 'Rerun from here'], run_timeline: [`/runs/${ids.merge}?tab=timeline`, 'Pick goods'], run_history: [`/runs/${ids.split}?tab=history`, 'Newest first'],
  run_data: [`/runs/${ids.failed}?tab=data`, 'Input'], run_script: [`/runs/${ids.script}`, 'Started by the script'], run_past: [`/runs/${ids.merge}?at=4`, 'As of event 4'],
  workflows: ['/workflows', 'campaign'], workflow: ['/workflows/order', 'Deactivate'], workflow_edit: ['/workflows/order?tab=edit', 'Valid'], workflow_versions: ['/workflows/campaign?tab=versions', 'Compare'],
  workflow_start: ['/workflows/order?tab=start', 'Input, JSON'], jobs: ['/jobs', 'Scheduled'], jobs_list: ['/jobs?view=list', 'job.mail.send'], job: [`/jobs/${ids.job}`, 'Placement'],
  workers: ['/workers', 'mailer-1'], audit: ['/audit', 'execution.start'], settings: ['/settings', 'Theme'], keys: ['/settings/keys', 'Create a key'], credentials: ['/settings/credentials', 'stripe'], system: ['/settings/system', 'Up for'], not_found: ['/nothing', 'There is no such page'],
});

for (const [theme, width] of [['light', 1280], ['dark', 1280], ['light', 375], ['dark', 375]])
  test(`t38_every_page_is_whole_${theme}_${width}`, async () => {
    for (const [name, [path, text]] of Object.entries(pages())) {
      const page = await tab(server, path, { theme, width, height: width < 500 ? 812 : 800, touch: width < 500 });
      await page.page.getByText(text).first().waitFor({ state: 'attached' });
      if (path.includes('/runs/') && !path.includes('tab=') && name !== 'run_script') await page.page.locator('[data-node]').first().waitFor();
      assert.ok((await page.overflow()) <= 0, `${name} overflows at ${width}`);
      await page.shot(`${name}-${theme}-${width}`);
      assert.deepEqual(await page.axe(), [], `${name} ${theme} ${width}`);
      await page.close();
    }
  });

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
  const page = await tab(server, '/runs', { allow: [/status of 503/] });
  await page.page.route('**/api/v1/workers', (route) => route.fulfill({ status: 503, contentType: 'application/problem+json', body: JSON.stringify({ title: 'The store is full', detail: 'No more can be written.', code: 'store_unavailable', instance: 'urn:uuid:1' }) }));
  await page.page.goto(`${server.url}/workers`);
  await page.says('The store is full');
  await page.says('store_unavailable');
  await page.says('Queues');
  await page.shot('workers_error-light-1280');
  await page.close();
});
