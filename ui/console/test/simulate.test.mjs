// The pure parts behind Simulate, time travel, zoom, columns and folded regions.
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lib = {};
let vite;
before(async () => {
  vite = await createServer({ root, configFile: false, logLevel: 'error', appType: 'custom', server: { middlewareMode: true, watch: null, ws: false } });
  for (const name of ['columns', 'fold', 'regions', 'simulations', 'timeline']) Object.assign(lib, await vite.ssrLoadModule(`/src/lib/${name}.ts`));
});
after(() => vite.close());

const node = (id, type = 'noop', parameters = {}) => ({ id, name: id.toUpperCase(), type, parameters });
const edge = (id, src, dst) => ({ id, src, dst });
const graph = {
  nodes: [node('t', 'manual'), node('s', 'split'), node('a'), node('in', 'split'), node('b'), node('ag2', 'aggregator'), node('ag', 'aggregator'), node('z')],
  edges: [edge('1', 't', 's'), edge('2', 's', 'a'), edge('3', 'a', 'in'), edge('4', 'in', 'b'), edge('5', 'b', 'ag2'), edge('6', 'ag2', 'ag'), edge('7', 'ag', 'z')],
};

test('durations_are_read_as_people_write_them', () => {
  assert.equal(lib.readDuration('5s'), 5000);
  assert.equal(lib.readDuration('2h 30m'), 9_000_000);
  assert.equal(lib.readDuration('250ms'), 250);
  assert.equal(lib.readDuration('1.5d'), 129_600_000);
  assert.equal(lib.readDuration('90'), 90_000);
  assert.equal(lib.readDuration(''), 0);
  assert.ok(Number.isNaN(lib.readDuration('soon')));
});

test('a_form_is_a_request_or_names_what_is_wrong', () => {
  const form = { ...lib.emptyForm(), workflow: 'order', input: '{"n": 1}', rules: [{ kind: 'signals', name: 'paid', from: '1m', to: '1h', failure: '10', answer: '{"ok":true}' }], promises: [{ name: '', condition: '$length_ms < 5' }] };
  const { body, wrong } = lib.readForm(form);
  assert.deepEqual(wrong, {});
  assert.equal(body.workflow_id, 'order');
  assert.deepEqual(body.signals, [{ name: 'paid', latency_min_ms: 60_000, latency_max_ms: 3_600_000, missing: 0.1, payload: { ok: true } }]);
  assert.deepEqual(body.promises, ['ends', 'completes', { name: '$length_ms < 5', condition: '$length_ms < 5' }]);
  const bad = lib.readForm({ ...form, workflow: '', input: '{', seeds: '0', reject: '300', rules: [{ kind: 'calls', name: '', from: 'x', to: '', failure: '-1', answer: '' }] });
  assert.equal(bad.body, undefined);
  assert.deepEqual(Object.keys(bad.wrong).sort(), ['input', 'reject', 'rules.0.failure', 'rules.0.from', 'rules.0.name', 'seeds', 'workflow']);
  for (const example of lib.examples) assert.ok(lib.readForm(example.form).body, example.name);
});

test('what_a_definition_meets_outside_is_offered', () => {
  assert.deepEqual(lib.rulesFor({ nodes: [node('c', 'http'), node('j', 'job', { topic: 'mail' }), node('w', 'wait_for_signal', { name: 'paid' })], edges: [] }).map((rule) => [rule.kind, rule.name]),
    [['calls', 'C'], ['jobs', 'mail'], ['signals', 'paid']]);
  assert.deepEqual(lib.rulesFor({ language: 'flow', source: 'await Task.run("a", 1)\nawait Signal.next("b")\nawait Task.run("a")' }).map((rule) => [rule.kind, rule.name]), [['jobs', 'a'], ['signals', 'b']]);
});

test('the_slowest_path_goes_back_along_what_was_waited_for', () => {
  const event = (sequence, type, node_id, seconds, extra = {}) => ({ sequence, type, node_id, node_name: node_id, at: new Date(seconds * 1000).toISOString(), lineage: [], visit: 0, ...extra });
  const fork = { nodes: [node('t'), node('quick'), node('slow'), node('join', 'merge')], edges: [edge('1', 't', 'quick'), edge('2', 't', 'slow'), edge('3', 'quick', 'join'), edge('4', 'slow', 'join')] };
  const history = [
    event(1, 'NodeSucceeded', 't', 0), event(2, 'NodeStarted', 'quick', 0), event(3, 'NodeStarted', 'slow', 0), event(4, 'NodeSucceeded', 'quick', 2),
    event(5, 'NodeSucceeded', 'slow', 9), event(6, 'NodeStarted', 'join', 9), event(7, 'NodeSucceeded', 'join', 10),
  ];
  assert.deepEqual(lib.slowestPath(fork, history).map((step) => step.node), ['t', 'slow', 'join']);
  // What was given up when the other came first decided nothing.
  const given = [...history.slice(0, 4), event(5, 'NodeStarted', 'join', 2), event(6, 'NodeSucceeded', 'join', 3), event(7, 'TokensCancelled', undefined, 3)];
  assert.deepEqual(lib.slowestPath(fork, given).map((step) => step.node), ['t', 'quick', 'join']);
});

