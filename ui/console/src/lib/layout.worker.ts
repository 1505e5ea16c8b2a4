import { layoutOf } from './layout.ts';
import type { GraphDefinition } from './types.ts';

addEventListener('message', (event: MessageEvent<{ id: number; definition: GraphDefinition }>) => {
  const { id, definition } = event.data;
  postMessage({ id, layout: layoutOf(definition) });
});
