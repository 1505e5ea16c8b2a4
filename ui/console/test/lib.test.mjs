// The console's pure parts, loaded as Vite loads them.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
let vite;
before(async () => {
  vite = await createServer({ root, configFile: false, logLevel: 'error', appType: 'custom', server: { middlewareMode: true, watch: null, ws: false } });
});
after(() => vite.close());
const lib = (name) => vite.ssrLoadModule(`/src/lib/${name}.ts`);

function tokens() {
  const text = readFileSync(join(root, 'src/styles/tokens.css'), 'utf8');
  const [, light, dark] = text.split(/:root[^{]*\{/);
  const read = (block) => Object.fromEntries([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name, colour]) => [name, colour]));
  return { light: read(light), dark: { ...read(light), ...read(dark) } };
}

function contrast(a, b) {
  const light = (colour) => {
    const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

test('every_ink_can_be_read_on_every_surface_and_on_its_own_tint', () => {
  const inks = ['running', 'waiting', 'success', 'failed', 'cancelled', 'paused', 'held', 'none'];
  for (const [theme, colours] of Object.entries(tokens())) {
    for (const surface of ['surface', 'surface-2'])
      for (const ink of [...inks, 'text', 'muted', 'accent']) assert.ok(contrast(colours[ink], colours[surface]) >= 4.5, `${ink} on ${surface}, ${theme}: ${contrast(colours[ink], colours[surface])}`);
    for (const ink of inks) assert.ok(contrast(colours[ink], colours[`${ink}-tint`]) >= 4.5, `${ink} on its tint, ${theme}`);
    assert.ok(contrast(colours.accent, colours['accent-tint']) >= 4.5, theme);
    assert.ok(contrast(colours['accent-ink'], colours.accent) >= 4.5, theme);
    assert.ok(contrast(colours.text, colours['surface-3']) >= 4.5, theme);
  }
});

test('durations_have_at_most_two_units', async () => {
  const { duration, countdown, relative, absolute } = await lib('time');
  assert.equal(duration(340), '340 ms');
  assert.equal(duration(4500), '4.5 s');
  assert.equal(duration(72 * 60_000), '1 h 12 m');
  assert.equal(duration(51 * 3_600_000), '2 d 3 h');
  assert.equal(duration(86_400_000), '1 d');
  assert.equal(countdown(-5), '0 s');
  assert.equal(countdown(1), '1 s');
  assert.equal(relative(1000, 61_000), '1 m ago');
  assert.equal(relative(61_000, 1000), 'in 1 m');
  assert.equal(absolute(Date.parse('2026-01-12T09:14:02Z'), true), '2026-01-12 09:14:02 UTC');
});

// U-35, T-23
test('a_form_and_its_json_are_one_input', async () => {
  const { fieldsOf, initialTexts, inputOf, mistakesOf, textsOf } = await lib('schema-form');
  const fields = fieldsOf({
    type: 'object', required: ['name', 'count'],
    properties: {
      name: { type: 'string' }, count: { type: 'integer', minimum: 1 }, share: { type: 'number', default: 0.5 }, loud: { type: 'boolean' },
      size: { enum: ['small', 3, null] }, at: { type: 'string', format: 'date-time' }, tags: { type: 'array' }, more: { type: 'object' },
    },
  });
  assert.deepEqual(fields.map((field) => field.kind), ['string', 'integer', 'number', 'boolean', 'enum', 'date-time', 'json', 'json']);
  assert.deepEqual(Object.keys(mistakesOf(fields, initialTexts(fields))), ['name', 'count']);
  const input = { name: 'Ada', count: 3, share: 0.25, loud: false, size: 3, at: '2026-03-29T07:30:00.000Z', tags: ['a'], more: { b: 1 }, extra: 'kept' };
  const { texts, rest } = textsOf(fields, input);
  assert.deepEqual(mistakesOf(fields, texts), {});
  assert.deepEqual(inputOf(fields, texts, rest), input);
  assert.equal(mistakesOf(fields, { ...texts, count: '0' }).count, 'At least 1 is expected.');
  assert.equal(mistakesOf(fields, { ...texts, count: '1.5' }).count, 'A whole number is expected.');
  assert.equal(mistakesOf(fields, { ...texts, tags: '{}' }).tags, 'A list in brackets is expected.');
  assert.deepEqual(fieldsOf(undefined), []);
  assert.deepEqual(fieldsOf({ properties: ['no'] }), []);
});

// U-33
test('what_stands_beside_a_definition_is_put_back_before_it_is_edited', async () => {
  const { withDrawing } = await lib('document');
  const definition = { nodes: [{ id: 'a', name: 'A', type: 'manual' }], edges: [{ id: '1', src: 'a', dst: 'a' }] };
  const drawing = { nodes: { a: { position: [1, 2] } }, edges: { 1: { label: 'on' } }, notes: ['n'], fields: { input_schema: { type: 'object' } } };
  assert.deepEqual(withDrawing(definition, drawing), {
    nodes: [{ ...definition.nodes[0], position: [1, 2] }], edges: [{ ...definition.edges[0], label: 'on' }], notes: ['n'], input_schema: { type: 'object' },
  });
  assert.deepEqual(withDrawing(definition, undefined), definition);
});

// U-42
test('requests_stand_in_the_order_of_their_time_and_go_where_they_came_from', async () => {
  const { approvalOfJob, canonical, consequence, inOrder, votePath } = await lib('approvals');
  const run = (id, expires_at, asked_at = '2026-01-01') => ({ id, kind: 'run', expires_at, asked_at });
  assert.deepEqual(inOrder([run('never', null), run('late', '2026-02-02'), run('soon', '2026-02-01'), run('older', '2026-02-02', '2025-01-01')]).map((one) => one.id), ['soon', 'older', 'late', 'never']);
  const job = approvalOfJob({ id: 'j/1', state: 'APPROVAL_REQUIRED', topic: 'job.pay', request_hash: 'h', input: { b: 1 }, submitted_at: 'x', approval: { count: 2, expires_at: 'y' }, verdict: { rule_id: 'ask', reason: 'money' } });
  assert.deepEqual([job.kind, job.status, job.hash, job.count, job.rule_id, job.expires_at], ['job', 'pending', 'h', 2, 'ask', 'y']);
  assert.equal(votePath(job, true), '/jobs/j%2F1/approve');
  assert.equal(votePath(run('a', null), false), '/approvals/a/reject');
  assert.equal(canonical({ b: [{ d: 1, c: 2 }], a: null }), JSON.stringify({ a: null, b: [{ c: 2, d: 1 }] }, null, 2));
  assert.equal(consequence({ ...run('a', null), unblocks: { approve: ['pay'], reject: [] } }, true), 'The run goes on at pay.');
});

// U-39
test('what_a_contact_gets_next_is_told_in_their_own_time', async () => {
  const { whatFollows, whenWords } = await lib('contacts');
  const contact = { timezone: 'Europe/Berlin', next: { due_at: '2026-01-26T08:00:00Z' } };
  const now = Date.parse('2026-01-24T04:00:00Z');
  assert.equal(whenWords(contact, now), 'Mon 26 Jan 09:00 +01:00 their time (in 2 d 4 h)');
  assert.equal(whenWords({ ...contact, timezone: 'Mars/Base' }, now), 'Mon 26 Jan 08:00 +00:00 UTC (in 2 d 4 h)');
  const definition = { nodes: [{ id: 'w', name: 'Wait' }, { id: 'm', name: 'Reminder mail' }], edges: [{ id: '1', src: 'w', dst: 'm' }] };
  assert.equal(whatFollows(definition, 'w'), 'Reminder mail');
  assert.equal(whatFollows({ language: 'flow', source: '' }, 'w'), '');
});

// U-44
test('changes_of_a_rehearsal_are_told_by_kind_and_a_candidate_stands_in_its_layer', async () => {
  const { candidateOf, flipsOf, layerPath, layersOf, matchWords } = await lib('policy');
  const change = (was, would_be) => ({ was, would_be });
  const flips = flipsOf([change('allow', 'deny'), change('allow', 'throttle'), change('allow', 'deny')]);
  assert.deepEqual(flips.map((flip) => [flip.was, flip.would, flip.changes.length]), [['allow', 'deny', 2], ['allow', 'throttle', 1]]);
  const effective = { base: null, invariants: null, bundles: [{ id: 'a', document: { version: 1 } }, { id: 'b', document: { version: 1 } }] };
  const [base, , second] = layersOf(effective);
  assert.deepEqual(candidateOf(effective, base, 'text'), { base: { yaml: 'text' } });
  assert.deepEqual(candidateOf(effective, second, 'text'), { bundles: [{ id: 'a', document: { version: 1 } }, { id: 'b', document: { yaml: 'text' } }] });
  assert.equal(layerPath(second), '/policy/bundles/b');
  assert.equal(matchWords({ match: { topics: ['pay.*', 'refund'], risk_tags: ['money'] } }), 'topics: pay.*, refund · risk tags: money');
});

// U-14
test('a_value_is_searched_by_name_and_by_text_and_tells_paths', async () => {
  const { findIn, pathTo } = await lib('values');
  const value = { order: { items: [{ name: 'Tea', price: 4 }, { name: 'Cup' }], 'odd key': 'tea too' }, none: null };
  assert.deepEqual(findIn(value, 'TEA'), [{ path: 'order.items[0].name', text: 'Tea' }, { path: 'order["odd key"]', text: 'tea too' }]);
  assert.deepEqual(findIn(value, 'price'), [{ path: 'order.items[0].price', text: '4' }]);
  assert.deepEqual(findIn(value, 'null'), [{ path: 'none', text: 'null' }]);
  assert.deepEqual(findIn(value, ''), []);
  assert.equal(findIn(Array.from({ length: 500 }, () => 'x'), 'x', 3).length, 3);
  assert.equal(pathTo('a', 3), 'a[3]');
});

// U-49
test('holidays_are_written_one_a_line', async () => {
  const { holidaysOf, holidayText } = await lib('settings');
  const holidays = ['12-25', { date: '2026-12-28', name: 'substitute day' }];
  assert.equal(holidayText(holidays), '12-25\n2026-12-28 substitute day');
  assert.deepEqual(holidaysOf(`\n${holidayText(holidays)}\n\n`), holidays);
});

// U-9
test('a_time_by_the_clocks_of_a_zone_names_its_offset', async () => {
  const { zoned } = await lib('zones');
  assert.equal(zoned(Date.parse('2026-07-12T09:14:02Z'), 'Europe/Berlin'), '2026-07-12 11:14:02 +02:00');
});

// U-21
test('cells_that_a_spreadsheet_would_run_are_inert', async () => {
  const { csvCell, visible } = await lib('format');
  for (const cell of ['=1+1', '+1', '-1', '@x', '\tx']) assert.match(csvCell(cell), /^"?'/);
  assert.equal(csvCell('a"b,c'), '"a""b,c"');
  assert.equal(visible('a\u0000b\u202ec'), 'a\u2400b\ufffdc');
});

test('a_run_that_changes_is_matched_as_the_server_would', async () => {
  const { matches, since, readFilter } = await lib('filters');
  const run = { id: 'r1', workflow_id: 'w', status: 'waiting', labels: { team: 'blue' }, parent: null, contact_id: 'c-1', started_at: '2026-01-12T12:00:00Z', error: null };
  assert.ok(matches(run, {}));
  assert.ok(matches(run, { status: 'failed,waiting', label: 'team:blue', workflow_id: 'w', contact_id: 'c-1', q: 'C-1' }));
  for (const filter of [{ status: 'failed' }, { label: 'team:red' }, { label: 'x' }, { workflow_id: 'v' }, { contact_id: 'c' }, { parent: 'p' }, { from: '2026-01-13T00:00:00Z' }, { to: '2026-01-12T12:00:00Z' }, { q: 'zzz' }, { version: '2' }, { error_code: 'network' }, { node: 'wait' }, { attention: 'true' }])
    assert.ok(!matches(run, filter), JSON.stringify(filter));
  assert.equal(since('24h', Date.parse('2026-01-12T12:00:00Z')), '2026-01-11T12:00:00.000Z');
  assert.deepEqual(readFilter(new URLSearchParams('status=failed&tab=x&q=')), { status: 'failed' });
});

test('idle_time_folds_when_it_is_most_of_a_run', async () => {
  const { axisOf, placeOn, rowsOf } = await lib('timeline');
  const at = (s) => new Date(s * 1000).toISOString();
  const rows = rowsOf([
    { sequence: 1, type: 'NodeStarted', at: at(0), node_id: 'a', node_name: 'A' }, { sequence: 2, type: 'NodeSucceeded', at: at(10), node_id: 'a' },
    { sequence: 3, type: 'WaitOpened', at: at(10), node_id: 'b', node_name: 'B' }, { sequence: 4, type: 'WaitResumed', at: at(1000), node_id: 'b' },
    { sequence: 5, type: 'NodeStarted', at: at(1000), node_id: 'c', node_name: 'C' }, { sequence: 6, type: 'NodeFailed', at: at(1010), node_id: 'c' },
  ], 1_010_000);
  assert.deepEqual(rows.map((row) => row.bars.map((bar) => bar.kind)), [['success'], ['waiting'], ['failed']]);
  const axis = axisOf(rows, 0, 1_010_000);
  assert.ok(axis.some((segment) => segment.folded));
  assert.ok(placeOn(axis, 10_000) > 0.4 && placeOn(axis, 1_000_000) < 0.6);
  assert.equal(axisOf(rows, 0, 1_010_000, false).length, 1);
  assert.ok(Math.abs(axis.reduce((sum, segment) => sum + segment.size, 0) - 1) < 1e-9);
});

test('an_attempt_that_is_retried_is_a_bar_of_its_own', async () => {
  const { rowsOf } = await lib('timeline');
  const at = (s) => new Date(s * 1000).toISOString();
  const [row] = rowsOf([
    { sequence: 1, type: 'NodeStarted', at: at(0), node_id: 'a', node_name: 'A', attempt: 1 }, { sequence: 2, type: 'NodeRetryScheduled', at: at(1), node_id: 'a', attempt: 1 },
    { sequence: 3, type: 'NodeStarted', at: at(5), node_id: 'a', attempt: 2 }, { sequence: 4, type: 'NodeSucceeded', at: at(6), node_id: 'a', attempt: 2 },
  ], 6000);
  assert.deepEqual(row.bars.map((bar) => [bar.kind, bar.attempt]), [['failed', 1], ['success', 2]]);
});

test('differences_are_told_line_by_line_and_node_by_node', async () => {
  const { diffLines, mergedGraph } = await lib('diff');
  assert.deepEqual(diffLines('a\nb\nc', 'a\nx\nc').map((line) => line.kind + line.text), [' a', '-b', '+x', ' c']);
  const node = (id, name = id) => ({ id, name, type: 'log' });
  const { marks } = mergedGraph({ nodes: [node('a'), node('b')], edges: [] }, { nodes: [node('a', 'A'), node('c')], edges: [] });
  assert.deepEqual(marks, { a: '~', c: '+', b: '−' });
});

test('highlighting_loses_no_character', async () => {
  const { pieces, lines } = await lib('highlight');
  for (const [source, language] of [['{"a": "x\\"y", "b": [1, -2.5e3, null] // no\n}', 'json'], ['workflow f(x) {\n  // why\n  return `a ${x}` // b\n', 'flow'], ['"unclosed\n\'', 'flow']]) {
    assert.equal(pieces(source, language).map((piece) => piece.text).join(''), source);
    assert.equal(lines(source, language).map((line) => line.map((piece) => piece.text).join('')).join('\n'), source);
  }
});

test('a_layout_places_every_node_of_a_large_graph', async () => {
  const { layoutOf } = await lib('layout');
  const nodes = Array.from({ length: 300 }, (_, index) => ({ id: `n${index}`, name: '', type: 'log' }));
  const edges = nodes.slice(1).map((node, index) => ({ id: `e${index}`, src: `n${Math.floor(index / 2)}`, dst: node.id }));
  const layout = layoutOf({ nodes, edges: [...edges, { id: 'back', src: 'n299', dst: 'n0' }] });
  assert.equal(Object.keys(layout.nodes).length, 300);
  assert.equal(Object.keys(layout.edges).length, 300);
});

test('causes_of_failures_come_from_runs_and_name_their_node', async () => {
  const { causesOf } = await lib('verdict');
  const run = (workflow_id, code) => ({ id: workflow_id + code, workflow_id, status: 'failed', error: { code }, started_at: '2026-01-01T10:00:00Z', completed_at: '2026-01-01T10:00:00Z' });
  const measured = [{ workflow_id: 'a', node: 'charge', code: 'network', count: 9, first_at: '', last_at: '' }];
  const told = causesOf([run('a', 'network'), run('a', 'network'), run('b', 'oops')], true, measured);
  assert.deepEqual(told.map((cause) => [cause.workflow_id, cause.node, cause.count]), [['a', 'charge', 2], ['b', null, 1]]);
  assert.equal(causesOf([], true, measured).length, 0);
  assert.deepEqual(causesOf([], false, measured), measured);
});

test('pools_are_told_by_load_the_fullest_first', async () => {
  const { poolsOf } = await lib('verdict');
  const worker = (pool, active, max_parallel) => ({ status: 'online', pool, active, max_parallel });
  assert.deepEqual(poolsOf([worker('mail', 1, 4), worker('', 3, 4), worker('mail', 1, 4)]),
    [{ name: 'default', workers: 1, active: 3, room: 4, share: 75 }, { name: 'mail', workers: 2, active: 2, room: 8, share: 25 }]);
});

test('breakers_say_what_they_do_and_until_when', async () => {
  const { breakerWords, failModeWords } = await lib('breakers');
  const now = Date.parse('2026-01-01T10:00:00Z');
  const breaker = { name: 'safety', state: 'OPEN', failures: 3, probes: 0, probes_max: 3, changes_at: '2026-01-01T10:00:30Z' };
  assert.match(breakerWords(breaker, now), /^Nothing is asked for 30 s: 3 calls failed\./);
  assert.match(breakerWords({ ...breaker, state: 'HALF_OPEN', probes: 1 }, now), /1 of 3/);
  assert.match(breakerWords({ ...breaker, state: 'CLOSED', failures: 0 }, now), /answers come/);
  assert.notEqual(failModeWords('open'), failModeWords('closed'));
});

test('a_view_is_the_address_whatever_the_order_of_its_names', async () => {
  const { queryOf, sameQuery, sortedViews } = await lib('views');
  assert.deepEqual(queryOf(new URLSearchParams('status=failed&account=x&columns=&q=a')), { status: 'failed', q: 'a' });
  assert.ok(sameQuery({ a: '1', b: '2' }, { b: '2', a: '1' }));
  assert.ok(!sameQuery({ a: '1' }, { a: '1', b: '2' }));
  const view = (name, owner) => ({ name, owner });
  assert.deepEqual(sortedViews([view('b', 'other'), view('c', 'me'), view('a', 'me')], 'me').map((one) => one.name), ['a', 'c', 'b']);
});

test('what_is_kept_back_is_revealed_by_role', async () => {
  const { findingPlace, mayReveal } = await lib('output-policy');
  const can = (role) => (asked) => role === 'admin' || asked === role;
  assert.ok(mayReveal({ held: { sha256: '', bytes: 1, tries: 0 } }, can('operator')));
  assert.ok(!mayReveal({ original_kept: true }, can('operator')));
  assert.ok(mayReveal({ original_kept: true }, can('admin')));
  assert.ok(!mayReveal({}, can('admin')));
  assert.equal(findingPlace({ pointer: '/a/b', artifact: '', offset: 3, length: 4 }), '/a/b, byte 3 to 7');
  assert.equal(findingPlace({ pointer: '', artifact: 'log.txt', offset: 0, length: 0 }), 'artifact log.txt');
});

test('the_verdict_names_the_worst_first', async () => {
  const { problemsOf, verdictOf } = await lib('verdict');
  const now = Date.parse('2026-01-12T12:00:00Z');
  const failed = [{ workflow_id: 'w', status: 'failed', error: { code: 'network' }, started_at: '2026-01-12T11:30:00Z', completed_at: '2026-01-12T11:31:00Z' }];
  const problems = problemsOf({ failed, overdue: { count: 1, since: '2026-01-12T11:50:00Z' }, deadLetters: 2, unserved: [{ topic: 'job.a', depth: 2, oldest_ms: 1000 }, { topic: 'job.a', depth: 1, oldest_ms: 5000 }], lostWorkers: 0, stopped: [{ started_at: '2026-01-12T11:00:00Z' }], unreadable: { runs: [{ at: [{ node: '', kind: 'unreadable', at: '2026-01-12T10:30:00Z' }] }], rows: 1 }, breakersOpen: ['kernel'], now });
  assert.deepEqual(problems.map((problem) => problem.text), ['Nobody can resume 2 runs: what is stored cannot be read', 'Undoing 1 run has stopped', '1 wait is overdue', 'Policy cannot be asked. Not answering: kernel', '1 run of w failed with network in the last hour', '3 jobs of job.a have no worker', '2 dead letters wait for somebody to look']);
  assert.deepEqual([problems[0].href, problems[0].since], ['/runs?wait_kind=unreadable', '2026-01-12T10:30:00Z']);
  assert.match(verdictOf([], false), /^All well/);
  assert.doesNotMatch(verdictOf([], true), /well/);
});

test('a_calendar_puts_each_hour_where_the_clocks_of_its_zone_show_it', async () => {
  const { hourColumns, mondayOf, months, shade, short } = await lib('calendar');
  const { startOfDay } = await lib('zones');
  assert.equal(mondayOf('2026-03-29'), '2026-03-23');
  const kinds = new Set(['wait']);
  const buckets = [{ start: '2026-03-29T01:00:00Z', total: 3, by_kind: { wait: 2, schedule: 1 } }, { start: '2026-10-25T00:00:00Z', total: 1, by_kind: { wait: 1 } }, { start: '2026-10-25T01:00:00Z', total: 4, by_kind: { wait: 4 } }];
  const spring = hourColumns('2026-03-23', 7, 'Europe/Berlin', buckets, kinds).at(-1);
  assert.equal(spring.change, 60);
  assert.equal(spring.cells[2].exists, false);
  assert.equal(spring.cells[3].total, 2);
  const autumn = hourColumns('2026-10-25', 1, 'Europe/Berlin', buckets, kinds)[0];
  assert.equal(autumn.change, -60);
  assert.equal(autumn.cells[2].total, 5);
  assert.equal(autumn.cells[2].to - autumn.cells[2].from, 2 * 3_600_000);
  assert.equal(months('2026-03-01', 12, 'Europe/Berlin', buckets, kinds)[0].days[28].total, 2);
  // Midnight does not exist in Santiago on that day: it begins at one.
  assert.equal(new Date(startOfDay('2026-09-06', 'America/Santiago')).toISOString(), '2026-09-06T04:00:00.000Z');
  assert.deepEqual([0, 1, 5, 9].map((one) => shade(one, 9)), [0, 1, 4, 5]);
  assert.deepEqual([0, 999, 1200, 45_300, 2_500_000].map(short), ['', '999', '1.2k', '45k', '2.5M']);
});

test('cron_rules_are_told_in_words', async () => {
  const { cronWords } = await lib('cron');
  const told = {
    '30 2 * * *': 'Every day at 02:30', '0 9 * * MON-FRI': 'At 09:00 on Monday to Friday', '*/15 * * * *': 'Every 15 minutes', '@hourly': 'Every hour',
    '0 6,18 1 * *': 'At 06:00 and 18:00 on day 1 of the month', '0 9 * * MON#1': 'At 09:00 on the first Monday of the month', '5 4 1 JAN *': 'At 04:05 on day 1 of the month in January',
    '1-5 * * * *': '1-5 * * * *', nonsense: 'nonsense',
  };
  for (const [rule, words] of Object.entries(told)) assert.equal(cronWords(rule), words);
});

test('dead_letters_with_one_cause_are_one_group', async () => {
  const { letterGroups } = await lib('letters');
  const letter = (reason_code, topic, created_at) => ({ reason_code, topic, created_at });
  const groups = letterGroups([letter('a', 'x', '2'), letter('a', 'x', '1'), letter('b', 'x', '3')]);
  assert.deepEqual(groups.map(({ reason_code, count, first, last }) => [reason_code, count, first, last]), [['a', 2, '1', '2'], ['b', 1, '3', '3']]);
});

test('no_source_turns_text_into_markup_or_grows_beyond_its_file', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const entry of files) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    const text = readFileSync(path, 'utf8');
    assert.ok(!text.includes('{@html'), path);
    assert.ok(!/\.innerHTML|\beval\(|new Function\(/.test(text), path);
    assert.ok(!/ style="/.test(text), `${path}: inline styles are stopped by the policy`);
    if (!path.endsWith('openapi.d.ts')) assert.ok(text.split('\n').length <= 400, `${path} has over 400 lines`);
    if (!/lib\/(api|live\.svelte)\.ts$/.test(path)) assert.ok(!/\bfetch\(/.test(text), `${path} talks to the network`);
  }
});

// U-10
test('an_action_is_told_as_commands_that_a_shell_reads_as_they_are_meant', async () => {
  const { curlOf, fermataOf, shellWord } = await lib('commands');
  assert.equal(shellWord('plain-1.2'), 'plain-1.2');
  assert.equal(shellWord("it's $HOME"), `'it'\\''s $HOME'`);
  const call = { path: '/executions/a/cancel', body: { reason: "it's late" } };
  const curl = curlOf(call, 'http://127.0.0.1:4747', true);
  assert.ok(curl.includes('"X-API-Key: $FERMATA_KEY"'));
  const read = execFileSync('sh', ['-c', `curl() { for word; do printf '%s\\n' "$word"; done; }; ${curl}`], { encoding: 'utf8', env: { FERMATA_KEY: 'k' } }).trimEnd().split('\n');
  assert.deepEqual(read, ['-X', 'POST', 'http://127.0.0.1:4747/api/v1/executions/a/cancel', '-H', 'X-API-Key: k', '-H', 'Content-Type: application/json', '-d', '{"reason":"it\'s late"}']);
  const text = 'let a = "it\'s"\n';
  const put = curlOf({ method: 'PUT', path: '/workflows/w', text, type: 'text/x-flow', ifMatch: '"3"' }, 'http://127.0.0.1:4747', false);
  const words = execFileSync('sh', ['-c', `curl() { for word; do printf '%s|' "$word"; done; }; ${put}`], { encoding: 'utf8' }).split('|');
  assert.deepEqual(words, ['-X', 'PUT', 'http://127.0.0.1:4747/api/v1/workflows/w', '-H', 'If-Match: "3"', '-H', 'Content-Type: text/x-flow', '--data-binary', text, '']);
  assert.equal(fermataOf(['cancel', 'a'], { reason: 'two words', other: '' }, 'http://127.0.0.1:4747'), "fermata cancel a --reason 'two words'");
  assert.equal(fermataOf(['pause', 'a'], {}, 'https://f.example'), 'fermata pause a --server https://f.example');
});

// U-25
test('a_node_that_is_tried_again_carries_how_often', async () => {
  const { retryMarks } = await lib('places');
  const waiting = [{ kind: 'retry', node: 'charge', what: { attempt: 3 } }, { kind: 'call', node: 'mail', what: { attempt: 1 } }, { kind: 'retry', node: 'charge', what: { attempt: 2 } }];
  assert.deepEqual(retryMarks({ waiting }), { charge: '↻ 3' });
});
