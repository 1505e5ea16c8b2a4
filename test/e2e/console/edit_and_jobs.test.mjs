// Writing workflows, starting them, jobs and workers.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, test } from 'node:test';
import { binary, end, eventually, serve, tab } from './harness.mjs';
import { policy, script, waits, withSchema } from './world.mjs';

after(end);

test('t20_the_editor_checks_while_one_types_and_saves_a_new_version', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const edit = await tab(server, '/workflows/reminder?tab=edit', { allow: [/status of 4\d\d/] });
  const area = edit.page.getByLabel('Definition');
  await edit.says('Valid');
  const text = await area.inputValue();
  await area.fill('{"nodes": [\n  {"id": "a", "type": "nope"}\n], "edges": []}');
  await edit.says('no node type');
  const { errors } = await server.ask('POST', '/workflows/check', await area.inputValue());
  const wrong = errors.find((error) => error.message.includes('no node type'));
  await edit.page.locator('.gutter .wrong', { hasText: String(wrong.line) }).first().waitFor();
  await area.focus();
  const lines = new Set();
  for (let i = 0; i < errors.length; i++) {
    await edit.page.keyboard.press('F8');
    lines.add(await area.evaluate((element) => element.value.slice(0, element.selectionStart).split('\n').length));
  }
  assert.ok(lines.has(wrong.line));
  await area.fill(text.replace('Wait 2 hours', 'Wait a while'));
  await edit.says('Valid');
  await edit.page.locator('[data-node="wait"] .box-name', { hasText: 'Wait a while' }).waitFor();
  await area.press('Control+s');
  await edit.says('Saved as version 2');
  assert.equal((await server.get('/workflows/reminder')).version, 2);
  await edit.close();
});

// T-20: JSON that is none, a script that is none, a circle that nothing ends.
test('t20_whatever_is_wrong_is_marked_where_the_server_says', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await server.ask('PUT', '/workflows/fan', script, { headers: { 'Content-Type': 'text/x-flow' } });
  const edit = await tab(server, '/workflows/reminder?tab=edit', { allow: [/status of 4\d\d/] });
  const area = edit.page.getByLabel('Definition');
  const marked = (line) => edit.page.locator('.gutter .wrong', { hasText: new RegExp(`^\\s*${line}\\s*$`) }).first().waitFor();
  const jumps = async () => {
    await area.focus();
    await edit.page.keyboard.press('F8');
    return area.evaluate((element) => element.value.slice(0, element.selectionStart).split('\n').length);
  };
  await edit.says('Valid');
  await area.fill('{\n  "nodes": [\n    {"id": "a" "type": "noop"}\n  ]\n}');
  await marked(3);
  assert.equal(await jumps(), 3);
  const circle = { ...waits, edges: [...waits.edges, { id: 'back', src: 'end', dst: 'wait' }] };
  await area.fill(JSON.stringify(circle, null, 2));
  const told = await server.post('/workflows/check', circle);
  assert.equal(told.valid, false);
  await edit.page.getByRole('list', { name: 'Findings' }).getByText(told.errors[0].message.slice(0, 40)).first().waitFor();
  assert.ok(await edit.page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
  await edit.open('/workflows/fan?tab=edit');
  await edit.says('Valid');
  await area.fill('workflow fan(inputs) {\n  const a = 1\n  const b = a +\n}\n');
  const { errors } = await server.ask('POST', '/workflows/check', await area.inputValue(), { headers: { 'Content-Type': 'text/x-flow' } });
  await marked(errors[0].line);
  assert.equal(await jumps(), errors[0].line);
  await edit.close();
});

test('t21_of_two_editors_the_second_sees_what_the_first_has_saved', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const edit = await tab(server, '/workflows/reminder?tab=edit', { allow: [/status of 412/] });
  await edit.says('Valid');
  const area = edit.page.getByLabel('Definition');
  const mine = (await area.inputValue()).replace('it is time', 'mine');
  await server.put('/workflows/reminder', JSON.parse(JSON.stringify(waits).replace('it is time', 'theirs')));
  await area.fill(mine);
  await edit.says('not saved');
  await eventually(async () => assert.ok(await edit.page.getByRole('button', { name: 'Save', exact: true }).isEnabled()));
  await edit.page.getByRole('button', { name: 'Save', exact: true }).click();
  await edit.says('Somebody else has saved meanwhile');
  await edit.page.locator('dialog .removed', { hasText: 'theirs' }).waitFor();
  await edit.page.locator('dialog .added', { hasText: 'mine' }).waitFor();
  assert.match(await area.inputValue(), /mine/);
  await edit.page.getByRole('button', { name: 'Save mine over it' }).click();
  await edit.says('Saved as version 3');
  await edit.close();
});

