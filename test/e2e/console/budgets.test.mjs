// The times of U-72 and U-56, on a machine that has nothing else to do: CONSOLE_DEEP=1.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deep, end, eventually, serve, tab } from './harness.mjs';
import { startMany } from './many.mjs';
import { waits } from './world.mjs';

after(end);
const alone = { skip: deep ? false : 'CONSOLE_DEEP=1 measures' };

/** How much the page holds when all that can be given back has been. */
async function heapOf(page) {
  const session = await page.context.newCDPSession(page.page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

/** Remembers the longest task of the page from now on. */
async function watchTasks(page) {
  await page.page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.longest = Math.max(window.longest, entry.duration);
    }).observe({ type: 'longtask' });
  });
}

// U-72
test('a_list_of_fifty_is_usable_soon', alone, async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await startMany(server, 'reminder', 50);
  const page = await tab(server, '/runs');
  await page.page.locator('[data-index="5"]').waitFor();
  const began = Date.now();
  await page.page.reload();
  await page.page.locator('[data-index="5"]').waitFor();
  assert.ok(Date.now() - began < 1500, `${Date.now() - began} ms`);
  await page.close();
});

// U-72, U-56
test('a_run_of_ten_thousand_events_is_shown_soon_and_any_moment_of_it', alone, async () => {
  const server = await serve();
  await server.put('/workflows/ticks', {
    nodes: [{ id: 'start', name: 'Start', type: 'manual', trigger: true }, { id: 'again', name: 'Again', type: 'loop', parameters: { while: '{{ true }}', max_visits: 100000, body_edge_id: 'in', done_edge_id: 'out' } },
      { id: 'tick', name: 'Tick', type: 'wait_for_signal', max_visits: 100000, parameters: { name: 'tick' } }, { id: 'end', name: 'End', type: 'noop' }],
    edges: [{ id: '1', src: 'start', dst: 'again' }, { id: 'in', src: 'again', dst: 'tick' }, { id: 'back', src: 'tick', dst: 'again' }, { id: 'out', src: 'again', dst: 'end' }],
  });
  const id = await server.start('ticks');
  while ((await server.get(`/executions/${id}`)).sequence < 10_000)
    await Promise.all(Array.from({ length: 50 }, () => server.post(`/executions/${id}/signals/tick`, {})));
  let best = Infinity;
  for (let at = 9000; at < 9005; at++) {
    const asked = performance.now();
    await server.get(`/executions/${id}/state?at=${at}`);
    best = Math.min(best, performance.now() - asked);
  }
  assert.ok(best < 150, `a moment took ${best} ms`);
  const page = await tab(server, `/runs/${id}?tab=history`);
  await page.page.locator('.sequence').first().waitFor();
  const began = Date.now();
  await page.page.reload();
  await page.page.locator('.sequence').first().waitFor();
  await page.settled();
  assert.ok(Date.now() - began < 2000, `${Date.now() - began} ms`);
  await page.close();
});

// T-4, U-13, U-72
test('t4_a_hundred_thousand_runs_are_scrolled_filtered_and_opened', alone, async () => {
  const many = 100_000;
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await startMany(server, 'reminder', many - 1);
  const needle = await server.start('reminder', { labels: { needle: 'yes' } });
  const runs = await tab(server, '/runs');
  await runs.says('100,000', { exact: true });
  await watchTasks(runs);
  const body = runs.page.locator('.grid .body');
  let most = 0;
  // To the end: each page is asked for when the one before it is nearly passed.
  for (let loaded = 0; loaded < many;) {
    loaded = await body.evaluate(async (element) => {
      element.scrollTo(0, element.scrollHeight);
      await new Promise((later) => requestAnimationFrame(() => requestAnimationFrame(later)));
      return Math.round(element.firstElementChild.getBoundingClientRect().height / document.querySelector('[role=row][data-id]').getBoundingClientRect().height);
    });
    most = Math.max(most, await runs.page.locator('[role=row][data-id]').count());
  }
  await runs.page.locator(`[data-index="${many - 1}"]`).waitFor();
  for (const part of [0.75, 0.5, 0.25, 0]) {
    await body.evaluate((element, share) => element.scrollTo(0, element.scrollHeight * share), part);
    await runs.painted();
    most = Math.max(most, await runs.page.locator('[role=row][data-id]').count());
  }
  const longest = await runs.page.evaluate(() => window.longest);
  assert.ok(most <= 100, `${most} rows at once`);
  assert.ok(longest < 200, `a task of ${longest} ms`);
  await runs.open('/runs?label=needle:yes');
  await eventually(async () => assert.equal(await runs.page.locator('[role=row][data-id]').count(), 1));
  await runs.page.keyboard.press('j');
  await eventually(async () => assert.equal(await runs.page.evaluate(() => document.activeElement?.dataset.id), needle));
  await runs.page.keyboard.press('Enter');
  await runs.page.waitForURL(`**/runs/${needle}`);
  await runs.close();
});

// U-72
test('an_hour_on_home_leaves_little_behind', alone, async () => {
  const server = await serve();
  await server.put('/workflows/reminder', waits);
  await startMany(server, 'reminder', 300);
  const page = await tab(server, '/runs');
  await page.page.clock.install();
  await page.open('/');
  await page.says('All well');
  await page.page.clock.runFor(60_000);
  const before = await heapOf(page);
  for (let minute = 0; minute < 60; minute++) await page.page.clock.runFor(60_000);
  const after = await heapOf(page);
  assert.ok(after - before < 20, `from ${before.toFixed(1)} to ${after.toFixed(1)} MB`);
  await page.context.close();
});
