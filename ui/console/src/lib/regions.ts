// Regions of a graph that can be folded: what stands between a split and the aggregator that closes
// it (U-25); pure.

import { aggregatorOf } from './fold.ts';
import type { GraphDefinition, NodeState } from './types.ts';

export interface Region {
  split: string;
  /** Nodes inside, without the split and its aggregator. */
  inside: string[];
}

/** A graph of more nodes begins with its regions folded. */
export const foldFrom = 300;

export function regionsOf(definition: GraphDefinition): Region[] {
  const next = new Map<string, string[]>();
  for (const edge of definition.edges) next.set(edge.src, [...(next.get(edge.src) ?? []), edge.dst]);
  const out: Region[] = [];
  for (const node of definition.nodes) {
    if (node.type !== 'split') continue;
    const end = aggregatorOf(definition, node.id);
    const inside = new Set<string>();
    const queue = [...(next.get(node.id) ?? [])];
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (id === end || id === node.id || inside.has(id)) continue;
      inside.add(id);
      queue.push(...(next.get(id) ?? []));
    }
    if (inside.size) out.push({ split: node.id, inside: [...inside] });
  }
  return out;
}

export interface Folded {
  definition: GraphDefinition;
  /** By split: how many nodes are folded into it. */
  hidden: Record<string, number>;
}

/** The graph without what is folded; edges that led into a region and out of it meet at its split. */
export function foldRegions(definition: GraphDefinition, regions: Region[], folded: Set<string>): Folded {
  const owner = new Map<string, string>();
  // The outermost region that is folded takes all that is inside it.
  for (const region of [...regions].sort((a, b) => b.inside.length - a.inside.length))
    if (folded.has(region.split) && !owner.has(region.split)) for (const id of region.inside) if (!owner.has(id)) owner.set(id, region.split);
  if (owner.size === 0) return { definition, hidden: {} };
  const hidden: Record<string, number> = {};
  for (const split of owner.values()) hidden[split] = (hidden[split] ?? 0) + 1;
  const place = (id: string) => owner.get(id) ?? id;
  const seen = new Set<string>();
  const edges = definition.edges.flatMap((edge) => {
    const src = place(edge.src);
    const dst = place(edge.dst);
    const key = `${src} ${dst}`;
    const inner = owner.has(edge.src) || owner.has(edge.dst);
    if (src === dst || (inner && seen.has(key))) return [];
    if (inner) seen.add(key);
    return [{ ...edge, src, dst }];
  });
  return { definition: { ...definition, nodes: definition.nodes.filter((node) => !owner.has(node.id)), edges }, hidden };
}

/** What a folded region comes to: the counts of all that is inside, with those of its split. */
export function foldedState(states: Map<string, NodeState>, region: Region): NodeState | undefined {
  const own = states.get(region.split);
  if (!own) return undefined;
  const counts: Record<string, number> = {};
  for (const id of region.inside) for (const [status, many] of Object.entries(states.get(id)?.counts ?? {})) counts[status] = (counts[status] ?? 0) + many;
  const weight = ['running', 'waiting', 'failed', 'cancelled', 'success', 'skipped'];
  return { ...own, counts: Object.keys(counts).length ? counts : own.counts, status: weight.find((status) => (counts[status] ?? 0) > 0) ?? own.status };
}