test('a_split_is_closed_by_its_own_aggregator', () => {
  assert.equal(lib.aggregatorOf(graph, 's'), 'ag');
  assert.equal(lib.aggregatorOf(graph, 'in'), 'ag2');
  assert.equal(lib.aggregatorOf(graph, 'z'), '');
});

test('nodes_are_folded_from_the_history', () => {
  const at = (sequence, type, fields = {}) => ({ sequence, type, at: new Date(sequence * 1000).toISOString(), lineage: [], visit: 0, attempt: 1, ...fields });
  const branch = (index) => [{ branch_id: `s@0.${index}`, item_index: index, split_node_id: 's', total_items: 2 }];
  const history = [
    at(1, 'RunStarted'), at(2, 'NodeSucceeded', { node_id: 't', edges: ['1'] }), at(3, 'SplitOpened', { node_id: 's', total: 2 }),
    at(4, 'NodeStarted', { node_id: 'a', lineage: branch(0) }), at(5, 'NodeRetryScheduled', { node_id: 'a', lineage: branch(0) }),
    at(6, 'NodeSucceeded', { node_id: 'a', lineage: branch(0), edges: ['3'] }), at(7, 'NodeFailed', { node_id: 'a', lineage: branch(1), edges: [] }),
    at(8, 'SplitClosed', { node_id: 's' }),
  ];
  const counts = (when, id) => lib.nodesAt(graph, history, when).nodes.find((one) => one.node_id === id);
  assert.deepEqual(counts(3, 'ag').counts, { waiting: 1 });
  assert.equal(counts(4, 'a').status, 'running');
  assert.equal(counts(5, 'a').status, 'waiting');
  assert.deepEqual(counts(8, 'a').counts, { success: 1, failed: 1 });
  assert.equal(counts(8, 'a').status, 'failed');
  assert.deepEqual(counts(8, 'ag').counts, {});
  assert.equal(lib.nodesAt(graph, history, 8).edges.find((one) => one.edge_id === '2').count, 2);
  assert.ok(lib.canFold(history));
  assert.ok(!lib.canFold([at(1, 'RunStarted', { seed_bytes: 12 })]));
});

test('regions_fold_into_their_split_and_the_outermost_takes_all', () => {
  const regions = lib.regionsOf(graph);
  assert.deepEqual(regions.map((region) => [region.split, region.inside.toSorted()]), [['s', ['a', 'ag2', 'b', 'in']], ['in', ['b']]]);
  const folded = lib.foldRegions(graph, regions, new Set(['s', 'in']));
  assert.deepEqual(folded.definition.nodes.map((one) => one.id), ['t', 's', 'ag', 'z']);
  assert.deepEqual(folded.hidden, { s: 4 });
  assert.deepEqual(folded.definition.edges.map((one) => `${one.src}-${one.dst}`), ['t-s', 's-ag', 'ag-z']);
  assert.equal(lib.foldRegions(graph, regions, new Set()).definition, graph);
  const states = new Map([['s', { node_id: 's', counts: { success: 1 }, status: 'success' }], ['a', { counts: { success: 3, failed: 1 } }], ['b', { counts: { waiting: 2 } }]]);
  assert.deepEqual(lib.foldedState(states, regions[0]).counts, { success: 3, failed: 1, waiting: 2 });
  assert.equal(lib.foldedState(states, regions[0]).status, 'waiting');
});

test('the_timeline_is_zoomed_within_its_ends', () => {
  const close = lib.zoomed(lib.whole, 4, 0.5, 0.001);
  assert.deepEqual(close, { from: 0.375, size: 0.25 });
  assert.deepEqual(lib.zoomed(close, 1 / 100, 0.5, 0.001), lib.whole);
  assert.deepEqual(lib.moved(close, 10), { from: 0.75, size: 0.25 });
  assert.deepEqual(lib.moved(close, -10), { from: 0, size: 0.25 });
  assert.equal(lib.inView(close, 0.5), 0.5);
  assert.equal(lib.inView(close, 0), 0);
  const ticks = lib.ticksOf(lib.axisOf([], 0, 6000, false), lib.whole);
  assert.deepEqual(ticks.map((tick) => tick.time), [0, 1000, 2000, 3000, 4000, 5000]);
});

test('columns_are_chosen_ordered_and_sized_in_the_address', () => {
  const known = ['status', 'workflow', 'id'].map((id) => ({ id, name: id, width: '1fr' }));
  const chosen = lib.readColumns('id:200,status,nonsense,id,workflow:9999', known);
  assert.deepEqual(chosen, [{ id: 'id', width: 200 }, { id: 'status', width: 0 }, { id: 'workflow', width: 800 }]);
  assert.equal(lib.writeColumns(chosen, known), 'id:200,status,workflow:800');
  assert.equal(lib.writeColumns(lib.readColumns('', known), known), '');
  assert.deepEqual(lib.shownColumns(chosen, known).map((column) => column.width), ['200px', '1fr', '800px']);
  assert.deepEqual(lib.movedColumn(chosen, 'status', -1).map((column) => column.id), ['status', 'id', 'workflow']);
  assert.equal(lib.movedColumn(chosen, 'id', -1), chosen);
});
