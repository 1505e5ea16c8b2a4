// Home, the list of runs, acting on many.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { deep, end, eventually, lastingPort, root, serve, tab } from './harness.mjs';
import { startMany } from './many.mjs';
import { fails, fill, waits } from './world.mjs';

after(end);
const noon = '2026-01-12T12:00:00Z';

test('t1_a_fresh_server_says_all_well_and_how_to_begin', async () => {
  const server = await serve();
  const home = await tab(server);
  await home.says('All well: nothing is overdue, nothing failed in the last hour');
  assert.equal(await home.page.locator('.first pre').count(), 3);
  const paint = await home.page.evaluate(() => performance.getEntriesByType('paint').map((entry) => entry.startTime));
  assert.ok(paint.length > 0 && (!deep || paint.every((at) => at < 1000)), `painted at ${paint}`);
  assert.ok(home.requests.length > 2 && home.requests.every((url) => url.startsWith(server.url)));
  await home.close();
});

test('t2_three_failures_of_one_cause_are_one_problem_that_leads_to_them', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/checkout', fails);
  await server.put('/workflows/reminder', waits);
  const late = await server.start('reminder');
  await server.until(late, 'waiting');
  // What falls due while nothing rings is late. The engine's own clock stands still meanwhile, and what begins is
  // stamped with it: half an hour ago, which is within the hour that Home looks back on.
  await server.advance(105 * 60_000);
  await server.post('/test/alarm', { enabled: false });
  await server.advance(30 * 60_000);
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push(await server.start('checkout', { input: { amount: 1 } }));
  for (const id of ids) await server.until(id, 'failed');
  const home = await tab(server);
  await home.says('1 wait is overdue');
  await home.says('2 things need attention');
  const problems = await home.page.locator('.problems li a').allInnerTexts();
  assert.match(problems[0], /^1 wait is overdue$/);
  assert.match(problems[1], /^3 runs of checkout failed with network/);
  await home.page.getByRole('link', { name: '1 wait is overdue' }).click();
  await home.says('reminder');
  await home.open('/runs?attention=true');
  const rows = () => home.page.locator('[role=row][data-id]').evaluateAll((found) => found.map((row) => row.dataset.id));
  await eventually(async () => assert.deepEqual((await rows()).toSorted(), [...ids, late].toSorted()));
  await home.open('/');
  await home.page.getByRole('link', { name: '3 runs of checkout failed' }).click();
  await eventually(async () => assert.deepEqual((await rows()).toSorted(), ids.toSorted()));
  // It rings again, and what was late goes on.
  await server.post('/test/alarm', { enabled: true });
  await server.until(late, 'completed');
  await home.open('/');
  await home.says('3 runs of checkout failed');
  assert.ok(!(await home.text()).includes('overdue\n'), 'nothing is late any more');
  await home.close();
});

test('the_demo_shows_a_newcomer_what_the_engine_does', async () => {
  const server = await serve();
  execFileSync('python3', [join(root, 'tools/demo_data'), server.url], { stdio: 'inherit' });
  await eventually(async () => assert.equal((await server.get('/executions?status=failed')).items.length, 3));
  const home = await tab(server);
  await home.says('3 runs of checkout failed with network in the last hour');
  await home.says('6 dead letters wait for somebody to look');
  // Two of executions, one of a job.
  assert.equal((await server.get('/approvals?status=pending')).items.length, 3);
  await home.page.getByRole('link', { name: 'Waits' }).first().click();
  await home.says('Going on next');
  const { items: [campaign] } = await server.get('/executions?workflow_id=campaign');
  await home.page.goto(`${server.url}/runs/${campaign.id}`);
  await eventually(async () => assert.match(await home.page.locator('[data-node="score"]').getAttribute('aria-label'), /1 failed, 175 done/));
  await eventually(async () => assert.match(await home.page.locator('[data-node="quiet"]').getAttribute('aria-label'), /24 waiting/));
  const week = await server.get('/waits?status=pending&wait_type=until_date&limit=1');
  assert.equal(week.total, 60);
  // The pictures of docs/guide/console.md, made anew when somebody asks for them.
  if (process.env.CONSOLE_GUIDE === '1') {
    mkdirSync(join(root, 'docs/guide/images'), { recursive: true });
    await home.page.setViewportSize({ width: 1040, height: 640 });
    for (const [name, path, text] of [['home', '/', 'need attention'], ['approvals', '/approvals', 'What exactly will run'], ['policy', '/policy', 'ask-before-paying'], ['contact', '/contacts/c-1', 'their time'], ['run', `/runs/${campaign.id}?node=score`, 'Rerun from here'], ['calendar', '/waits?tab=calendar', 'in this time']]) {
      await home.page.goto(server.url + path);
      await home.says(text);
      await home.settled();
      if (name === 'run') await home.page.locator('[data-node]').first().waitFor();
      await home.page.screenshot({ path: join(root, `docs/guide/images/console-${name}.png`) });
    }
  }
  // A second time it changes nothing.
  execFileSync('python3', [join(root, 'tools/demo_data'), server.url], { stdio: 'inherit' });
  assert.equal((await server.get('/executions?workflow_id=campaign')).items.length, 1);
  await home.close();
});