test('t22_versions_are_compared_as_text_and_as_a_graph', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await server.put('/workflows/reminder', {
    nodes: [...waits.nodes.filter((node) => node.id !== 'end').map((node) => (node.id === 'wait' ? { ...node, name: 'Wait 3 hours' } : node)), { id: 'last', name: 'New end', type: 'log', parameters: { message: 'x' } }],
    edges: [waits.edges[0], { id: '2', src: 'wait', dst: 'last' }],
  });
  const page = await tab(server, '/workflows/reminder?tab=versions');
  const mark = (node) => page.page.locator(`[data-node="${node}"] .mark`).textContent();
  assert.equal(await mark('last'), '+');
  assert.equal(await mark('end'), '−');
  assert.equal(await mark('wait'), '~');
  await page.page.getByRole('button', { name: 'Make current' }).click();
  await page.says('Version 1 is the current one');
  assert.equal((await server.get('/workflows/reminder')).version, 1);
  await page.close();
});

test('a_start_lands_on_the_run_with_that_input', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  const page = await tab(server, '/workflows/reminder?tab=start');
  await page.page.getByLabel('Input, JSON').fill('{"name": ');
  assert.ok(await page.page.getByRole('button', { name: 'Start', exact: true }).isDisabled());
  await page.page.getByLabel('Input, JSON').fill('{"name": "Ada"}');
  await page.page.getByRole('button', { name: 'Start', exact: true }).click();
  await page.page.waitForURL('**/runs/*');
  const id = page.page.url().split('/').at(-1);
  assert.deepEqual((await server.get(`/executions/${id}`)).input, { name: 'Ada' });
  await page.close();
});

// U-35
test('t23_a_form_and_its_json_agree_and_the_run_has_that_input', async () => {
  const server = await serve();
  await server.put('/workflows/booking', withSchema);
  const page = await tab(server, '/workflows/booking?tab=start');
  const start = page.page.getByRole('button', { name: 'Start', exact: true });
  const field = (name) => page.page.getByLabel(name, { exact: false }).first();
  await field('Seats').fill('9');
  await page.says('At most 8 is expected.');
  assert.ok(await start.isDisabled());
  await field('Seats').fill('2');
  await field('Name').fill('Ada');
  assert.equal(await field('Price').inputValue(), '12.5');
  await field('At a window').selectOption('true');
  await field('Meal').selectOption('dinner');
  await field('When').fill('2026-07-01T18:30');
  await field('Extras').fill('["cake"');
  await page.says('JSON is expected.');
  await field('Extras').fill('["cake"]');
  await field('Guest').fill('{"name": "Grace"}');
  await page.page.getByRole('button', { name: 'JSON' }).click();
  const area = page.page.getByLabel('Input, JSON');
  const wanted = { name: 'Ada', seats: 2, price: 12.5, window: true, meal: 'dinner', at: '2026-07-01T16:30:00.000Z', extras: ['cake'], guest: { name: 'Grace' } };
  assert.deepEqual(JSON.parse(await area.inputValue()), wanted);
  await area.fill(JSON.stringify({ ...wanted, seats: 3, code: 'kept' }));
  await page.page.getByRole('button', { name: 'Form' }).click();
  assert.equal(await field('Seats').inputValue(), '3');
  await start.click();
  await page.page.waitForURL('**/runs/*');
  const id = page.page.url().split('/').at(-1);
  assert.deepEqual((await server.get(`/executions/${id}`)).input, { ...wanted, seats: 3, code: 'kept' });
  // The editor keeps the schema, which stands beside what runs.
  await page.page.goto(`${server.url}/workflows/booking?tab=edit`);
  await page.says('Valid');
  assert.match(await page.page.getByLabel('Definition').inputValue(), /input_schema/);
  await page.close();
});

