/**
 * Does a workflow's jobs: stores the workflow, works, starts it and prints the result. Start a
 * server first (`./dev run`), then: npm run build && node dist/examples/worker.js
 */
import { setTimeout as pause } from "node:timers/promises";

import { Client, Worker } from "../src/index.js";

const workflow = {
  nodes: [
    { id: "start", type: "manual", trigger: true },
    {
      id: "charge",
      type: "job",
      parameters: { topic: "charge", input: { amount: "{{ $input.amount }}" } },
    },
  ],
  edges: [{ id: "e1", src: "start", dst: "charge" }],
  result: "{{ $charge.output }}",
};

const worker = new Worker({ slots: 4 });
worker.task("charge", async (order: { amount: number }, job) => {
  console.log("charging", order.amount, "attempt", job.attempt);
  await job.log("asking the bank");
  await pause(1_000 * Number(process.env["BANK_SECONDS"] ?? 0.2));
  // Whoever takes the money is given the key: a second attempt must not charge twice.
  return { charged: order.amount, under: job.idempotencyKey };
});

await worker.start();
const client = new Client();
await client.putWorkflow("payment", workflow);
const execution = await client.start("payment", { amount: 12 });
console.log("result:", await execution.result({ timeoutMs: 60_000 }));
await worker.stop();