test('t3_every_page_of_an_empty_account_says_why_and_what_next', async () => {
  const server = await serve();
  const page = await tab(server);
  for (const [path, text] of [['/runs', 'No runs yet'], ['/workflows', 'No workflows yet'], ['/jobs', 'No jobs yet'], ['/workers', 'No worker is known'],
    ['/approvals', 'Nothing waits for you'], ['/approvals?tab=decided', 'Nothing has been decided yet'], ['/policy', 'every job is allowed'], ['/policy?tab=history', 'No policy has ever been in force'], ['/waits', 'Nothing is waiting'], ['/contacts', 'No contacts'], ['/waits?tab=overdue', 'Nothing is late'], ['/dlq', 'No dead letters'], ['/schedules', 'No schedules'],
    ['/audit', 'Nothing has been done yet'], ['/settings/keys', 'No keys exist'], ['/settings/credentials', 'No credentials'], ['/nothing', 'There is no such page']]) {
    await page.open(path);
    await page.says(text);
  }
  await page.close();
});

test('t4_a_long_list_has_few_rows_and_opens_the_right_run', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await startMany(server, 'reminder', 600);
  const runs = await tab(server, '/runs');
  await runs.says('600', { exact: true });
  const body = runs.page.locator('.grid .body');
  let most = 0;
  await eventually(async () => {
    await body.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    most = Math.max(most, await runs.page.locator('[role=row][data-id]').count());
    assert.equal(await runs.page.locator('[data-index="599"]').count(), 1);
  });
  assert.ok(most <= 100, `${most} rows at once`);
  await body.evaluate((element) => element.scrollTo(0, 0));
  const focused = (name) => runs.page.evaluate((field) => document.activeElement?.dataset[field], name);
  await runs.page.locator('[data-index="0"]').focus();
  await runs.page.keyboard.press('j');
  await runs.page.keyboard.press('j');
  await eventually(async () => assert.equal(await focused('index'), '2'));
  const wanted = await focused('id');
  assert.equal(wanted, (await server.get('/executions?limit=3')).items[2].id);
  await runs.page.keyboard.press('Enter');
  await runs.page.waitForURL(`**/runs/${wanted}`);
  await runs.close();
});

test('t5_filters_live_in_the_address', async () => {
  const server = await serve();
  const ids = await fill(server);
  const runs = await tab(server, '/runs');
  await runs.page.getByRole('button', { name: 'Failed today', exact: true }).click();
  const rows = () => runs.page.locator('[role=row][data-id]').evaluateAll((found) => found.map((row) => row.dataset.id));
  await eventually(async () => assert.equal((await rows()).length, 3));
  const failed = await rows();
  assert.ok(failed.includes(ids.failed));
  await runs.page.reload();
  await eventually(async () => assert.deepEqual(await rows(), failed));
  await runs.page.goBack();
  await eventually(async () => assert.ok((await rows()).length > 5));
  await runs.page.goForward();
  await eventually(async () => assert.deepEqual(await rows(), failed));
  const other = await tab(server, new URL(runs.page.url()).pathname + new URL(runs.page.url()).search);
  await eventually(async () => assert.equal(await other.page.locator('[role=row][data-id]').count(), 3));
  await other.close();
  await runs.close();
});

