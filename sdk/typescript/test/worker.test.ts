import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { Client, ExecutionEnded, Fatal, Retryable, Worker } from "../src/index.js";
import { Server } from "./server.js";

function oneJob(topic: string): object {
  return {
    nodes: [
      { id: "t", type: "manual", trigger: true },
      { id: "j", type: "job", parameters: { topic, input: { n: "{{ $input.n }}" } } },
    ],
    edges: [{ id: "e", src: "t", dst: "j" }],
    result: "{{ $j.output }}",
  };
}

describe("worker", () => {
  let server: Server;
  let client: Client;
  let worker: Worker;

  beforeEach(async () => {
    server = await Server.started();
    client = new Client({ server: server.url });
    worker = new Worker({ server: server.url, slots: 4, warn: () => {} });
  });
  afterEach(async () => {
    await worker.stop(5_000);
    await server.stop();
  });

  async function runJob(topic: string, n = 1) {
    await client.putWorkflow(topic, oneJob(topic));
    return client.start(topic, { n });
  }

  it("gives the results of its tasks", async () => {
    worker.task("double", (input: { n: number }) => input.n * 2);
    await worker.start();
    assert.equal(await (await runJob("double", 21)).result({ timeoutMs: 20_000 }), 42);
  });

  it("tries again under the same key after a retryable failure", async () => {
    const keys: string[] = [];
    worker.task("shaky", (_, job) => {
      keys.push(job.idempotencyKey);
      if (job.attempt < 2) throw new Retryable("not yet");
      return job.attempt;
    });
    await worker.start();
    assert.equal(await (await runJob("shaky")).result({ timeoutMs: 30_000 }), 2);
    assert.equal(keys.length, 2);
    assert.equal(keys[0], keys[1]);
  });

  it("ends the execution with what a task throws", async () => {
    worker.task("fatal", () => {
      throw new Fatal("never again");
    });
    await worker.start();
    const execution = await runJob("fatal");
    await assert.rejects(execution.result({ timeoutMs: 20_000 }), (error) => {
      assert.ok(error instanceof ExecutionEnded);
      assert.match(JSON.stringify(error.execution), /never again/);
      return true;
    });
  });

  it("goes on with a job under way when the server was killed", async () => {
    let begun = false;
    let go = () => {};
    const gate = new Promise<void>((resolve) => (go = resolve));
    worker.task("slow", async (_, job) => {
      begun = true;
      await gate;
      return job.attempt;
    });
    await worker.start();
    const execution = await runJob("slow");
    for (let i = 0; i < 400 && !begun; ++i) await pause(50);
    assert.ok(begun);
    await server.kill();
    await server.start();
    go();
    assert.equal(await execution.result({ timeoutMs: 60_000 }), 1);
  });
});
