import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import {
  Client,
  Conflict,
  ExecutionEnded,
  NotFound,
  Refused,
  TimedOut,
  Unreachable,
} from "../src/index.js";
import { freePort, Server } from "./server.js";

function graph(nodes: object[], edges: [string, string][]): object {
  return {
    nodes: [{ id: "t", type: "manual", trigger: true }, ...nodes],
    edges: edges.map(([src, dst], i) => ({ id: `e${i}`, src, dst })),
  };
}

const add = graph(
  [{ id: "sum", type: "code", parameters: { source: "return $input.a + $input.b" } }],
  [["t", "sum"]],
);
const ask = graph(
  [{ id: "ask", type: "wait_for_signal", parameters: { name: "answer" } }],
  [["t", "ask"]],
);
const rest = graph(
  [
    { id: "rest", type: "wait", parameters: { amount: 2, unit: "seconds" } },
    { id: "done", type: "code", parameters: { source: "return 'rested'" } },
  ],
  [
    ["t", "rest"],
    ["rest", "done"],
  ],
);
const broken = graph(
  [{ id: "no", type: "fail", parameters: { code: "broken", message: "on purpose" } }],
  [["t", "no"]],
);

interface Outputs {
  [node: string]: { result?: unknown; payload?: unknown };
}

describe("client", () => {
  let server: Server;
  let client: Client;

  before(async () => {
    server = await Server.started();
    client = new Client({ server: server.url });
    for (const [name, definition] of Object.entries({ add, ask, rest, broken }))
      await client.putWorkflow(name, definition);
  });
  after(() => server.stop());

  it("gives the output of an execution as its result", async () => {
    const execution = await client.start("add", { a: 1, b: 2 });
    assert.equal((await execution.result<Outputs>({ timeoutMs: 10_000 }))["sum"]?.result, 3);
  });

  it("rejects with what an execution failed with", async () => {
    const execution = await client.start("broken");
    await assert.rejects(execution.result(), (error: unknown) => {
      assert(error instanceof ExecutionEnded);
      return error.status === "failed" && error.code === "broken";
    });
  });

  it("sends a signal that is taken once", async () => {
    const execution = await client.start("ask");
    await execution.signal("answer", { yes: true }, "s1");
    assert.deepEqual((await execution.result<Outputs>())["ask"]?.payload, { yes: true });
  });

  it("gives the same execution for the same key", async () => {
    const first = await client.start("add", { a: 1, b: 1 }, { idempotencyKey: "k" });
    const again = await client.start("add", { a: 1, b: 1 }, { idempotencyKey: "k" });
    assert.equal(first.id, again.id);
    const other = client.start("add", { a: 2, b: 2 }, { idempotencyKey: "k" });
    await assert.rejects(other, Conflict);
  });

  it("cancels", async () => {
    const execution = await client.start("ask");
    await execution.cancel("no longer needed");
    await assert.rejects(execution.result(), { status: "cancelled" });
  });

  it("lists what was started page by page", async () => {
    const started = new Set<string>();
    for (let i = 0; i < 5; ++i)
      started.add((await client.start("add", { a: i, b: 0 }, { labels: { batch: "list" } })).id);
    const listed = new Set<string>();
    for await (const one of client.executions({ label: "batch=list" }, 2)) listed.add(one.id);
    assert.deepEqual(listed, started);
  });

  it("tells what does not exist from what is wrong", async () => {
    await assert.rejects(client.execution("nobody").get(), NotFound);
    const bad = client.putWorkflow("bad", { nodes: [], edges: [] });
    await assert.rejects(bad, (error: unknown) => {
      assert(error instanceof Refused);
      return error.status === 422 && error.errors.length > 0;
    });
  });

  it("gives up on a late result and on a server that is not there", async () => {
    const execution = await client.start("ask");
    await assert.rejects(execution.result({ timeoutMs: 300 }), TimedOut);
    const nowhere = new Client({ server: `http://127.0.0.1:${await freePort()}`, patienceMs: 200 });
    await assert.rejects(nowhere.start("add"), Unreachable);
  });

  it("loses nothing when the server is killed and started again", async () => {
    const execution = await client.start("rest");
    const waiting = execution.result<Outputs>({ timeoutMs: 30_000 });
    await pause(300);
    await server.kill();
    const starting = client.start("rest").then((e) => e.result<Outputs>({ timeoutMs: 30_000 }));
    await pause(300);
    await server.start();
    for (const output of await Promise.all([waiting, starting]))
      assert.equal(output["done"]?.result, "rested");
  });
});
