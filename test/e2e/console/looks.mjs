// Every page in both themes at one width: nothing overflows, nothing is unreadable; the pictures are kept
// in build/artifacts/console.

import assert from 'node:assert/strict';
import { deep, serve, tab } from './harness.mjs';
import { deadLetters, fill } from './world.mjs';

/** A server with something on every page, and a worker that beats until `over`. */
export async function filled() {
  const server = await serve({ shared: true });
  const ids = await fill(server);
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
  const beats = setInterval(beat, 5000);
  return { server, ids, over: () => clearInterval(beats) };
}

const pages = (ids) => ({
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

/** Each page is opened once, and follows the system's theme while it stands there. */
export async function everyPageIsWhole({ server, ids }, width) {
  const page = await tab(server, '/', { width, height: width < 500 ? 812 : 800, touch: width < 500 });
  const faults = [];
  for (const [name, [path, text]] of Object.entries(pages(ids))) {
    await page.open(path);
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
}
