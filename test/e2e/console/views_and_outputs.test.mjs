// Views that people save, results that policy keeps back, who could take a job, breakers, what the server measures.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { end, eventually, serve, tab } from './harness.mjs';
import { keyed, signIn } from './keyed.mjs';
import { asks, fails, waits } from './world.mjs';

after(end);

/** A worker that takes a job of a topic and says what became of it. */
async function done(server, topic, output) {
  const { registration_id } = await server.post('/worker/register', { worker_id: 'w-1', topics: [topic], max_parallel: 1 });
  const [job] = await eventually(async () => {
    const { jobs } = await server.post('/worker/claim', { registration_id, seq: 1, slots: 1, wait_ms: 1000 });
    assert.equal(jobs.length, 1);
    return jobs;
  });
  await server.post('/worker/results', { registration_id, results: [{ job_id: job.job_id, attempt: job.attempt, fence: job.fence, status: 'succeeded', output }] });
}

// U-13, U-22
test('t5_a_shared_view_is_seen_by_another_key_and_a_private_one_is_not', async () => {
  const { server, keys } = await keyed();
  await server.put('/workflows/reminder', waits);
  const id = await server.start('reminder', { labels: { team: 'blue' } });
  await server.until(id, 'waiting');
  const mine = await signIn(server, keys.operator, '/runs?status=waiting&label=team:blue&columns=status,workflow,labels');
  await mine.page.locator(`[data-id="${id}"]`).waitFor();
  const save = async (name, shared) => {
    await mine.page.getByRole('button', { name: 'Save view' }).click();
    const dialog = mine.page.locator('dialog');
    await dialog.getByLabel('Name').fill(name);
    if (shared) await dialog.getByLabel(/^Shared/).check();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await mine.page.getByRole('link', { name }).waitFor();
  };
  await save('Blue team', true);
  // What is saved already is not offered again.
  await mine.page.getByRole('button', { name: 'Save view' }).waitFor({ state: 'detached' });
  await mine.open('/runs?status=failed');
  await save('Mine alone', false);
  const other = await signIn(server, keys.viewer, '/runs');
  await other.page.getByRole('link', { name: 'Blue team' }).click();
  await other.page.locator(`[data-id="${id}"]`).waitFor();
  assert.match(other.page.url(), /label=team(:|%3A)blue/);
  assert.deepEqual((await other.page.getByRole('columnheader').allInnerTexts()).filter(Boolean), ['Status', 'Workflow', 'Labels']);
  assert.equal(await other.page.getByRole('link', { name: 'Mine alone' }).count(), 0);
  // Whoever may not change it sees no way to.
  assert.equal(await other.page.getByRole('button', { name: 'Edit view' }).count(), 0);
  await mine.page.getByRole('link', { name: 'Blue team' }).click();
  await mine.page.getByRole('button', { name: 'Edit view' }).click();
  await mine.page.locator('dialog').getByRole('button', { name: 'Remove' }).click();
  await mine.page.getByRole('link', { name: 'Blue team' }).waitFor({ state: 'detached' });
  await mine.close();
  await other.close();
});

// U-41
test('an_output_that_policy_keeps_back_is_revealed_to_an_operator_and_released', async () => {
  const { server, keys } = await keyed();
  await server.put('/policy/base', { version: 1, default_decision: 'allow', output_rules: [{ id: 'hush', match: { keywords: ['hush'] }, decision: 'quarantine', reason: 'it says a word' }] });
  const { id } = await server.post('/jobs', { topic: 'job.letter', input: {} });
  await done(server, 'job.letter', { text: 'Hush, now' });
  await eventually(async () => assert.equal((await server.get(`/jobs/${id}`)).state, 'OUTPUT_QUARANTINED'));
  const reader = await signIn(server, keys.viewer, `/jobs/${id}`);
  await reader.says('it says a word');
  await reader.says('Policy keeps it back');
  await reader.page.getByRole('region', { name: 'What was found' }).getByText('/text').waitFor();
  assert.equal(await reader.page.getByRole('button', { name: 'Reveal' }).count(), 0);
  const page = await signIn(server, keys.operator, `/jobs/${id}`);
  await page.says('it says a word');
  assert.ok(!(await page.text()).includes('Hush, now'));
  await page.page.getByRole('button', { name: 'Reveal' }).click();
  await page.page.locator('dialog').getByRole('button', { name: 'Reveal' }).click();
  await page.page.getByRole('region', { name: 'Revealed to you' }).getByText('Hush, now').waitFor();
  const read = (await server.get(`/audit?action=job.output_read&subject=${id}`)).items;
  assert.equal(read.length, 1);
  await page.page.getByRole('button', { name: 'Release' }).click();
  await page.page.getByLabel('Why').fill('a harmless letter');
  await page.page.locator('dialog').getByRole('button', { name: 'Release' }).click();
  await page.page.locator('h1 + .status', { hasText: 'Succeeded' }).waitFor();
  await page.page.getByRole('region', { name: 'Output', exact: true }).getByText('Hush, now').waitFor();
  await reader.close();
  await page.close();
});

// U-41
test('who_could_take_a_job_stands_beside_it_with_a_score', async () => {
  const server = await serve();
  for (let i = 0; i < 2; i++) await server.post('/jobs', { topic: 'job.letter', input: { number: i } });
  const { registration_id } = await server.post('/worker/register', { worker_id: 'printer-1', topics: ['job.letter'], max_parallel: 1 });
  const { jobs } = await server.post('/worker/claim', { registration_id, seq: 1, slots: 1, wait_ms: 5000 });
  assert.equal(jobs.length, 1);
  const { items } = await server.get('/jobs?state=SCHEDULED');
  const page = await tab(server, `/jobs/${items[0].id}`);
  const row = page.page.getByRole('region', { name: 'Who could take it' }).getByRole('row', { name: /printer-1/ });
  await row.waitFor();
  assert.match(await row.innerText(), /full/);
  const { candidates, cure } = await server.get(`/jobs/${items[0].id}/placement`);
  assert.match(await row.innerText(), new RegExp(`\\b${Math.round(candidates[0].score * 100) / 100}\\b`));
  await page.says(cure);
  await page.close();
});