/** Jobs in every state that a board has a place for, by a worker that does some, fails one and keeps one. */
async function jobsOfEveryState(server) {
  await server.put('/policy/base', policy);
  const made = {};
  const submit = async (name, topic, more = {}) => {
    made[name] = (await server.post('/jobs', { topic, input: {}, ...more })).id;
  };
  await submit('done', 'job.letter');
  await submit('failed', 'job.letter', { retry: { max_attempts: 1 } });
  await submit('running', 'job.letter');
  const { registration_id } = await server.post('/worker/register', { worker_id: 'w-1', topics: ['job.letter'], max_parallel: 3 });
  const claimed = [];
  for (let seq = 1; claimed.length < 3 && seq < 50; seq++) claimed.push(...(await server.post('/worker/claim', { registration_id, seq, slots: 3, wait_ms: 1000 })).jobs);
  const result = (name, status, more) => {
    const { job_id, attempt, fence } = claimed.find((job) => job.job_id === made[name]);
    return { job_id, attempt, fence, status, ...more };
  };
  await server.post('/worker/results', { registration_id, results: [result('done', 'succeeded', { output: { ok: true } }), result('failed', 'failed_fatal', { error: { code: 'torn', message: 'the paper is torn' } })] });
  await submit('asks', 'job.pay.rent');
  await submit('denied', 'job.wipe');
  await submit('alone', 'job.mail.send');
  return made;
}

test('t26_the_board_counts_as_the_api_does_and_a_job_without_worker_names_the_cure', async () => {
  const server = await serve();
  const made = await jobsOfEveryState(server);
  const board = await tab(server, '/jobs');
  const column = (name) => board.page.locator('.column', { has: board.page.locator('h2', { hasText: name }) });
  const { states } = await server.get('/jobs/stats');
  const wanted = { 'Needs approval': states.APPROVAL_REQUIRED, Scheduled: states.SCHEDULED, Succeeded: states.SUCCEEDED, Attention: (states.FAILED ?? 0) + (states.DENIED ?? 0) };
  assert.deepEqual(wanted, { 'Needs approval': 1, Scheduled: 1, Succeeded: 1, Attention: 2 });
  for (const [name, many] of Object.entries(wanted)) await column(name).locator('h2', { hasText: String(many) }).waitFor();
  await eventually(async () => assert.equal((await column('Dispatched').locator('a.job').count()) + (await column('Running').locator('a.job').count()), 1));
  // From column to column and down by keys.
  const focused = () => board.page.evaluate(() => document.activeElement?.closest('.column')?.getAttribute('aria-label'));
  await board.page.keyboard.press('l');
  await eventually(async () => assert.equal(await focused(), 'Needs approval'));
  for (const key of ['l', 'l', 'l', 'l', 'h']) await board.page.keyboard.press(key);
  await eventually(async () => assert.equal(await focused(), 'Succeeded'));
  await column('Attention').locator(`a[href="/jobs/${made.denied}"]`).click();
  await board.says('never-wipe');
  await board.says('no job deletes everything');
  await board.page.goto(`${server.url}/jobs/${made.failed}`);
  await board.says('the paper is torn');
  await board.page.goto(`${server.url}/jobs/${made.alone}`);
  await board.says("fermata worker --task mail.send='./program'");
  await board.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await board.page.getByRole('button', { name: 'Cancel job' }).click();
  await board.page.locator('h1 + .status', { hasText: 'Cancelled' }).waitFor();
  await board.close();
});

// U-40, U-12
test('jobs_are_cancelled_by_the_dozen_and_only_those_that_were_shown', async () => {
  const server = await serve();
  for (let i = 0; i < 22; i++) await server.post('/jobs', { topic: 'job.letter', input: { number: i } });
  const other = await server.post('/jobs', { topic: 'job.other', input: {} });
  const page = await tab(server, '/jobs?view=list&topic=job.letter');
  await page.page.locator('[data-index="0"]').focus();
  await page.page.keyboard.press('x');
  await page.page.getByRole('button', { name: 'All that match' }).click();
  await page.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.page.locator('dialog').getByText('22 jobs').first().waitFor();
  const later = await server.post('/jobs', { topic: 'job.letter', input: {} });
  await page.page.getByLabel('Why').fill('printed by hand');
  await page.page.getByLabel('Type 22 to go on').fill('22');
  await page.page.getByRole('button', { name: 'Cancel 22 jobs' }).click();
  await page.says('22 of 22');
  const { states } = await server.get('/jobs/stats');
  assert.equal(states.CANCELLED, 22);
  for (const { id } of [other, later]) assert.equal((await server.get(`/jobs/${id}`)).state, 'SCHEDULED');
  await page.close();
});

