// Waits, their calendar, schedules, dead letters.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { end, eventually, serve, tab } from './harness.mjs';
import { startMany } from './many.mjs';
import { deadLetters, waits } from './world.mjs';

after(end);
const noon = '2026-03-16T12:00:00Z';
const hour = 3_600_000;

/** Waits until a day of March or April 2026, which holds a change of clocks in Berlin. */
const untilDay = {
  nodes: [{ id: 'start', name: 'Start', type: 'manual', trigger: true },
    { id: 'until', name: 'Until its time', type: 'wait', parameters: { wait_type: 'until_date', target_date: '{{ $input.date }}', target_time: '{{ $input.time }}', timezone: 'Europe/Berlin' } },
    { id: 'end', name: 'End', type: 'log', parameters: { message: 'x' } }],
  edges: [{ id: '1', src: 'start', dst: 'until' }, { id: '2', src: 'until', dst: 'end' }],
};

test('t24_the_calendar_sums_what_the_api_counts_and_marks_the_change_of_clocks', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/day', untilDay);
  await server.put('/workflows/reminder', waits);
  const days = ['2026-03-28', '2026-03-29', '2026-03-30', '2026-04-02'];
  for (let i = 0; i < 40; i++) await server.start('day', { input: { date: days[i % 4], time: `${String(9 + (i % 3)).padStart(2, '0')}:00` } });
  await server.put('/schedules/nightly', { workflow_id: 'reminder', cron: '30 2 * * *', timezone: 'Europe/Berlin' });
  const page = await tab(server, '/waits?tab=calendar&zone=Europe/Berlin');
  const { buckets } = await server.get('/calendar?from=2026-03-15T23:00:00Z&to=2026-04-12T22:00:00Z&bucket=hour&zone=Europe/Berlin');
  const sum = buckets.reduce((total, bucket) => total + bucket.total, 0);
  assert.ok(sum >= 40 + 20, `${sum} things fire`);
  await eventually(async () => assert.equal(Number(await page.page.locator('[data-total]').getAttribute('data-total')), sum));
  await page.says('clocks go forward by 60 minutes');
  // The hour that does not exist, and one that holds waits: Saturday the 28th, 9 o'clock.
  assert.equal(await page.page.locator('.cell.gap').count(), 1);
  const cell = page.page.getByRole('gridcell', { name: /Sat, Mar 28 9:00/ });
  const many = Number(await cell.textContent());
  assert.ok(many > 0);
  await cell.focus();
  await page.page.keyboard.press('ArrowDown');
  await page.page.keyboard.press('ArrowUp');
  await page.page.keyboard.press('Enter');
  await page.page.waitForURL('**/waits?tab=list*');
  await eventually(async () => assert.equal(await page.page.locator('[role=row][data-id]').count(), many));
  // Without the schedules there are just the waits.
  await page.page.goBack();
  await page.page.getByRole('button', { name: 'Schedules' }).click();
  await eventually(async () => assert.equal(Number(await page.page.locator('[data-total]').getAttribute('data-total')), 40));
  await page.page.getByLabel('Step').selectOption('day');
  await page.page.getByRole('grid', { name: 'What will fire, by day' }).waitFor();
  await page.close();
});

// T-24 as it is asked for.
test('t24_ten_thousand_waits_are_summed', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/day', untilDay);
  const many = 10_000;
  const dateOf = (i) => new Date(Date.parse('2026-03-17T00:00:00Z') + (i % 21) * 24 * hour).toISOString().slice(0, 10);
  await startMany(server, 'day', many, (i) => ({ input: { date: dateOf(i), time: `${String(6 + (i % 14)).padStart(2, '0')}:00` } }));
  const page = await tab(server, '/waits?tab=calendar&zone=Europe/Berlin');
  await eventually(async () => assert.equal(Number(await page.page.locator('[data-total]').getAttribute('data-total')), many));
  const { buckets } = await server.get('/calendar?from=2026-03-15T23:00:00Z&to=2026-04-12T22:00:00Z&bucket=hour&zone=Europe/Berlin');
  const shown = await page.page.getByRole('gridcell').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')).join('\n'));
  assert.equal(buckets.reduce((total, bucket) => total + bucket.total, 0), many);
  assert.ok(shown.length > 0);
  await page.says('clocks go forward by 60 minutes');
  await page.close();
});

