// What a server with very much in it answers how fast (U-56): `node million.mjs [RUNS]`. It takes minutes and a few
// gigabytes, so it runs alone. Times are the best of five: what others do on the machine is not the server's fault.

import { end, serve } from './harness.mjs';
import { startMany } from './many.mjs';

const runs = Number(process.argv[2] ?? 1_000_000);
const limitMs = 100;

const server = await serve();
await server.put('/workflows/reminder', {
  nodes: [{ id: 'start', name: 'Start', type: 'manual', trigger: true }, { id: 'wait', name: 'Wait', type: 'wait', parameters: { amount: 20, unit: 'days' } }],
  edges: [{ id: '1', src: 'start', dst: 'wait' }],
});
const begun = Date.now();
await startMany(server, 'reminder', runs);
console.log(`${runs} runs and waits in ${Math.round((Date.now() - begun) / 1000)} s`);
const now = Date.now();
const span = `from=${new Date(now).toISOString()}&to=${new Date(now + 28 * 86_400_000).toISOString()}`;
let slow = 0;
for (const path of ['/overview', '/executions/stats', '/executions/stats?group_by=workflow_id', '/waits/stats', `/calendar?${span}&bucket=hour`, '/executions?limit=50', '/jobs/stats', '/dlq/stats']) {
  let best = Infinity;
  for (let i = 0; i < 5; i++) {
    const asked = performance.now();
    await server.get(path);
    best = Math.min(best, performance.now() - asked);
  }
  console.log(`${best.toFixed(1).padStart(8)} ms  ${path}`);
  if (best > limitMs) slow += 1;
}
await end();
process.exit(slow ? 1 : 0);
