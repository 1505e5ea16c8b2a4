// Asks the worker for layouts and remembers them by the definition's hash.

import type { Layout } from './layout.ts';
import workerUrl from './layout.worker.ts?worker&url';
import type { GraphDefinition } from './types.ts';
import { layouts as w } from '../words/shell.ts';

interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): { createScriptURL(url: string): unknown };
}

const layoutsMax = 50;
const known = new Map<string, Promise<Layout>>();
const asked = new Map<number, (layout: Layout) => void>();
let worker: Worker | null = null;
let next = 1;

/** The page's policy takes no plain text for a script's address; this one vouches for just ours. */
function trusted(url: string): string {
  const factory = (window as unknown as { trustedTypes?: PolicyFactory }).trustedTypes;
  if (!factory) return url;
  const policy = factory.createPolicy('fermata-worker', {
    createScriptURL: (wanted) => {
      if (wanted !== workerUrl) throw new TypeError(w.onlyTheLayoutWorker);
      return wanted;
    },
  });
  return policy.createScriptURL(url) as string;
}

function running(): Worker {
  if (worker) return worker;
  worker = new Worker(trusted(workerUrl), { type: 'module' });
  worker.addEventListener('message', (event: MessageEvent<{ id: number; layout: Layout }>) => {
    asked.get(event.data.id)?.(event.data.layout);
    asked.delete(event.data.id);
  });
  return worker;
}

export function layoutFor(hash: string, definition: GraphDefinition): Promise<Layout> {
  const found = known.get(hash);
  if (found) return found;
  const id = next++;
  const plain = {
    nodes: definition.nodes.map((node) => ({ id: node.id, name: '', type: '' })),
    edges: definition.edges.map(({ id: edge, src, dst }) => ({ id: edge, src, dst })),
  };
  const made = new Promise<Layout>((resolve) => {
    asked.set(id, resolve);
    running().postMessage({ id, definition: plain });
  });
  const oldest = known.keys().next().value;
  if (known.size >= layoutsMax && oldest !== undefined) known.delete(oldest);
  known.set(hash, made);
  return made;
}