// U-44, U-45
test('a_breaker_says_what_it_does_and_is_closed_by_hand', async () => {
  // Nobody listens there: what is asked fails at once.
  const server = await serve({ flags: ['--policy', 'kernel', '--policy-kernel', 'grpc://127.0.0.1:9'] });
  for (let i = 0; i < 3; i++) await server.post('/jobs', { topic: 'job.letter', input: { number: i } });
  await eventually(async () => assert.equal((await server.get('/breakers')).items[0]?.state, 'OPEN'));
  const page = await tab(server, '/');
  await page.says('Policy cannot be asked. Not answering: The service that judges jobs by policy');
  await page.page.getByRole('link', { name: /^Policy cannot be asked/ }).click();
  const breakers = page.page.getByRole('region', { name: 'Breakers' });
  await breakers.getByText('The service that judges jobs by policy').waitFor();
  await breakers.getByText(/^Nothing is asked for \d+ s/).waitFor();
  await page.open('/policy');
  await page.says('jobs wait; none runs without its word');
  await breakers.getByRole('button', { name: 'Close it now' }).click();
  await page.says('everything is asked again');
  await page.close();
});

// U-42
test('several_requests_are_rejected_at_once_and_none_is_approved_so', async () => {
  const server = await serve();
  await server.put('/workflows/refund', asks);
  const runs = [];
  for (const amount of [1, 2, 3]) runs.push(await server.start('refund', { input: { amount } }));
  await eventually(async () => assert.equal((await server.get('/approvals?status=pending')).items.length, 3));
  const page = await tab(server, '/approvals');
  await page.page.getByRole('button', { name: 'Reject several' }).click();
  for (const amount of [1, 3]) await page.page.getByLabel(`Reject Refund ${amount}`).check();
  await page.page.getByRole('button', { name: 'Reject 2', exact: true }).click();
  const dialog = page.page.locator('dialog');
  const go = dialog.getByRole('button', { name: 'Reject 2 requests' });
  await dialog.getByText('2 requests', { exact: true }).waitFor();
  assert.ok(await go.isDisabled(), 'a no says why');
  await dialog.getByLabel('Why').fill('not this month');
  await go.click();
  await page.page.waitForURL('**/bulk/*');
  await page.page.locator('.status', { hasText: 'Done' }).waitFor();
  for (const at of [0, 2]) await server.until(runs[at], 'completed');
  assert.equal((await server.get(`/executions/${runs[1]}`)).status, 'waiting');
  assert.equal((await server.get('/approvals?status=rejected')).items.length, 2);
  await page.close();
});

// U-21, U-32, U-36: numbers that the server keeps.
test('home_workflows_and_waits_show_what_the_server_has_measured', async () => {
  const server = await serve({ clock: '2026-03-16T12:00:00Z' });
  await server.put('/workflows/reminder', waits);
  await server.put('/workflows/checkout', fails);
  const failed = await server.start('checkout', { input: { amount: 1 } });
  await server.until(failed, 'failed');
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push(await server.start('reminder'));
  await server.advance(2 * 3_600_000);
  for (const id of ids) await server.until(id, 'completed');
  await server.until(await server.start('reminder'), 'waiting');
  const page = await tab(server, '/');
  const chart = page.page.getByRole('img', { name: /^Started: / });
  await eventually(async () => assert.match(await chart.getAttribute('aria-label'), /^Started: 1 run within the last 60 minutes/));
  await page.page.getByRole('button', { name: '24 h', exact: true }).click();
  await eventually(async () => assert.match(await chart.getAttribute('aria-label'), /^Started: 6 runs within the last 24 hours/));
  assert.match(page.page.url(), /rates=24h/);
  await page.says('at charge');
  await page.says('Nothing is due within the hour, 1 wait later');
  await page.says(/4 went off, half within/);
  await page.open('/workflows');
  const row = page.page.getByRole('row', { name: /reminder/ });
  // Lengths are kept in steps, so what is told is about two hours.
  await row.getByText(/^(1|2) h.* \/ (1|2) h/).waitFor();
  await row.getByRole('img', { name: 'Starts of the last 24 hours: 5 starts' }).waitFor();
  await page.open('/waits');
  await page.page.locator('.resumed', { hasText: '4 went on in the last hour' }).waitFor();
  await page.page.locator('.tile', { hasText: 'For a time' }).getByText('2 h on average').waitFor();
  await page.close();
});

// U-49
test('an_admin_sees_what_the_server_was_told_and_by_what', async () => {
  const server = await serve({ flags: ['--bulk-items-max', '5000'] });
  const page = await tab(server, '/settings/system');
  await page.says('sqlite,');
  await page.page.getByLabel('Only what is set').check();
  const row = page.page.getByRole('row', { name: /bulk_items_max/ });
  await row.getByText('--bulk-items-max').waitFor();
  await row.getByText('5000', { exact: true }).waitFor();
  assert.equal(await page.page.getByRole('row', { name: /http_body_bytes_max/ }).count(), 0);
  await page.page.getByLabel('Filter settings').fill('no such');
  await page.says('No setting is called that.');
  await page.close();
});
