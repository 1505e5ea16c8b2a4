// Every page in both themes and two widths: nothing overflows, nothing is unreadable; the pictures
// are kept in build/artifacts/console.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deep, end, eventually, serve, tab } from './harness.mjs';
import { deadLetters, fails, fill, waits } from './world.mjs';

let server;
let ids;
let beats;
before(async () => {
  server = await serve({ shared: true });
  ids = await fill(server);
  await deadLetters(server, [['job.mail.send', 'smtp_refused', 3], ['job.card.charge', 'card_declined', 2]]);
  ids.letter = (await server.get('/dlq?limit=1')).items[0].id;
  const answer = (await server.get('/approvals?status=pending')).items;
  ids.approval = answer[0].id;
  await server.post(`/approvals/${answer[1].id}/reject`, { hash: answer[1].hash, reason: 'it did come, the tracking says so' });
  ids.wait = (await server.get('/waits?status=pending&limit=1')).items[0].id;
  await server.put('/schedules/nightly', { workflow_id: 'reminder', cron: '30 2 * * *', timezone: 'Europe/Berlin' });
  await server.put('/schedules/reports', { workflow_id: 'reminder', cron: '0 9 * * MON-FRI', timezone: 'America/New_York', paused: true });
  await server.post('/schedules/nightly/trigger');
  const { registration_id } = await server.post('/worker/register', { worker_id: 'mailer-1', topics: ['job.letter'], pool: 'mail', max_parallel: 4, labels: { zone: 'a' } });
  const beat = () => server.post('/worker/heartbeat', { registration_id, last_seq: 0, leases: [] }).catch(() => {});
  beats = setInterval(beat, 5000);
});
after(async () => {
  clearInterval(beats);
  await end();
});

const pages = () => ({
  home: ['/', 'need'], runs: ['/runs', 'Export'], runs_by_error: ['/runs?group_by=error_code', 'network'], run_waiting: [`/runs/${ids.merge}`, 'Send signal'], run_failed: [`/runs/${ids.failed}`, 'network'],
  run_split: [`/runs/${ids.split}?node=score`, 'Rerun from here'], run_timeline: [`/runs/${ids.merge}?tab=timeline`, 'Pick goods'], run_history: [`/runs/${ids.split}?tab=history`, 'Newest first'],
  run_data: [`/runs/${ids.failed}?tab=data`, 'Input'], run_script: [`/runs/${ids.script}`, 'Started by the script'], run_past: [`/runs/${ids.merge}?at=4`, 'Values after event 4'],
  workflows: ['/workflows', 'campaign'], workflow: ['/workflows/order', 'Deactivate'], workflow_edit: ['/workflows/order?tab=edit', 'Valid'], workflow_versions: ['/workflows/campaign?tab=versions', 'Compare'],
  workflow_start: ['/workflows/order?tab=start', 'Input, JSON'], workflow_form: ['/workflows/booking?tab=start', 'Who the booking is for'], waits: ['/waits', 'Going on next'], waits_calendar: ['/waits?tab=calendar', 'in this time'], waits_year: ['/waits?tab=calendar&bucket=day', 'in this time'],
  waits_overdue: ['/waits?tab=overdue', 'Nothing is late'], waits_list: ['/waits?tab=list', 'Export'], waits_listeners: ['/waits?tab=listeners', 'paid'], wait: [`/waits/${ids.wait}`, 'How it was computed'],
  jobs: ['/jobs', 'Scheduled'], jobs_list: ['/jobs?view=list', 'job.mail.send'], job: [`/jobs/${ids.job}`, 'Placement'], job_denied: [`/jobs/${ids.denied}`, 'no job deletes everything'],
  approvals: ['/approvals', 'job.pay.rent'], approval: [`/approvals/${ids.approval}`, 'What exactly will run'], approval_job: [`/approvals/${ids.stopped}?kind=job`, 'money leaves the house'], approvals_decided: ['/approvals?tab=decided', 'Rejected'],
  contacts: ['/contacts', 'ada@example.org'], contact: ['/contacts/c-1', 'ada@example.org'], policy: ['/policy', 'ask-before-paying'], policy_explain: [`/policy?tab=explain&job=${ids.stopped}`, 'money leaves the house'], policy_rehearse: ['/policy?tab=rehearse', 'Valid. JSON'], policy_history: ['/policy?tab=history', 'in force'],
  dlq: ['/dlq', 'By cause'], dead_letter: [`/dlq/${ids.letter}`, 'What happened'],
  workers: ['/workers', 'mailer-1'], schedules: ['/schedules', 'nightly'], schedule: ['/schedules/nightly', 'Next starts'], audit: ['/audit', 'execution.start'], settings: ['/settings', 'Theme'], keys: ['/settings/keys', 'Create a key'],
  account: ['/settings/account', 'Business days'], limits: ['/settings/limits', 'Waits of one run'], credentials: ['/settings/credentials', 'stripe'], system: ['/settings/system', 'Up for'], not_found: ['/nothing', 'There is no such page'],
});

/** axe takes its time: both themes and both widths are seen, and all four pairs with CONSOLE_DEEP=1. */
const withAxe = (theme, width) => deep || (theme === 'light') === (width > 500);

/** What is wrong with a page that stands there. */
async function faultsOf(page, name, theme, width) {
  const out = [];
  if ((await page.overflow()) > 0) out.push(`${name} overflows at ${width}`);
  if (!withAxe(theme, width)) return out;
  for (const found of await page.axe()) out.push(`${name} at ${width}: ${found.id} ${found.nodes.join(' | ')}`);
  return out;
}

/** Each page is opened once in each width, and follows the system's theme while it stands there. */
for (const width of [1280, 375])
  test(`t38_every_page_is_whole_${width}`, async () => {
    const page = await tab(server, '/', { width, height: width < 500 ? 812 : 800, touch: width < 500 });
    const faults = [];
    for (const [name, [path, text]] of Object.entries(pages())) {
      await page.page.goto(server.url + path);
      await page.page.getByText(text).first().waitFor({ state: 'attached' });
      if (path.includes('/runs/') && !path.includes('tab=') && name !== 'run_script') await page.page.locator('[data-node]').first().waitFor();
      await page.settled();
      for (const theme of ['light', 'dark']) {
        await page.page.emulateMedia({ colorScheme: theme });
        await page.page.locator(`html[data-theme="${theme}"]`).waitFor();
        await page.painted();
        await page.shot(`${name}-${theme}-${width}`);
        faults.push(...(await faultsOf(page, name, theme, width)));
      }
      await page.page.emulateMedia({ colorScheme: 'light' });
    }
    assert.deepEqual(faults, []);
    await page.close();
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
