/**
 * Stores a small workflow, starts it, approves it and prints the result. Start a server first
 * (`./dev run`), then: npm run build && node dist/examples/start-and-wait.js
 */
import { Client } from "../src/index.js";

const workflow = {
  nodes: [
    { id: "start", type: "manual", trigger: true },
    { id: "ask", type: "wait_for_signal", parameters: { name: "approve" } },
    {
      id: "answer",
      type: "code",
      parameters: { source: "return { order: $input.order, approved: $ask.payload.ok }" },
    },
  ],
  edges: [
    { id: "e1", src: "start", dst: "ask" },
    { id: "e2", src: "ask", dst: "answer" },
  ],
};

const client = new Client();
await client.putWorkflow("approval", workflow);
const execution = await client.start("approval", { order: 17 });
console.log("waiting for:", (await execution.get()).waiting);
await execution.signal("approve", { ok: true });
console.log("result:", await execution.result({ timeoutMs: 30_000 }));
