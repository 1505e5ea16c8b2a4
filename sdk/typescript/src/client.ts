/** Start executions, talk to them, wait for what comes of them. */
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";

import { ExecutionEnded, Refused, TimedOut } from "./errors.js";
import { isBroken, pathOf, Transport, type TransportOptions } from "./transport.js";

export type Status =
  | "running"
  | "waiting"
  | "paused"
  | "completed"
  | "failed"
  | "cancelled"
  | "timed_out";

export interface ExecutionState {
  id: string;
  workflow_id: string;
  version: number;
  status: Status;
  input?: unknown;
  output?: unknown;
  error?: { code?: string; message?: string; node?: string; details?: unknown } | null;
  exit_reason?: string;
  labels?: Record<string, string> | null;
  started_at: string;
  completed_at?: string | null;
  waiting?: { kind: string; node?: string; since: string; until?: string; what?: unknown }[];
}

export interface StartOptions {
  version?: number;
  labels?: Record<string, string>;
  contactId?: string;
  startAt?: Date | string;
  timeoutMs?: number;
  /** The same key gives the same execution. Default: a fresh one, so that a repeat is safe. */
  idempotencyKey?: string;
}

export interface ExecutionFilter {
  status?: Status;
  workflow_id?: string;
  label?: string;
  contact_id?: string;
  parent?: string;
  from?: string;
  to?: string;
  q?: string;
}

const ended: readonly string[] = ["completed", "failed", "cancelled", "timed_out"];

export class Client {
  readonly #http: Transport;

  constructor(options: TransportOptions = {}) {
    this.#http = new Transport(options);
  }

  /** Stores a definition: a graph, or `{language: "flow", source}`. */
  putWorkflow(
    workflowId: string,
    definition: object,
  ): Promise<{ version: number; hash: string; warnings?: unknown[] }> {
    return this.#http.request("PUT", "/api/v1" + pathOf("workflows", workflowId), definition);
  }

  /** Stores a flow script. */
  putFlow(workflowId: string, source: string) {
    return this.putWorkflow(workflowId, { language: "flow", source });
  }

  /** Starts an execution. It is durable when this resolves. */
  async start(
    workflowId: string,
    input: unknown = {},
    options: StartOptions = {},
  ): Promise<Execution> {
    const { startAt } = options;
    const body = {
      input,
      version: options.version,
      labels: options.labels,
      contact_id: options.contactId,
      start_at: startAt instanceof Date ? startAt.toISOString() : startAt,
      timeout_ms: options.timeoutMs,
    };
    const answer = await this.#http.request(
      "POST",
      "/api/v1" + pathOf("workflows", workflowId, "executions"),
      body,
      {
        headers: { "Idempotency-Key": options.idempotencyKey ?? randomUUID() },
        repeat: true,
      },
    );
    return new Execution(this.#http, answer.id);
  }

  /** A handle of an execution that was started elsewhere. */
  execution(id: string): Execution {
    return new Execution(this.#http, id);
  }

  /** All executions a filter selects, newest first, page by page. */
  async *executions(filter: ExecutionFilter = {}, limit = 100): AsyncGenerator<ExecutionState> {
    let cursor: string | undefined;
    do {
      const page = await this.#http.request("GET", "/api/v1/executions", undefined, {
        query: { ...filter, limit, cursor },
      });
      yield* page.items;
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
  }
}

/** One execution, by its id. */
export class Execution {
  readonly #http: Transport;

  constructor(
    http: Transport,
    readonly id: string,
  ) {
    this.#http = http;
  }

  /** What it is doing now: status, what it waits for, output or error. */
  get(): Promise<ExecutionState> {
    return this.#http.request("GET", this.#path());
  }

  /** Its events from the first on. */
  async history(): Promise<Record<string, unknown>[]> {
    const events: Record<string, unknown>[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.#http.request("GET", this.#path("history"), undefined, {
        query: { limit: 1000, cursor },
      });
      events.push(...page.items);
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    return events;
  }

  /** Sends a signal; it is kept until the execution takes it. The same id is taken once. */
  async signal(name: string, payload: unknown = null, id: string = randomUUID()): Promise<void> {
    const path = this.#path("signals", name);
    await this.#http.request("POST", path, { payload, id }, { repeat: true });
  }

  cancel(reason = ""): Promise<ExecutionState> {
    return this.#http.request("POST", this.#path("cancel"), { reason }, { repeat: true });
  }

  pause(): Promise<ExecutionState> {
    return this.#http.request("POST", this.#path("pause"), {}, { repeat: true });
  }

  resume(): Promise<ExecutionState> {
    return this.#http.request("POST", this.#path("resume"), {}, { repeat: true });
  }

  /**
   * Waits for the end and resolves to the output. Rejects with ExecutionEnded when it did not
   * complete, with TimedOut when it has not ended in time. A server that restarts is waited for.
   */
  async result<T = unknown>(options: { timeoutMs?: number } = {}): Promise<T> {
    const givesUp = performance.now() + (options.timeoutMs ?? Infinity);
    const seen: { lastId?: string } = {};
    for (;;) {
      const state = await this.get();
      if (state.status === "completed") return state.output as T;
      if (ended.includes(state.status)) throw new ExecutionEnded(state);
      const left = givesUp - performance.now();
      if (left <= 0) throw new TimedOut(`execution ${this.id} has not ended in time`);
      await this.#follow(seen, Math.ceil(Math.min(60_000, Math.max(50, left))));
    }
  }

  /** Reads the live stream until the execution ends, the stream breaks or time is over. */
  async #follow(seen: { lastId?: string }, ms: number): Promise<void> {
    try {
      const stream = this.#http.events(this.#path("stream"), seen.lastId, AbortSignal.timeout(ms));
      for await (const { id, event, data } of stream) {
        if (id) seen.lastId = id;
        const status = (data as { status?: string } | null)?.status ?? "";
        if (event === "run" && ended.includes(status)) return;
      }
    } catch (error) {
      if (error instanceof Refused && error.status !== 503) throw error;
      if (!(error instanceof Refused) && !isBroken(error)) throw error;
    }
    await pause(Math.min(50, ms));
  }

  #path(...more: string[]): string {
    return "/api/v1" + pathOf("executions", this.id, ...more);
  }
}
