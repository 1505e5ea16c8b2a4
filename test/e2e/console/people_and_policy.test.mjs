// Questions to people, contacts, policy.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { end, eventually, serve, tab } from './harness.mjs';
import { asks, policy, waits } from './world.mjs';

after(end);
const noon = '2026-03-16T12:00:00Z';

/** A run that asks, and its question. */
async function asked(server, input = { amount: 900, to: 'Ada' }) {
  await server.put('/workflows/refund', asks);
  const run = await server.start('refund', { input });
  const { items: [approval] } = await eventually(async () => {
    const page = await server.get(`/approvals?status=pending&execution_id=${run}`);
    assert.equal(page.items.length, 1);
    return page;
  });
  return { run, approval };
}

/** A job that policy has stopped, on its page of approvals. */
async function stopped(server, options) {
  await server.put('/policy/base', policy);
  const job = await server.post('/jobs', { topic: 'job.pay.refund', input: { amount: 90, to: 'Ada' } });
  const page = await tab(server, `/jobs/${job.id}`, options);
  const decide = page.page.getByRole('link', { name: 'Decide' });
  await (options?.touch ? decide.tap() : decide.click());
  await page.page.locator('.payload', { hasText: '"amount": 90,' }).waitFor();
  return { job, page };
}

// U-42
test('t27_an_old_view_approves_nothing_and_shows_what_changed', async () => {
  const server = await serve();
  const { job, page } = await stopped(server, { allow: [/status of 409/], width: 375, height: 812, touch: true });
  await page.page.getByRole('button', { name: 'Approve' }).tap();
  const yes = page.page.locator('dialog').getByRole('button', { name: 'Approve' });
  await yes.waitFor();
  // Somebody changes the request while the answer to it is being written.
  const amended = await server.post(`/jobs/${job.id}/amend`, { input: { amount: 900, to: 'Ada' } });
  assert.notEqual(amended.request_hash, job.request_hash);
  await yes.tap();
  await page.says('This is what changed since you looked');
  await page.page.locator('.stale .added', { hasText: '"amount": 900' }).waitFor();
  await page.page.locator('.stale .removed', { hasText: '"amount": 90,' }).waitFor();
  assert.equal((await server.get(`/jobs/${job.id}`)).state, 'APPROVAL_REQUIRED');
  await page.says(amended.request_hash);
  await page.page.getByRole('button', { name: 'Approve' }).tap();
  await yes.tap();
  await page.page.locator('article .status', { hasText: 'Approved' }).first().waitFor();
  // What is handed out is what was approved.
  const { registration_id } = await server.post('/worker/register', { worker_id: 'pays', topics: ['job.pay.refund'], max_parallel: 1 });
  const { jobs } = await server.post('/worker/claim', { registration_id, seq: 1, slots: 1, wait_ms: 10_000 });
  assert.deepEqual(jobs.map((one) => [one.job_id, one.input]), [[job.id, { amount: 900, to: 'Ada' }]]);
  const dispatched = await server.get(`/jobs/${job.id}`);
  assert.equal(dispatched.state, 'DISPATCHED');
  assert.equal(dispatched.request_hash, amended.request_hash);
  assert.ok((await page.overflow()) <= 0);
  await page.close();
});

// U-42
test('t27_a_job_that_policy_stopped_is_released_by_its_hash', async () => {
  const server = await serve();
  await server.put('/policy/base', policy);
  const { id, request_hash } = await server.post('/jobs', { topic: 'job.pay.refund', input: { amount: 900 } });
  const page = await tab(server, `/jobs/${id}`);
  await page.page.getByRole('link', { name: 'Decide' }).click();
  await page.says('money leaves the house');
  await page.says(request_hash);
  await page.page.locator('.payload', { hasText: '"amount": 900' }).waitFor();
  await page.page.getByRole('button', { name: 'Approve' }).click();
  await page.page.locator('dialog').getByRole('button', { name: 'Approve' }).click();
  await eventually(async () => assert.equal((await server.get(`/jobs/${id}`)).state, 'SCHEDULED'));
  await page.page.locator('article .status', { hasText: 'Approved' }).first().waitFor();
  const other = await server.post('/jobs', { topic: 'job.pay.rent', input: {} });
  await page.page.goto(`${server.url}/approvals`);
  await page.says('job.pay.rent');
  await page.page.getByRole('button', { name: 'Reject' }).click();
  const reject = page.page.locator('dialog').getByRole('button', { name: 'Reject' });
  assert.ok(await reject.isDisabled(), 'a no says why');
  await page.page.getByLabel('Why').fill('not this month');
  await reject.click();
  await eventually(async () => assert.equal((await server.get(`/jobs/${other.id}`)).state, 'DENIED'));
  await page.says('Nothing waits for you');
  await page.close();
});

