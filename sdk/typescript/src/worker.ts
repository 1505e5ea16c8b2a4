/**
 * Workers: they claim jobs, run the task of each, and report what came of it.
 *
 * A job may be handed out more than once (the worker before may have died after doing its work),
 * so a task that reaches the outside passes `job.idempotencyKey` on.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

import { Fatal, refusal, Refused, Retryable } from "./errors.js";
import { startHeartbeat, type Heard, type Lease } from "./heartbeat.js";
import type { Artifact, Delivered, Job, Outcome, Result, Task } from "./job.js";
import { Reports } from "./reports.js";
import { pathOf, Transport, type TransportOptions } from "./transport.js";

export interface WorkerOptions extends TransportOptions {
  pool?: string;
  /** Jobs at a time. */
  slots?: number;
  workerId?: string;
  labels?: Record<string, string>;
  capabilities?: string[];
  region?: string;
  /** Where warnings go. Default: console.warn. */
  warn?: (text: string) => void;
}

interface Held {
  lease: Lease;
  abort: AbortController;
}

const claimWaitMs = 20_000;
const inlineBytesMax = 1 << 20;

export class Worker {
  readonly workerId: string;
  readonly pool: string;
  readonly slots: number;
  readonly #options: WorkerOptions;
  readonly #http: Transport;
  readonly #tasks = new Map<string, Task>();
  readonly #held = new Map<string, Held>();
  readonly #claiming = new AbortController();
  readonly #reports: Reports;
  #registration = "";
  #seq = 0;
  /** The last claim whose answer has come. */
  #answered = 0;
  #draining = false;
  #registering: Promise<void> | undefined;
  #heartbeat: ReturnType<typeof startHeartbeat> | undefined;
  #woken: (() => void)[] = [];
  #failure: Error | undefined;

