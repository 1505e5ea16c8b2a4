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

function nested(levels: number): unknown[] {
  let value: unknown[] = [];
  for (let i = 0; i < levels; ++i) value = [value];
  return value;
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

  it("fails jobs whose results cannot be told, and no other", async () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const answers = {
      cycle,
      big: 10n,
      large: "x".repeat(5 << 20),
      deep: nested(100_000),
      nested: nested(130),
      fine: 7,
    };
    for (const [name, answer] of Object.entries(answers)) worker.task(name, () => answer);
    await worker.start();
    const source = "try { return await Task.run(Inputs.topic) } catch (e) { return e.cause.code }";
    await client.putFlow("codes", source);
    const codes: Record<string, unknown> = {};
    for (const name of Object.keys(answers)) {
      const execution = await client.start("codes", { topic: name });
      codes[name] = await execution.result({ timeoutMs: 30_000 });
    }
    assert.deepEqual(codes, {
      cycle: "output_not_json",
      big: "output_not_json",
      large: "result_too_large",
      deep: "output_not_json",
      nested: "invalid_result",
      fine: 7,
    });
    assert.equal(worker.failure, undefined);
  });

  it("puts an output aside that is larger than a request", async () => {
    worker.task("large", () => "é".repeat(3 << 19));
    await worker.start();
    const output = await (await runJob("large")).result({ timeoutMs: 30_000 });
    assert.equal(output, "é".repeat(3 << 19));
  });

  it("ends when another works under its id", async () => {
    const other = new Worker({ server: server.url, workerId: worker.workerId, warn: () => {} });
    worker.task("who", () => false);
    other.task("who", () => true);
    const running = worker.run();
    const replaced = assert.rejects(running, { code: "registration_replaced" });
    for (let i = 0; i < 400 && !(await registered()); ++i) await pause(50);
    await other.start();
    await replaced;
    assert.equal(await (await runJob("who")).result({ timeoutMs: 20_000 }), true);
    assert.equal(other.failure, undefined);
    await other.stop(5_000);
  });

  async function registered(): Promise<boolean> {
    const answer = await fetch(`${server.url}/api/v1/workers`);
    const { items } = (await answer.json()) as { items: unknown[] };
    return items.length > 0;
  }
});