// U-42
test('a_request_that_changes_while_it_is_read_says_so', async () => {
  const server = await serve();
  const { job, page } = await stopped(server);
  await server.post(`/jobs/${job.id}/amend`, { input: { amount: 900, to: 'Ada' } });
  await page.says('The request has changed.');
  await page.page.locator('.stale .added', { hasText: '"amount": 900' }).waitFor();
  await page.close();
});

// U-42
test('t28_what_one_person_rejects_the_other_sees_at_once', async () => {
  const server = await serve();
  const { run, approval } = await asked(server);
  const one = await tab(server, `/approvals/${approval.id}`);
  const other = await tab(server, `/approvals/${approval.id}`);
  for (const page of [one, other]) {
    await page.says('Live', { exact: true });
    await page.page.getByRole('button', { name: 'Approve' }).waitFor();
  }
  assert.equal(await one.page.locator('input[type=checkbox]').count(), 0, 'nobody approves many at once');
  await one.page.getByRole('button', { name: 'Reject' }).click();
  await one.page.getByLabel('Why').fill('it did come');
  await one.page.locator('dialog').getByRole('button', { name: 'Reject' }).click();
  await one.says('Rejected.');
  await other.page.locator('.ended', { hasText: 'it did come' }).waitFor();
  await other.page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
  await other.page.getByRole('link', { name: 'Refund 900' }).waitFor({ state: 'detached' });
  await server.until(run, 'completed');
  await other.page.goto(`${server.url}/approvals?tab=decided`);
  await other.page.getByRole('link', { name: 'Refund 900' }).click();
  await other.page.locator('.ended', { hasText: 'it did come' }).waitFor();
  await one.close();
  await other.close();
});

// U-8, U-42
test('t39_a_request_is_decided_by_keyboard_alone', async () => {
  const server = await serve();
  const { run } = await asked(server);
  const page = await tab(server, '/');
  await page.page.locator('main h1').waitFor();
  const press = (key) => page.page.keyboard.press(key);
  await press('g');
  await press('a');
  await page.page.getByRole('button', { name: 'Approve' }).waitFor();
  await press('a');
  await page.page.locator('dialog[open]').waitFor();
  for (let i = 0; i < 8; i++) {
    await press('Tab');
    if ((await page.page.evaluate(() => document.activeElement?.textContent)) === 'Approve') break;
  }
  await press('Enter');
  await server.until(run, 'completed');
  await page.page.locator('dialog[open]').waitFor({ state: 'detached' });
  await press('?');
  await page.says('approve, reject');
  await page.close();
});

// U-39
test('t25_a_contact_shows_what_comes_next_in_their_time_and_is_left_alone', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/reminder', waits);
  await server.put('/contacts/c-17', { timezone: 'America/New_York', email: 'ada@example.org', fields: { tier: 'gold' } });
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push(await server.start('reminder', { contact_id: 'c-17' }));
  const page = await tab(server, '/');
  await page.page.locator('main h1').waitFor();
  await page.page.keyboard.press('Control+k');
  await page.page.locator('dialog input').fill('c-17');
  await page.page.locator('dialog').getByText('Contact').first().waitFor();
  await page.page.keyboard.press('Enter');
  await page.page.waitForURL('**/contacts/c-17');
  await page.says('Mon 16 Mar 10:00 −04:00 their time (in 2 h)');
  await page.page.locator('.next strong', { hasText: 'Remind' }).waitFor();
  await page.says('ada@example.org');
  await page.page.getByRole('button', { name: 'Continue now' }).first().click();
  await page.page.locator('dialog').getByRole('button', { name: 'Continue now' }).click();
  await page.says('2 pending');
  const over = async () => (await Promise.all(ids.map((id) => server.get(`/executions/${id}`)))).filter((run) => run.status === 'completed').length;
  await eventually(async () => assert.equal(await over(), 1));
  await page.page.getByRole('button', { name: 'Opt out' }).click();
  await page.page.getByLabel('Why').fill('STOP');
  await page.page.locator('dialog').getByRole('button', { name: 'Opt out' }).click();
  await page.says('2 runs ended.');
  await page.says('this contact opted out');
  assert.equal((await server.get('/contacts/c-17')).opted_out, true);
  await page.page.getByRole('button', { name: 'Opt in again' }).click();
  await page.page.locator('dialog').getByRole('button', { name: 'Opt in again' }).click();
  await page.says('Nothing is planned for this contact');
  await page.page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: 'Contacts' }).click();
  await page.page.getByRole('cell', { name: 'ada@example.org' }).waitFor();
  await page.page.goto(`${server.url}/contacts/nobody`).catch(() => {});
  await page.says('There is no such contact');
  await page.context.close();
});

