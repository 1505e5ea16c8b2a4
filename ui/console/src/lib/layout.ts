// Where the boxes of a definition stand. Pure; runs in a worker for the graph, in tests as it is.

import { Graph, layout as dagreLayout } from '@dagrejs/dagre';
import type { GraphDefinition } from './types.ts';

export const boxWidth = 168;
export const boxHeight = 48;

export interface Point {
  x: number;
  y: number;
}

export interface Layout {
  width: number;
  height: number;
  /** Middles of the boxes. */
  nodes: Record<string, Point>;
  edges: Record<string, Point[]>;
}

export function layoutOf(definition: GraphDefinition): Layout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', ranker: 'tight-tree', nodesep: 24, ranksep: 40, marginx: 16, marginy: 16 });
  graph.setDefaultEdgeLabel(() => ({}));
  const known = new Set<string>();
  for (const node of definition.nodes) {
    known.add(node.id);
    graph.setNode(node.id, { width: boxWidth, height: boxHeight });
  }
  for (const edge of definition.edges)
    if (known.has(edge.src) && known.has(edge.dst)) graph.setEdge(edge.src, edge.dst, {}, edge.id);
  dagreLayout(graph);
  const size = graph.graph() as { width?: number; height?: number };
  const out: Layout = { width: size.width ?? 0, height: size.height ?? 0, nodes: {}, edges: {} };
  for (const id of graph.nodes()) {
    const { x, y } = graph.node(id) as Point;
    out.nodes[id] = { x, y };
  }
  for (const edge of graph.edges()) {
    const { points } = graph.edge(edge) as { points?: Point[] };
    out.edges[String(edge.name)] = (points ?? []).map(({ x, y }) => ({ x, y }));
  }
  return out;
}