  constructor(options: WorkerOptions = {}) {
    this.#options = options;
    this.#http = new Transport({ patienceMs: 5_000, ...options });
    this.workerId = options.workerId ?? `${hostname()}-${process.pid}-${randomUUID().slice(0, 6)}`;
    this.pool = options.pool ?? "default";
    this.slots = options.slots ?? 4;
    this.#reports = new Reports({
      http: this.#http,
      registration: () => this.#registration,
      refused: (registration, error) => this.#refused(registration, error),
      answered: (result) => this.#forget(result),
      warn: (text) => this.#warn(text),
    });
  }

  /** Names the function that does the jobs of a topic. */
  task(topic: string, task: Task): this {
    this.#tasks.set(fullTopic(topic), task);
    return this;
  }

  /** Why the server takes this worker no longer: it has ended. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /**
   * Works until SIGTERM or SIGINT, finishes what is under way, and resolves. Rejects when the
   * server takes this worker no longer: its key was withdrawn, or another works under its id.
   */
  async run(): Promise<void> {
    const stop = () => this.#drain();
    process.once("SIGTERM", stop);
    process.once("SIGINT", stop);
    try {
      await this.start();
      await this.#claimLoop;
      await this.stop();
      if (this.#failure) throw this.#failure;
    } finally {
      process.off("SIGTERM", stop);
      process.off("SIGINT", stop);
    }
  }

  #claimLoop: Promise<void> = Promise.resolve();

  /** Begins to work in the background. */
  async start(): Promise<void> {
    if (this.#tasks.size === 0) throw new Error("a worker without a task has nothing to do");
    const { heartbeatMs, leaseMs } = await this.#register();
    const { server, key } = this.#http;
    const setup = { options: { server, key }, everyMs: heartbeatMs, leaseMs };
    this.#heartbeat = startHeartbeat(setup, (told) => this.#heard(told));
    this.#tell();
    this.#claimLoop = this.#claim();
  }

  /** Claims nothing more, finishes what is under way, hands the rest back. */
  async stop(timeoutMs = 30_000): Promise<void> {
    this.#drain();
    await this.#claimLoop;
    const givesUp = performance.now() + timeoutMs;
    while (this.#held.size > 0 && performance.now() < givesUp) {
      await Promise.race([this.#change(), pause(100, undefined, { ref: false })]);
    }
    for (const { abort } of this.#held.values()) abort.abort();
    await this.#heartbeat?.stop();
    if (this.#failure || !this.#registration) return;
    await this.#http
      .request("DELETE", this.#path("registrations", this.#registration))
      .catch((error) => this.#warn(`could not sign off: ${error}`));
  }

  #drain(): void {
    this.#draining = true;
    this.#claiming.abort();
    this.#wake();
  }

  async #register(): Promise<{ heartbeatMs: number; leaseMs: number }> {
    const { labels, capabilities, region } = this.#options;
    const body = {
      worker_id: this.workerId,
      pool: this.pool,
      topics: [...this.#tasks.keys()].sort(),
      max_parallel: this.slots,
      capabilities: capabilities ?? [],
      labels: labels ?? {},
      region,
      sdk: "typescript/0.1.0",
      resume: [...this.#held.values()].map(({ lease }) => ({
        job_id: lease.job_id,
        fence: lease.fence,
      })),
    };
    const patience = { repeat: true, patienceMs: 3_600_000 };
    const answer = await this.#http.request("POST", this.#path("register"), body, patience);
    this.#registration = answer.registration_id;
    this.#seq = this.#answered = 0;
    this.#drop(answer.lost ?? []);
    this.#tell();
    return { heartbeatMs: answer.heartbeat_ms, leaseMs: answer.lease_ms };
  }

  /** What a refusal means: register anew, end, or go on after a while. */
  async #refused(registration: string, error: Refused): Promise<void> {
    if (this.#registering) await this.#registering;
    if (registration !== this.#registration || this.#failure) return;
    if (error.code === "registration_not_found") await this.#again(registration);
    else if ([401, 403].includes(error.status) || error.code === "registration_replaced")
      this.#end(error);
    else await pause(1_000);
  }

  /** Registers anew unless that is under way or done already. */
  async #again(stranger: string): Promise<void> {
    if (stranger !== this.#registration || this.#failure) return;
    this.#registering ??= this.#register()
      .then(
        () => {},
        async (error: unknown) => {
          this.#warn(`cannot register: ${error}`);
          if (error instanceof Refused && error.status < 500) this.#end(error);
          else await pause(1_000);
        },
      )
      .finally(() => (this.#registering = undefined));
    await this.#registering;
  }

  /** Nobody takes what this worker does any longer. */
  #end(error: Error): void {
    this.#warn(`the worker ends: ${error}`);
    this.#failure = error;
    for (const { abort } of this.#held.values()) abort.abort();
    this.#held.clear();
    this.#reports.clear();
    this.#drain();
  }

  async #claim(): Promise<void> {
    let asked: { registration_id: string; seq: number; slots: number; wait_ms: number } | undefined;
    while (!this.#draining) {
      const free = this.slots - this.#held.size;
      if (free <= 0) {
        await this.#change();
        continue;
      }
      if (asked?.registration_id !== this.#registration) asked = undefined;
      asked ??= {
        registration_id: this.#registration,
        seq: ++this.#seq,
        slots: Math.min(free, 256),
        wait_ms: claimWaitMs,
      };
      this.#tell();
      try {
        // A lost answer is asked for again under the same number, so no job is lost with it.
        const answer = await this.#http.request("POST", this.#path("claim"), asked, {
          repeat: true,
          timeoutMs: claimWaitMs + 10_000,
          signal: this.#claiming.signal,
        });
        const { registration_id, seq } = asked;
        asked = undefined;
        this.#drop(answer.cancels ?? []);
        for (const delivered of answer.jobs ?? []) void this.#take(delivered);
        // Only now: a heartbeat that covers the claim must name all of its jobs.
        if (registration_id === this.#registration) this.#answered = seq;
        this.#tell();
        if (answer.drain) this.#drain();
      } catch (error) {
        if (this.#draining) return;
        this.#warn(`cannot claim: ${error}`);
        if (!(error instanceof Refused)) continue;
        const registration = asked?.registration_id ?? this.#registration;
        asked = undefined;
        await this.#refused(registration, error);
      }
    }
  }

  async #take(delivered: Delivered): Promise<void> {
    if (this.#held.get(delivered.job_id)?.lease.fence === delivered.fence) return;
    const lease: Lease = { job_id: delivered.job_id, fence: delivered.fence };
    const abort = new AbortController();
    this.#held.set(delivered.job_id, { lease, abort });
    this.#tell();
    const task = this.#tasks.get(delivered.topic);
    if (!task) return this.#decline(delivered);
    const begun = performance.now();
    const end = (outcome: Outcome) => {
      if (this.#failure) return;
      const { job_id, attempt, fence } = delivered;
      const execution_ms = Math.round(performance.now() - begun);
      this.#reports.add({ job_id, attempt, fence, execution_ms, ...outcome });
    };
    try {
      const input = delivered.input_blob
        ? await this.#http.request("GET", this.#path("blobs", delivered.input_blob.sha256))
        : delivered.input;
      const artifacts: Artifact[] = [];
      const output = await task(input, this.#jobOf(delivered, lease, abort.signal, artifacts));
      const outcome = await this.#success(output);
      const kept = outcome.status === "succeeded" && artifacts.length > 0 ? { artifacts } : {};
      end({ ...outcome, ...kept });
    } catch (error) {
      end(abort.signal.aborted ? { status: "cancelled" } : failureOf(error));
    }
  }

  /** An output that is large is put aside first. */
  async #success(output: unknown): Promise<Outcome> {
    const text = jsonOf(output);
    if (text === undefined || Buffer.byteLength(text) <= inlineBytesMax)
      return { status: "succeeded", output: output ?? null };
    const patience = { patienceMs: 3_600_000 };
    const bytes = new TextEncoder().encode(text);
    try {
      const blob = await this.#http.request("PUT", this.#path("blobs"), bytes, patience);
      return { status: "succeeded", output_blob: blob };
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 413) throw error;
      return { status: "failed", error: { code: "result_too_large", message: error.detail } };
    }
  }

  #jobOf(delivered: Delivered, lease: Lease, signal: AbortSignal, artifacts: Artifact[]): Job {
    return {
      id: delivered.job_id,
      attempt: delivered.attempt,
      fence: delivered.fence,
      topic: delivered.topic,
      labels: delivered.labels ?? {},
      env: delivered.env,
      idempotencyKey: delivered.idempotency_key ?? delivered.job_id,
      deadlineAt: delivered.deadline_at,
      runId: delivered.run_id,
      workflowId: delivered.workflow_id,
      stepId: delivered.step_id,
      traceparent: delivered.traceparent,
      isCompensation: delivered.is_compensation === true,
      signal,
      progress: (percent, message) => {
        lease.percent = Math.max(0, Math.min(100, Math.floor(percent)));
        if (message !== undefined) lease.message = message;
        this.#tell();
      },
      log: (...lines) => this.#log(delivered, lines),
      artifact: async (name, data) => {
        const path = this.#path("jobs", delivered.job_id, "artifacts", name);
        const query = { fence: delivered.fence };
        const kept = await this.#http.request("PUT", path, data, { query });
        artifacts.push({ ...kept, name });
      },
    };
  }

  async #log({ job_id, fence }: Delivered, lines: string[]): Promise<void> {
    const body = { registration_id: this.#registration, fence, lines };
    await this.#http
      .request("POST", this.#path("jobs", job_id, "logs"), body, { repeat: true })
      .catch((error) => this.#warn(`the log of ${job_id} was not taken: ${error}`));
  }

  async #decline(delivered: Delivered): Promise<void> {
    const body = {
      registration_id: this.#registration,
      fence: delivered.fence,
      reason: `no task for ${delivered.topic}`,
    };
    await this.#http
      .request("POST", this.#path("jobs", delivered.job_id, "decline"), body, { repeat: true })
      .catch((error) => this.#warn(`could not decline ${delivered.job_id}: ${error}`));
    this.#forget(delivered);
  }

  #heard(told: Heard): void {
    if (told.problem) this.#warn(`no heartbeat: ${told.problem}`);
    this.#drop(told.lost);
    if (told.drain) this.#drain();
    if (told.refused)
      void this.#refused(told.refused.registration, refusal(told.refused.status, told.refused));
  }

  /** Tells the tasks of these leases that nobody waits for them any longer. */
  #drop(lost: { job_id: string; fence?: number }[]): void {
    for (const { job_id, fence } of lost) {
      const held = this.#held.get(job_id);
      if (held && (fence === undefined || fence === held.lease.fence)) held.abort.abort();
    }
  }

  #forget({ job_id, fence }: { job_id: string; fence: number }): void {
    if (this.#held.get(job_id)?.lease.fence === fence) this.#held.delete(job_id);
    this.#tell();
    this.#wake();
  }

  /** The heartbeat says what holds now. */
  #tell(): void {
    this.#heartbeat?.tell({
      registration_id: this.#registration,
      last_seq: this.#answered,
      draining: this.#draining,
      leases: [...this.#held.values()].map(({ lease }) => ({ ...lease })),
    });
  }

  /** Resolves when a slot became free or the worker is to stop. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#woken.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#woken.splice(0)) resolve();
  }

  #warn(text: string): void {
    (this.#options.warn ?? console.warn)(`fermata worker: ${text}`);
  }

  #path(...parts: string[]): string {
    return "/api/v1/worker" + pathOf(...parts);
  }
}

function failureOf(error: unknown): Pick<Result, "status" | "error"> {
  const told = {
    code: error instanceof Error ? error.name : "thrown",
    message: error instanceof Error ? error.message : String(error),
  };
  if (error instanceof Retryable || error instanceof Fatal) {
    const status = error instanceof Fatal ? "failed_fatal" : "failed_retryable";
    return { status, error: { ...told, code: error.code, details: error.details } };
  }
  return { status: "failed", error: told };
}

function fullTopic(topic: string): string {
  return topic.startsWith("job.") ? topic : `job.${topic}`;
}

/** Undefined when it is no JSON; the report then says why. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value ?? null);
  } catch {
    return undefined;
  }
}