// T-5: the order is part of the address, and of a view.
test('t5_the_order_lives_in_the_address', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/reminder', waits);
  const ids = [];
  for (let i = 0; i < 4; i++) {
    ids.push(await server.start('reminder', { labels: { team: i % 2 ? 'blue' : 'green' } }));
    await server.advance(60_000);
  }
  const newest = ids.toReversed();
  const runs = await tab(server, '/runs', { allow: [/status of 422/] });
  const rows = (page) => page.locator('[role=row][data-id]').evaluateAll((found) => found.map((row) => row.dataset.id));
  const shows = (page, wanted) => eventually(async () => assert.deepEqual(await rows(page), wanted));
  await shows(runs.page, newest);
  const head = runs.page.getByRole('columnheader', { name: 'Started' });
  assert.equal(await head.getAttribute('aria-sort'), 'descending');
  await head.getByRole('button').click();
  await shows(runs.page, ids);
  assert.equal(await head.getAttribute('aria-sort'), 'ascending');
  assert.equal(new URL(runs.page.url()).searchParams.get('sort'), 'started_at');
  await runs.page.reload();
  await shows(runs.page, ids);
  await runs.page.goBack();
  await shows(runs.page, newest);
  await runs.page.goForward();
  await shows(runs.page, ids);
  // A link to it, with a filter: another browser shows the same rows.
  await runs.page.getByRole('button', { name: 'More filters' }).click();
  await runs.page.getByLabel('Label', { exact: true }).fill('team:blue');
  await runs.page.keyboard.press('Enter');
  await shows(runs.page, [ids[1], ids[3]]);
  const { pathname, search } = new URL(runs.page.url());
  const other = await tab(server, pathname + search);
  await shows(other.page, [ids[1], ids[3]]);
  // What starts now comes last; behind a button, unless the page was just being read again.
  await other.says('Live', { exact: true });
  const later = await server.start('reminder', { labels: { team: 'blue' } });
  await eventually(async () => {
    const fresh = other.page.getByRole('button', { name: '1 new' });
    if (await fresh.isVisible()) await fresh.click();
    assert.deepEqual(await rows(other.page), [ids[1], ids[3], later]);
  });
  await other.close();
  // An order that the server does not have is not made up.
  await runs.open('/runs?sort=duration');
  await runs.says('no order of executions');
  // On a phone there are no columns to click.
  await runs.page.setViewportSize({ width: 375, height: 812 });
  await runs.open('/runs');
  await shows(runs.page, [later, ...newest]);
  await runs.page.getByLabel('Order').selectOption('Oldest first');
  await shows(runs.page, [...ids, later]);
  assert.ok((await runs.overflow()) <= 0);
  await runs.shot('runs-oldest-first-375');
  await runs.close();
});

// U-20: what is stored of a run cannot be read; everybody else goes on.
test('runs_that_nobody_can_resume_come_first_and_are_listed', async () => {
  const first = await serve();
  await first.put('/workflows/reminder', waits);
  // Longer than a page of the store, so that what is torn is of this run alone.
  const mark = 'input-that-is-going-to-be-torn';
  const torn = await first.start('reminder', { input: { text: 'x'.repeat(20_000) + mark + 'x'.repeat(20_000) } });
  const whole = await first.start('reminder');
  for (const id of [torn, whole]) await first.until(id, 'waiting');
  await first.stop();
  let changed = 0;
  for (const name of readdirSync(first.data, { recursive: true })) {
    const path = join(first.data, name);
    if (!name.endsWith('.db')) continue;
    const bytes = readFileSync(path);
    for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1), changed++) bytes[at] ^= 1;
    writeFileSync(path, bytes);
  }
  assert.ok(changed > 0, 'the input stands in the store');
  const server = await serve({ data: first.data });
  const home = await tab(server, '/', { allow: [/status of 5\d\d/] });
  const problem = home.page.getByRole('link', { name: 'Nobody can resume 1 run' });
  await problem.waitFor();
  assert.equal(await home.page.locator('.problems a').first().textContent().then((text) => text.includes('Nobody can resume 1 run')), true, 'it is the worst');
  await home.shot('home-unreadable-1280');
  await problem.click();
  await home.page.locator(`[data-id="${torn}"]`).waitFor();
  assert.equal(await home.page.locator('[role=row][data-id]').count(), 1);
  await home.says('cannot be read, so nobody can resume it');
  await home.page.getByRole('button', { name: 'Needs attention' }).click();
  await home.page.locator(`[data-id="${torn}"]`).waitFor();
  assert.equal((await server.get(`/executions/${whole}`)).status, 'waiting');
  await home.close();
});

