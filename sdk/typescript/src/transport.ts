/** HTTP with the patience a durable server deserves: what may be repeated is repeated. */
import { setTimeout as pause } from "node:timers/promises";

import { refusal, Unreachable, type Problem } from "./errors.js";

export interface TransportOptions {
  /** Default: FERMATA_SERVER, else http://127.0.0.1:4747. */
  server?: string | undefined;
  /** An API key. Default: FERMATA_KEY. */
  key?: string | undefined;
  /** For one attempt of one request. */
  timeoutMs?: number | undefined;
  /** How long a broken connection or a restarting server is waited out. */
  patienceMs?: number | undefined;
}

export interface RequestOptions {
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  /** Sending it twice does no harm. Reads, PUT and DELETE may always be repeated. */
  repeat?: boolean;
  timeoutMs?: number;
  patienceMs?: number;
  signal?: AbortSignal;
}

export interface StreamEvent {
  id: string;
  event: string;
  data: unknown;
}

const turnedAway = [429, 503];

export function pathOf(...parts: string[]): string {
  return "/" + parts.map(encodeURIComponent).join("/");
}

export class Transport {
  readonly server: string;
  readonly key: string | undefined;
  readonly #timeoutMs: number;
  readonly #patienceMs: number;

  constructor(options: TransportOptions = {}) {
    const server = options.server ?? process.env["FERMATA_SERVER"] ?? "http://127.0.0.1:4747";
    if (!/^https?:\/\//.test(server)) throw new TypeError(`not the address of a server: ${server}`);
    this.server = server.replace(/\/+$/, "");
    this.key = options.key ?? process.env["FERMATA_KEY"];
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    this.#patienceMs = options.patienceMs ?? 60_000;
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<any> {
    const repeat = options.repeat ?? ["GET", "PUT", "DELETE"].includes(method);
    const payload =
      body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
    const givesUp = performance.now() + (options.patienceMs ?? this.#patienceMs);
    for (let attempt = 0; ; ++attempt) {
      let wait = Math.min(5_000, 100 * 2 ** Math.min(attempt, 6)) * (0.5 + Math.random() / 2);
      const late = () => performance.now() + wait > givesUp;
      try {
        const answer = await this.#send(method, path, payload, options);
        const text = await answer.text();
        if (!turnedAway.includes(answer.status)) return judge(answer.status, text);
        wait = Math.max(wait, 1_000 * (Number(answer.headers.get("retry-after")) || 0));
        if (late()) return judge(answer.status, text);
      } catch (error) {
        if (!isBroken(error)) throw error;
        options.signal?.throwIfAborted();
        if (!repeat || late())
          throw new Unreachable(`${this.server}: ${causeOf(error)}`, { cause: error });
      }
      await pause(wait, undefined, { signal: options.signal });
    }
  }

  /** Server-sent events until the connection ends. */
  async *events(
    path: string,
    lastId: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent> {
    const headers: Record<string, string> = { Accept: "text/event-stream" };
    if (lastId) headers["Last-Event-ID"] = lastId;
    const answer = await fetch(this.server + path, {
      headers: { ...this.#headers(), ...headers },
      signal,
    });
    if (!answer.ok) throw refusal(answer.status, problemOf(await answer.text()));
    if (answer.body) yield* parseEvents(answer.body);
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = { Accept: "application/json" };
    if (this.key) headers["Authorization"] = `Bearer ${this.key}`;
    return headers;
  }

  #send(
    method: string,
    path: string,
    payload: string | Uint8Array | undefined,
    options: RequestOptions,
  ): Promise<Response> {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(options.query ?? {}))
      if (value !== undefined) query.set(name, String(value));
    const headers: Record<string, string> = this.#headers();
    if (payload !== undefined)
      headers["Content-Type"] =
        typeof payload === "string" ? "application/json" : "application/octet-stream";
    const limit = AbortSignal.timeout(options.timeoutMs ?? this.#timeoutMs);
    return fetch(this.server + path + (query.size > 0 ? `?${query}` : ""), {
      method,
      headers: { ...headers, ...options.headers },
      body: payload ?? null,
      signal: options.signal ? AbortSignal.any([limit, options.signal]) : limit,
    });
  }
}

function judge(status: number, text: string): unknown {
  if (status >= 400) throw refusal(status, problemOf(text));
  return text === "" ? undefined : JSON.parse(text);
}

function problemOf(text: string): Problem {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Problem) : {};
  } catch {
    return { detail: text.slice(0, 200) };
  }
}

/** A connection that broke or took too long, as `fetch` tells it. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof TypeError || error.name === "TimeoutError" || error.name === "AbortError";
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

async function* parseEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = "";
  let id = "";
  let event = "message";
  let data: string[] = [];
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) yield { id, event, data: JSON.parse(data.join("\n")) };
        event = "message";
        data = [];
        continue;
      }
      const colon = line.indexOf(":");
      const name = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
      if (name === "id") id = value;
      else if (name === "event") event = value;
      else if (name === "data") data.push(value);
    }
  }
}