test('t25_a_wait_explains_itself_is_skipped_and_many_are_cancelled', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/day', untilDay);
  await server.put('/workflows/reminder', waits);
  const one = await server.start('day', { input: { date: '2026-03-29', time: '02:30' }, contact_id: 'c-17' });
  await startMany(server, 'reminder', 300, () => ({ contact_id: 'c-18' }));
  const list = await tab(server, '/waits?tab=list&contact_id=c-17');
  await list.page.getByRole('row').getByRole('link', { name: 'until' }).click();
  await list.says('That time does not exist on that day');
  await list.says('2026-03-29 03:00 +02:00 Europe/Berlin');
  await list.page.getByRole('button', { name: 'Continue now' }).click();
  await list.page.locator('dialog').getByRole('button', { name: 'Continue now' }).click();
  await list.says('The run goes on.');
  await server.until(one, 'completed');
  await list.page.goto(`${server.url}/waits?tab=list&contact_id=c-18`);
  await list.page.locator('[data-index="0"]').focus();
  await list.page.keyboard.press('x');
  await list.page.getByRole('button', { name: 'All that match' }).click();
  await list.page.getByRole('button', { name: 'Cancel', exact: true }).click();
  await list.page.getByLabel('Why').fill('they asked for it');
  await list.page.getByLabel('Type 300 to go on').fill('300');
  await list.page.getByRole('button', { name: 'Cancel 300 waits' }).click();
  await list.says('300 of 300');
  await eventually(async () => assert.equal((await server.get('/waits?status=cancelled&limit=1')).total, 300));
  await list.close();
});

test('waits_are_counted_as_the_api_does_and_go_on_without_a_reload', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/reminder', waits);
  for (let i = 0; i < 5; i++) await server.start('reminder');
  const page = await tab(server, '/waits');
  await page.page.locator('.tile', { hasText: 'For a time' }).locator('b', { hasText: '5' }).waitFor();
  await page.says('next in 2 h');
  await server.advance(2 * hour);
  await page.says('Nothing is waiting');
  await page.page.getByRole('link', { name: 'Overdue' }).click();
  await page.says('Nothing is late');
  await page.close();
});

test('t29_dead_letters_are_grouped_and_a_group_is_dropped', async () => {
  const server = await serve();
  await deadLetters(server, [['job.mail.send', 'smtp_refused', 3], ['job.card.charge', 'card_declined', 2]]);
  const page = await tab(server, '/dlq');
  await page.says('job.card.charge cannot be done');
  const open = (await server.get('/dlq/stats')).open;
  assert.equal(open, 5);
  await page.page.getByRole('button', { name: 'Drop 3' }).click();
  await page.page.getByLabel('Why').fill('nobody reads them');
  await page.page.getByRole('button', { name: 'Drop 3 dead letters' }).click();
  await page.page.waitForURL('**/bulk/*');
  await page.page.locator('.status', { hasText: 'Done' }).waitFor();
  assert.ok((await server.get('/audit?action=dlq.purge')).items.every((line) => line.reason === 'nobody reads them'));
  await page.open('/dlq');
  assert.equal((await server.get('/dlq/stats')).open, 2);
  await page.page.locator('tbody a', { hasText: 'job.card.charge' }).last().click();
  await page.page.locator('h1', { hasText: 'job.card.charge' }).waitFor();
  await page.says('What the job was given');
  await page.close();
});

test('t32_a_schedule_shows_its_next_starts_while_its_rule_is_edited', async () => {
  const server = await serve({ clock: noon });
  await server.put('/workflows/reminder', waits);
  const page = await tab(server, '/schedules', { allow: [/status of 422/] });
  await page.says('No schedules');
  await page.page.getByRole('button', { name: 'New schedule' }).first().click();
  const dialog = page.page.locator('dialog');
  await dialog.getByLabel('Name (may be empty)').fill('nightly');
  await dialog.locator('label', { hasText: 'Workflow to start' }).locator('select').selectOption('reminder');
  await dialog.locator('label', { hasText: /^Zone/ }).locator('select').selectOption('Europe/Berlin');
  await dialog.getByLabel('Rule: minute').fill('0 9 * *');
  await dialog.getByRole('alert').waitFor();
  await dialog.getByLabel('Rule: minute').fill('30 2 * * *');
  await dialog.getByText('Every day at 02:30').waitFor();
  await eventually(async () => assert.equal(await dialog.locator('.coming li').count(), 10));
  await dialog.getByRole('button', { name: 'Make schedule' }).click();
  await page.page.waitForURL('**/schedules/nightly');
  await page.page.getByLabel('How many').selectOption('30');
  await page.says('02:30 does not exist on that day: clocks go forward');
  await page.says('2026-03-29 03:00 CEST');
  await page.page.getByRole('button', { name: 'Run now', exact: true }).click();
  await page.page.waitForURL('**/runs/*');
  assert.equal((await server.get('/executions?workflow_id=reminder')).items.length, 1);
  await page.close();
  // In October the hour comes twice, and the first one is taken.
  const autumn = await serve({ clock: '2026-10-10T12:00:00Z' });
  await autumn.put('/workflows/reminder', waits);
  await autumn.put('/schedules/nightly', { workflow_id: 'reminder', cron: '30 2 * * *', timezone: 'Europe/Berlin' });
  const later = await tab(autumn, '/schedules/nightly');
  await later.page.getByLabel('How many').selectOption('30');
  await later.says('2026-10-25 02:30 CEST');
  await later.says('2026-10-26 02:30 CET');
  await later.close();
});
