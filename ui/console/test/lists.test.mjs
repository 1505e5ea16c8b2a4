// What lists give away: files, and where runs stand.

import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
let server;
before(async () => {
  server = await createServer({ root, logLevel: 'silent', server: { middlewareMode: true, hmr: false, ws: false } });
});
after(() => server.close());
const lib = (name) => server.ssrLoadModule(`/src/lib/${name}.ts`);

test('what_is_filtered_is_read_to_its_end_and_written_as_csv_or_ndjson', async () => {
  const { readAll, textOf } = await lib('export');
  const asked = [];
  const pages = { '': { items: [{ id: 'a', name: '=1+1' }], next_cursor: 'x' }, x: { items: [{ id: 'b', name: 'b"b' }], next_cursor: null } };
  const ask = async (path) => {
    asked.push(path);
    return pages[new URL(`http://h${path}`).searchParams.get('cursor') ?? ''];
  };
  const heard = [];
  const { items, more } = await readAll('/executions?status=failed', (many) => heard.push(many), new AbortController().signal, ask);
  assert.deepEqual(asked, ['/executions?status=failed&limit=1000', '/executions?status=failed&limit=1000&cursor=x']);
  assert.deepEqual(heard, [1, 2]);
  assert.equal(more, false);
  const columns = ['id', 'name'].map((name) => ({ name, of: (item) => item[name] }));
  assert.equal(textOf('csv', items, columns), 'id,name\r\na,\'=1+1\r\nb,"b""b"\r\n');
  const lines = textOf('ndjson', items, columns).trimEnd().split('\n');
  assert.deepEqual(lines.map((line) => JSON.parse(line)), items);
});

test('a_run_says_where_it_stands_and_how_often_it_was_tried', async () => {
  const { nowAt, triedTimes } = await lib('places');
  const now = Date.parse('2026-01-12T12:00:00Z');
  const run = (status, at, more = {}) => ({ status, at, next_due_at: null, error: null, ...more });
  assert.equal(nowAt(run('waiting', [{ node: 'rest', kind: 'timer', until: '2026-01-12T14:00:00Z' }]), now), 'rest in 2 h');
  assert.match(nowAt(run('waiting', [{ node: 'charge', kind: 'retry', attempt: 3, until: '2026-01-12T12:01:00Z' }]), now), /^charge: tries again after 3 in 1 m/);
  assert.equal(nowAt(run('waiting', [{ node: 'ask', kind: 'approval' }, { node: 'pay', kind: 'signal' }]), now), 'ask: waits for people, and 1 more');
  assert.equal(nowAt(run('failed', [{ node: 'charge', kind: 'failed' }], { error: { code: 'network' } }), now), 'network at charge');
  assert.equal(nowAt(run('waiting', undefined), now), 'until something arrives');
  assert.equal(triedTimes(run('waiting', [{ node: 'a', kind: 'retry', attempt: 3 }, { node: 'b', kind: 'call', attempt: 5 }])), 5);
  assert.equal(triedTimes(run('waiting', undefined)), 0);
});

// U-2
test('a_click_on_a_column_turns_its_order_and_the_address_is_the_apis', async () => {
  const { nextSort, sortOf } = await lib('sort');
  assert.equal(sortOf('', 'started_at'), 'descending', 'lists begin with the newest');
  assert.equal(nextSort('', 'started_at'), 'started_at');
  assert.equal(sortOf('started_at', 'started_at'), 'ascending');
  assert.equal(nextSort('started_at', 'started_at'), '', 'the order a list has by itself is not said');
  assert.equal(sortOf('duration', 'started_at'), 'none', 'the server refuses it, and the page shows that');
  assert.equal(nextSort('duration', 'started_at'), '');
});

// U-20
test('a_run_that_nobody_can_resume_says_so_where_it_stands', async () => {
  const { nowAt } = await lib('places');
  assert.equal(nowAt({ status: 'waiting', at: [{ node: '', kind: 'unreadable', at: '2026-01-12T10:30:00Z' }] }, 0), 'cannot be read, so nobody can resume it');
});