// U-44
test('t30_a_stricter_rule_is_rehearsed_published_and_names_itself', async () => {
  const server = await serve();
  await server.put('/policy/base', policy);
  for (let i = 0; i < 4; i++) await server.post('/jobs', { topic: 'job.mail.send', input: { number: i } });
  const { id } = await server.post('/jobs', { topic: 'job.pay.rent', input: {} });
  const page = await tab(server, '/policy');
  await page.says('ask-before-paying');
  await page.says('topics: job.pay.*');
  await page.page.getByRole('link', { name: 'Rehearse' }).click();
  const area = page.page.getByLabel('Rules', { exact: true });
  await page.says('Valid. JSON or YAML.');
  await area.fill('{"version": 1, "rules": [{"id": "x", "decision": "alow"}]}');
  await page.page.getByRole('list', { name: 'Mistakes' }).getByText('alow').first().waitFor();
  assert.ok(await page.page.getByRole('button', { name: 'Rehearse' }).isDisabled());
  const stricter = { ...policy, rules: [{ id: 'no-mail', match: { topics: ['job.mail.*'] }, decision: 'deny', reason: 'not today' }, ...policy.rules] };
  await area.fill(JSON.stringify(stricter, null, 2));
  await page.says('Valid. JSON or YAML.');
  const publish = page.page.getByRole('button', { name: 'Publish…' });
  assert.ok(await publish.isDisabled(), 'it is rehearsed first');
  await page.page.getByRole('button', { name: 'Rehearse' }).click();
  const told = await server.post('/policy/rehearse', { candidate: stricter });
  assert.equal(told.stricter, 4);
  await page.says(`${told.stricter} stricter`);
  const flip = page.page.locator('.told summary', { hasText: 'Deny' });
  assert.equal(Number(await flip.locator('b').textContent()), told.changes.length);
  await flip.click();
  await page.page.locator('.told').getByText('job.mail.send').first().waitFor();
  await publish.click();
  const go = page.page.getByRole('button', { name: 'Publish rules' });
  assert.ok(await go.isDisabled(), 'it is told why');
  await page.page.getByLabel('Why').fill('the mail server moves');
  await page.page.locator('dialog').getByText('Copy as').click();
  await page.page.locator('dialog pre', { hasText: 'curl -X PUT' }).filter({ hasText: 'the mail server moves' }).waitFor();
  await go.click();
  await page.says('The new rules are in force.');
  await page.page.goto(`${server.url}/policy?tab=explain&job=${id}`);
  await page.page.locator('.decision', { hasText: 'ask-before-paying' }).waitFor();
  await page.page.getByLabel('Or a request').fill('{"topic": "job.mail.send"}');
  await page.page.getByRole('button', { name: 'Explain' }).click();
  await page.page.locator('.decision', { hasText: 'no-mail' }).waitFor();
  await page.page.goto(`${server.url}/policy?tab=history`);
  await page.says('the mail server moves');
  await page.page.getByRole('button', { name: 'Compare' }).click();
  await page.page.locator('.diff .added', { hasText: 'no-mail' }).waitFor();
  await page.page.getByRole('button', { name: 'Roll back' }).click();
  await page.page.getByLabel('Why').fill('it is back');
  await page.page.locator('dialog').getByRole('button', { name: 'Roll back' }).click();
  await page.says('The earlier rule set is in force again.');
  const { effective } = await server.get('/policy');
  assert.deepEqual(effective.base.rules.map((rule) => rule.id), policy.rules.map((rule) => rule.id));
  await page.close();
});