test('t6_nothing_moves_under_the_reader', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/reminder', waits);
  await startMany(server, 'reminder', 400);
  const runs = await tab(server, '/runs');
  await runs.says('Live', { exact: true });
  const body = runs.page.locator('.grid .body');
  await runs.page.locator('[role=row][data-id]').first().waitFor();
  // To row 300, beyond the first page of 200.
  await eventually(async () => {
    const height = await runs.page.locator('[role=row][data-id]').first().evaluate((row) => row.getBoundingClientRect().height);
    await body.evaluate((element, to) => element.scrollTo(0, to), 300 * height);
    assert.equal(await runs.page.locator('[data-index="305"]').count(), 1);
  });
  const top = await body.evaluate((element) => element.scrollTop);
  const seen = await runs.page.locator('[data-index="305"]').getAttribute('data-id');
  await startMany(server, 'reminder', 50);
  await runs.says('50 new');
  assert.equal(await body.evaluate((element) => element.scrollTop), top);
  await server.post(`/executions/${seen}/pause`);
  await runs.page.locator(`[data-id="${seen}"]`).getByText('Paused').waitFor();
  assert.equal(await runs.page.locator('[data-index="305"]').getAttribute('data-id'), seen);
  assert.equal(await body.evaluate((element) => element.scrollTop), top);
  await runs.page.getByRole('button', { name: '50 new' }).click();
  await runs.says('450', { exact: true });
  await runs.close();
});

test('t7_a_bulk_action_touches_what_was_shown_and_nothing_else', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const over = [await server.start('reminder'), await server.start('reminder')];
  for (const id of over) await server.post(`/executions/${id}/cancel`, { reason: 'too early' });
  const before = [];
  for (let i = 0; i < 40; i++) before.push(await server.start('reminder'));
  const runs = await tab(server, '/runs?workflow_id=reminder');
  await runs.page.locator('[data-index="0"]').focus();
  await runs.page.keyboard.press('x');
  await runs.page.getByRole('button', { name: 'All that match' }).click();
  await runs.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const dialog = runs.page.locator('dialog');
  await dialog.getByText('40 runs', { exact: true }).waitFor();
  await dialog.getByText(/Will be refused: 2 × /).waitFor();
  const later = [];
  for (let i = 0; i < 5; i++) later.push(await server.start('reminder'));
  const go = runs.page.getByRole('button', { name: 'Cancel 40 runs' });
  assert.ok(await go.isDisabled());
  await runs.page.getByLabel('Why').fill('the season is over');
  assert.ok(await go.isDisabled(), 'the count must be typed');
  await runs.page.getByLabel('Type 40 to go on').fill('40');
  await go.click();
  await runs.page.waitForURL('**/bulk/*');
  await runs.page.locator('.status', { hasText: 'Done' }).waitFor();
  for (const id of before) await server.until(id, 'cancelled');
  for (const id of later) assert.equal((await server.get(`/executions/${id}`)).status, 'waiting');
  const audit = await server.get('/audit?limit=200');
  assert.ok(audit.items.some((line) => line.reason === 'the season is over'));
  await runs.close();
});

test('t8_a_bulk_dialog_does_not_outlive_its_page', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await server.start('reminder');
  const runs = await tab(server, '/runs?workflow_id=reminder');
  await runs.page.locator('[data-index="0"]').focus();
  await runs.page.keyboard.press('x');
  await runs.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await runs.page.locator('dialog').getByText('1 run', { exact: true }).waitFor();
  await runs.page.reload();
  await runs.page.locator('[role=row][data-id]').first().waitFor();
  assert.equal(await runs.page.locator('dialog').count(), 0);
  await server.ask('POST', '/executions/bulk', { action: 'cancel', filter: {}, dry_run: true }, { status: 422 });
  await runs.close();
});

test('t19_home_never_says_all_well_while_nobody_can_know', async () => {
  const listen = `127.0.0.1:${await lastingPort()}`;
  const server = await serve({ listen });
  const home = await tab(server, '/', { allow: [/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_SOCKET/] });
  await home.says('All well');
  await home.says('Live', { exact: true });
  await server.stop('SIGKILL');
  await home.says('nobody knows how things are now');
  await home.says(/as of \d\d:\d\d:\d\d/);
  assert.ok(!(await home.text()).includes('All well'));
  const again = await serve({ data: server.data, listen });
  await home.says('All well');
  await again.stop();
  await home.context.close();
});
