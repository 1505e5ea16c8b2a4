// What differs between two texts, line by line, and between two graphs, node by node.

import type { GraphDefinition } from './types.ts';

export interface DiffLine {
  kind: ' ' | '+' | '-';
  text: string;
}

const cellsMax = 4_000_000;

export function diffLines(before: string, after: string): DiffLine[] {
  const a = before.split('\n');
  const b = after.split('\n');
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  const left = a.slice(start, a.length - end);
  const right = b.slice(start, b.length - end);
  const same = (text: string): DiffLine => ({ kind: ' ', text });
  const middle = left.length * right.length > cellsMax
    ? [...left.map((text): DiffLine => ({ kind: '-', text })), ...right.map((text): DiffLine => ({ kind: '+', text }))]
    : longestCommon(left, right);
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

function longestCommon(a: string[], b: string[]): DiffLine[] {
  const width = b.length + 1;
  const table = new Uint32Array((a.length + 1) * width);
  const cell = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      table[i * width + j] = a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
  const out: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      out.push({ kind: ' ', text: a[i] ?? '' });
      i++;
      j++;
    } else if (i < a.length && (j >= b.length || cell(i + 1, j) >= cell(i, j + 1))) out.push({ kind: '-', text: a[i++] ?? '' });
    else out.push({ kind: '+', text: b[j++] ?? '' });
  }
  return out;
}

/** One graph of both, with + − ~ by node. */
export function mergedGraph(before: GraphDefinition, after: GraphDefinition): { definition: GraphDefinition; marks: Record<string, string> } {
  const marks: Record<string, string> = {};
  const old = new Map(before.nodes.map((node) => [node.id, JSON.stringify(node)]));
  for (const node of after.nodes) {
    const was = old.get(node.id);
    if (was === undefined) marks[node.id] = '+';
    else if (was !== JSON.stringify(node)) marks[node.id] = '~';
    old.delete(node.id);
  }
  const gone = before.nodes.filter((node) => old.has(node.id));
  for (const node of gone) marks[node.id] = '−';
  const edges = new Map([...before.edges, ...after.edges].map((edge) => [`${edge.id} ${edge.src} ${edge.dst}`, edge]));
  return {
    definition: { nodes: [...after.nodes, ...gone], edges: [...edges.entries()].map(([key, edge]) => ({ ...edge, id: key })) },
    marks,
  };
}
