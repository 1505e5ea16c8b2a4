// What pages do while much happens, or while the server is too busy for them.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deep, end, eventually, serve, tab } from './harness.mjs';
import { fill } from './world.mjs';

after(end);

// U-5
test('a_busy_server_is_asked_again_when_it_said_so', async () => {
  const server = await serve();
  // Home asks for workers too, and would have the one answer that is meant for their page.
  const page = await tab(server, '/runs', { allow: [/status of 429/] });
  await page.says('No runs yet');
  let asked = 0;
  await page.page.route('**/api/v1/workers', (route) => {
    asked += 1;
    if (asked > 1) return route.continue();
    return route.fulfill({ status: 429, headers: { 'Retry-After': '5' }, contentType: 'application/problem+json', body: JSON.stringify({ title: 'Too many requests', detail: 'Wait a little.', code: 'rate_limited', instance: 'urn:uuid:2' }) });
  });
  await page.page.goto(`${server.url}/workers`);
  await page.says('Too many requests');
  await page.page.getByRole('button', { name: /Retry in \d s/ }).waitFor();
  await page.says('No worker is known');
  await page.page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.close();
});

// U-3, U-6: what is read for itself would be read again for having come, for ever.
test('a_page_at_rest_leaves_the_server_alone', async () => {
  const server = await serve({ clock: '2026-03-16T12:00:00Z' });
  const ids = await fill(server);
  const page = await tab(server);
  for (const path of ['/', '/runs', `/runs/${ids.merge}`, '/workflows', '/waits', '/waits?tab=calendar', '/jobs', '/approvals', '/policy', '/workers', '/settings/system']) {
    await page.open(path);
    await page.says('Live', { exact: true });
    await page.settled();
    for (let i = 0; i < 20; i++) await page.painted();
    const asked = new Map();
    for (const url of page.requests) asked.set(url, (asked.get(url) ?? 0) + 1);
    const often = [...asked].filter(([, times]) => times > 4);
    assert.deepEqual(often, [], path);
  }
  await page.close();
});

// U-3: the clock goes on, and that alone is no reason to ask.
test('home_is_not_asked_again_for_every_second_that_passes', async () => {
  const server = await serve();
  await fill(server);
  const page = await tab(server, '/runs');
  await page.page.clock.install();
  await page.open('/');
  await page.says('need attention');
  await page.settled();
  page.requests.length = 0;
  for (let second = 0; second < 9; second++) {
    await page.page.clock.runFor(1000);
  }
  const asked = page.requests.filter((url) => url.endsWith('/api/v1/queues')).length;
  assert.ok(asked <= 2, `${asked} times within nine seconds`);
  await page.close();
});

// U-63
test('pages_do_not_jump_while_they_load', async () => {
  const server = await serve();
  const ids = await fill(server);
  const page = await tab(server, '/');
  await page.page.addInitScript(() => {
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  });
  for (const path of ['/', '/runs', `/runs/${ids.merge}`, '/workflows', '/jobs', '/approvals', '/waits']) {
    await page.page.goto(server.url + path);
    await page.settled();
    await page.painted();
    const shifted = await page.page.evaluate(() => window.shifted);
    assert.ok(shifted < 0.02, `${path} moved by ${shifted}`);
  }
  await page.close();
});

/** In megabytes, after all that can be given back has been. */
async function heldBy(page) {
  const session = await page.context.newCDPSession(page.page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize / 1e6;
}

// T-42, U-3: as fast as this machine can, until twenty keys were answered (for a minute with CONSOLE_DEEP=1).
test('t42_a_run_that_changes_all_the_time_is_followed_and_keys_are_answered', async () => {
  const server = await serve();
  await server.put('/workflows/ticks', {
    nodes: [{ id: 'start', name: 'Start', type: 'manual', trigger: true }, { id: 'again', name: 'Again', type: 'loop', parameters: { while: '{{ true }}', max_visits: 100000, body_edge_id: 'in', done_edge_id: 'out' } },
      { id: 'tick', name: 'Tick', type: 'wait_for_signal', max_visits: 100000, parameters: { name: 'tick' } }, { id: 'end', name: 'End', type: 'noop' }],
    edges: [{ id: '1', src: 'start', dst: 'again' }, { id: 'in', src: 'again', dst: 'tick' }, { id: 'back', src: 'tick', dst: 'again' }, { id: 'out', src: 'again', dst: 'end' }],
  });
  const id = await server.start('ticks');
  await server.until(id, 'waiting');
  const run = await tab(server, `/runs/${id}?tab=history`);
  await run.says('Live', { exact: true });
  const until = Date.now() + (deep ? 60_000 : 0);
  let over = false;
  const ticking = (async () => {
    // Each signal makes four events. A loop that says nothing of max_visits would end after 1,000.
    for (let sent = 0; !over && sent < 90_000; sent += 20) await Promise.all(Array.from({ length: 20 }, () => server.post(`/executions/${id}/signals/tick`, {})));
  })();
  const began = Date.now();
  const answers = [];
  while (answers.length < 20 || Date.now() < until) {
    // The page answers a key: the list of keys comes up, and goes.
    answers.push(await run.page.evaluate(async () => {
      const began = performance.now();
      dispatchEvent(new KeyboardEvent('keydown', { key: '?' }));
      while (!document.querySelector('dialog[open]')) await new Promise((later) => requestAnimationFrame(later));
      const took = performance.now() - began;
      document.querySelector('dialog[open] [aria-label="Close"]').click();
      return took;
    }));
    await run.page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  over = true;
  await ticking;
  const rate = (1000 * (await server.get(`/executions/${id}`)).sequence) / (Date.now() - began);
  assert.ok(!deep || rate >= 500, `${Math.round(rate)} events a second`);
  const middle = answers.sort((a, b) => a - b)[Math.floor(answers.length / 2)];
  assert.ok(!deep || middle < 200, `half of the keys were answered within ${middle} ms`);
  const last = async () => (await server.get(`/executions/${id}`)).sequence;
  await eventually(async () => {
    const shown = await run.page.locator('.sequence').allInnerTexts();
    assert.equal(Math.max(...shown.map(Number)), await last());
  });
  // What is held is the history itself, and nothing of how it came: a page that is opened now holds as much.
  const followed = await heldBy(run);
  await run.page.reload();
  await eventually(async () => assert.equal(Math.max(...(await run.page.locator('.sequence').allInnerTexts()).map(Number)), await last()));
  const fresh = await heldBy(run);
  assert.ok(followed < fresh + 20, `${followed.toFixed(1)} MB after following it, ${fresh.toFixed(1)} MB when opened`);
  await run.close();
});
