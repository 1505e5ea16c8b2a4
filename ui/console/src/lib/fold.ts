// The state of every node and edge after an event, folded from the history in the browser (U-30).
// The server's own answer is the judge: a browser test compares the two event by event.

import type { GraphDefinition, HistoryEvent, NodeState, RunNodes } from './types.ts';

type State = 'running' | 'waiting' | 'success' | 'failed' | 'cancelled' | 'skipped';
/** What is under way is told first, then how the worst of it ended. */
const byWeight: State[] = ['running', 'waiting', 'failed', 'cancelled', 'success', 'skipped'];
export const foldedEventsMax = 20_000;

const begins: Record<string, State> = {
  NodeStarted: 'running',
  CallRequested: 'running',
  JobRequested: 'running',
  ChildRequested: 'running',
  SignalSent: 'running',
  NodeRetryScheduled: 'waiting',
  WaitOpened: 'waiting',
  ApprovalRequested: 'waiting',
};

/** A run that began with the state of another, or changed its version, tells too little by itself. */
export function canFold(history: HistoryEvent[]): boolean {
  return history.length <= foldedEventsMax && history[0]?.sequence === 1 && !history.some((event) => event.seed_bytes !== undefined || event.type.endsWith('Migrated'));
}

/** The aggregator that closes a split: the first one on the way that no inner split has taken. */
export function aggregatorOf(definition: GraphDefinition, split: string): string {
  const types = new Map(definition.nodes.map((node) => [node.id, node.type]));
  const seen = new Set<string>();
  const queue: [string, number][] = definition.edges.filter((edge) => edge.src === split).map((edge) => [edge.dst, 0]);
  for (let next = queue.shift(); next; next = queue.shift()) {
    const [id, depth] = next;
    const type = types.get(id);
    if (type === 'aggregator' && depth === 0) return id;
    const key = `${id} ${depth}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const inner = depth + (type === 'split' ? 1 : type === 'aggregator' ? -1 : 0);
    for (const edge of definition.edges) if (edge.src === id) queue.push([edge.dst, inner]);
  }
  return '';
}

function branchOf(event: HistoryEvent): string {
  return event.lineage?.at(-1)?.branch_id ?? '';
}

function within(branch: string, outer: string): boolean {
  return outer === '' || branch === outer || branch.startsWith(`${outer}/`);
}

class Fold {
  private readonly counts = new Map<string, Map<State, number>>();
  private readonly followed = new Map<string, number>();
  private readonly open = new Map<string, { node: string; state: State; branch: string }>();
  private readonly merges = new Map<string, { node: string; branch: string }>();
  private readonly scopes = new Map<string, { aggregator: string; branch: string }>();
  private readonly definition: GraphDefinition;

  constructor(definition: GraphDefinition) {
    this.definition = definition;
  }

  take(event: HistoryEvent): void {
    const node = event.node_id ?? '';
    const branch = branchOf(event);
    const key = `${node} ${branch} ${event.visit ?? 0}`;
    const begun = begins[event.type];
    if (begun && node) {
      this.leave(key);
      this.open.set(key, { node, state: begun, branch });
      this.add(node, begun, 1);
      return;
    }
    switch (event.type) {
      case 'NodeSucceeded':
        return this.end(key, node, event.skipped ? 'skipped' : 'success', event);
      case 'WaitResumed':
        return this.end(key, node, 'success', event);
      case 'NodeFailed':
        return this.end(key, node, 'failed', event);
      case 'SplitOpened':
        return this.split(key, node, branch, event);
      case 'SplitClosed':
        return this.close(`${branch}|${node}@${event.visit ?? 0}`);
      case 'MergeArrived':
        if (!this.merges.has(key)) {
          this.merges.set(key, { node, branch });
          this.add(node, 'waiting', 1);
        }
        return;
      case 'MergeOpened':
      case 'MergeFailed':
        if (this.merges.delete(key)) this.add(node, 'waiting', -1);
        this.add(node, event.type === 'MergeOpened' ? 'success' : 'failed', 1);
        return this.follow(event);
      case 'NodesSkipped':
        for (const one of (event.nodes as string[] | undefined) ?? []) this.add(one, 'skipped', 1);
        return;
      case 'TokensCancelled':
        return this.cancel(branch, event);
    }
  }

  private add(node: string, state: State, by: number): void {
    const counts = this.counts.get(node) ?? new Map<State, number>();
    counts.set(state, (counts.get(state) ?? 0) + by);
    this.counts.set(node, counts);
  }

  private leave(key: string): void {
    const known = this.open.get(key);
    if (known) this.add(known.node, known.state, -1);
    this.open.delete(key);
  }

  private end(key: string, node: string, state: State, event: HistoryEvent): void {
    this.leave(key);
    this.add(node, state, 1);
    this.follow(event);
  }

  private follow(event: HistoryEvent): void {
    for (const edge of (event.edges as string[] | undefined) ?? []) this.followed.set(edge, (this.followed.get(edge) ?? 0) + 1);
  }

  private split(key: string, node: string, branch: string, event: HistoryEvent): void {
    this.leave(key);
    this.add(node, 'success', 1);
    const total = Number(event.total ?? 0);
    for (const edge of this.definition.edges)
      if (edge.src === node && edge.type !== 'error') this.followed.set(edge.id, (this.followed.get(edge.id) ?? 0) + total);
    const aggregator = aggregatorOf(this.definition, node);
    this.scopes.set(`${branch}|${node}@${event.visit ?? 0}`, { aggregator, branch });
    if (aggregator) this.add(aggregator, 'waiting', 1);
  }

  private close(scope: string): void {
    const known = this.scopes.get(scope);
    if (known?.aggregator) this.add(known.aggregator, 'waiting', -1);
    this.scopes.delete(scope);
  }

  private cancel(branch: string, event: HistoryEvent): void {
    const nodes = (event.nodes as string[] | undefined) ?? [];
    const counts = (event.counts as number[] | undefined) ?? [];
    nodes.forEach((node, index) => this.add(node, 'cancelled', counts[index] ?? 0));
    if (!event.whole_lineage) {
      // Of those that stood there, as many as were cancelled.
      nodes.forEach((node, index) => {
        const here = [...this.open].filter(([, one]) => one.node === node && one.branch === branch);
        for (const [key] of here.slice(0, counts[index] ?? 0)) this.leave(key);
      });
      return;
    }
    for (const [key, one] of [...this.open]) if (within(one.branch, branch)) this.leave(key);
    for (const [key, one] of [...this.merges])
      if (within(one.branch, branch)) {
        this.merges.delete(key);
        this.add(one.node, 'waiting', -1);
      }
    for (const [key, one] of [...this.scopes]) if (within(one.branch, branch)) this.close(key);
  }

  value(): RunNodes {
    const nodes = this.definition.nodes.map((node): NodeState => {
      const counts = this.counts.get(node.id) ?? new Map<State, number>();
      const shown = Object.fromEntries([...counts].filter(([, many]) => many > 0));
      return { node_id: node.id, node_name: node.name, type: node.type, status: byWeight.find((state) => (counts.get(state) ?? 0) > 0) ?? null, counts: shown };
    });
    return { nodes, edges: this.definition.edges.map((edge) => ({ edge_id: edge.id, count: this.followed.get(edge.id) ?? 0 })) };
  }
}

/** Nodes and edges as they were after the event with this sequence. */
export function nodesAt(definition: GraphDefinition, history: HistoryEvent[], at: number): RunNodes {
  const fold = new Fold(definition);
  for (const event of history) {
    if (event.sequence > at) break;
    fold.take(event);
  }
  return fold.value();
}