test('t26_the_log_of_a_job_is_followed_and_searched', async () => {
  const server = await serve();
  const { id } = await server.post('/jobs', { topic: 'job.letter', input: {} });
  const { registration_id } = await server.post('/worker/register', { worker_id: 'w-1', topics: ['job.letter'], max_parallel: 1 });
  const { jobs: [job] } = await server.post('/worker/claim', { registration_id, seq: 1, slots: 1, wait_ms: 5000 });
  const say = (...lines) => server.post(`/worker/jobs/${id}/logs`, { registration_id, fence: job.fence, lines });
  await say('page 1 of 2', '<b>bold</b>');
  const page = await tab(server, `/jobs/${id}`);
  await page.says('page 1 of 2');
  await page.says('<b>bold</b>');
  await say('page 2 of 2');
  await page.says('page 2 of 2');
  await page.page.getByLabel('Search the log').fill('bold');
  await page.page.getByText('page 2 of 2').waitFor({ state: 'detached' });
  await page.close();
});

test('t31_a_worker_appears_is_drained_and_sent_away', async () => {
  const server = await serve();
  const { registration_id } = await server.post('/worker/register', { worker_id: 'w-1', topics: ['job.mail.send'], max_parallel: 4 });
  const page = await tab(server, '/workers', { allow: [/status of 4\d\d/] });
  await page.says('w-1');
  await server.post('/worker/heartbeat', { registration_id, last_seq: 0, leases: [], cpu_load: 95, memory_load: 20 });
  await page.page.locator('.load.high', { hasText: 'CPU' }).waitFor();
  assert.equal(await page.page.locator('.load.high').count(), 1);
  await page.page.getByRole('button', { name: 'Drain', exact: true }).click();
  await page.says('Draining');
  await page.page.getByRole('button', { name: 'Revoke' }).click();
  const dialog = page.page.locator('dialog');
  await dialog.getByText('Copy as').click();
  await dialog.getByText('fermata workers revoke w-1').waitFor();
  await dialog.getByLabel('Why').fill('its disk is full');
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await page.says('No worker is known');
  // Who did it stands in the audit (U-48).
  await page.open('/audit?subject=w-1');
  for (const words of ['worker.revoke', 'its disk is full', 'worker.drain']) await page.says(words);
  await page.close();
});

// U-10: beside what is done at once too; each command, typed as it is copied, does the same.
test('actions_without_a_dialog_are_copied_as_commands', async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await server.post('/worker/register', { worker_id: 'w-1', topics: ['job.mail.send'], max_parallel: 4 });
  await server.post('/schedules', { id: 'nightly', workflow_id: 'reminder', cron: '30 2 * * *' });
  const page = await tab(server, '/workers');
  const dialog = page.page.locator('dialog');
  const command = async (action, name) => {
    await page.page.getByRole('button', { name: `Copy “${action}” as a command` }).click();
    const text = await dialog.getByLabel(`Command of ${name}`).textContent();
    await page.shot(`copy-${action.toLowerCase().replaceAll(' ', '-')}-1280`);
    await page.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return text;
  };
  const type = (text) => execFileSync('bash', ['-c', text.replace(/^fermata /, `'${binary}' `)], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  type(await command('Drain', 'fermata'));
  await page.says('Draining');
  type(await command('Undrain', 'curl'));
  await page.page.getByRole('button', { name: 'Drain', exact: true }).waitFor();
  await page.open('/schedules/nightly');
  type(await command('Run now', 'fermata'));
  type(await command('Run now', 'curl'));
  assert.equal((await server.get('/executions?workflow_id=reminder')).items.length, 2);
  type(await command('Pause', 'fermata'));
  assert.equal((await server.get('/schedules/nightly')).paused, true);
  await page.open('/workflows/reminder');
  type(await command('Deactivate', 'curl'));
  assert.equal((await server.get('/workflows/reminder')).active, false);
  await page.open('/workflows/reminder?tab=edit');
  const area = page.page.getByLabel('Definition');
  await page.says('Valid');
  await area.fill((await area.inputValue()).replace('Wait 2 hours', "Wait, it's late"));
  const save = await command('Save', 'curl');
  type(save);
  const stored = await server.get('/workflows/reminder');
  assert.equal(stored.version, 2);
  assert.ok(JSON.stringify(stored.definition).includes("Wait, it's late"));
  // It names the revision that was looked at: a second time it is another's.
  assert.match(type(save), /412|precondition|changed/i);
  await page.close();
});
