/** Results on their way to the server. */
import { setTimeout as pause } from "node:timers/promises";

import { Refused } from "./errors.js";
import type { Result } from "./job.js";
import type { Transport } from "./transport.js";

const resultsMax = 256;

/** What the server says to a result. */
interface Told {
  answer: string;
  errors?: { path: string; message: string }[];
}

/** What reports need of their worker. */
export interface Reporter {
  readonly http: Transport;
  registration(): string;
  /** Acts on a refusal: registers anew, ends, or waits a while. */
  refused(registration: string, error: Refused): Promise<void>;
  /** The server has the result, or will never take it. */
  answered(result: Result): void;
  warn(text: string): void;
}

/** Results are kept until they are answered. */
export class Reports {
  readonly #worker: Reporter;
  #results: Result[] = [];
  #sending: Promise<void> | undefined;

  constructor(worker: Reporter) {
    this.#worker = worker;
  }

  add(result: Result): void {
    this.#results.push(result);
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
  }

  /** Nobody takes them any longer. */
  clear(): void {
    this.#results = [];
  }

  async #send(): Promise<void> {
    while (this.#results.length > 0) {
      const batch = this.#results.slice(0, resultsMax);
      if (!(await this.#deliver(batch))) {
        await pause(200);
        continue;
      }
      this.#results = this.#results.slice(batch.length);
      for (const result of batch) this.#worker.answered(result);
    }
  }

  async #deliver(batch: Result[]): Promise<boolean> {
    const registration_id = this.#worker.registration();
    try {
      const path = "/api/v1/worker/results";
      const body = { registration_id, results: batch };
      const answer = await this.#worker.http.request("POST", path, body, { repeat: true });
      return await this.#note(batch, answer.results ?? []);
    } catch (error) {
      if (error instanceof Refused && error.status === 413)
        return this.#deliverSingly(batch, "result_too_large", error.detail);
      // JSON.stringify refuses cycles and big integers, and what nests too deep for it.
      if (error instanceof TypeError || error instanceof RangeError)
        return this.#deliverSingly(batch, "output_not_json", error.message);
      this.#worker.warn(`cannot report: ${error}`);
      if (!(error instanceof Refused)) return false;
      if ([400, 422].includes(error.status))
        return this.#deliverSingly(batch, "invalid_result", String(error));
      // After a start of the server what we hold is named anew, then told.
      await this.#worker.refused(registration_id, error);
      return false;
    }
  }

  async #note(batch: Result[], answers: Told[]): Promise<boolean> {
    let all = true;
    for (const [i, told] of answers.entries()) {
      const result = batch[i];
      if (!result || ["accepted", "duplicate"].includes(told.answer)) continue;
      this.#worker.warn(`the result of ${result.job_id} was not taken: ${JSON.stringify(told)}`);
      if (told.answer !== "invalid") continue;
      // The attempt is still open: it ends with what was wrong with its result.
      const reason = (told.errors ?? []).map((e) => `${e.path}: ${e.message}`).join("; ");
      all = (await this.#deliverSingly([result], "invalid_result", reason)) && all;
    }
    return all;
  }

  /** Of several results one cannot be sent: the others must not suffer for it. */
  async #deliverSingly(batch: Result[], code: string, message: string): Promise<boolean> {
    const [first, ...others] = batch;
    if (!first) return true;
    if (others.length > 0) {
      let all = true;
      for (const one of batch) all = (await this.#deliver([one])) && all;
      return all;
    }
    if (first.error?.code === code) {
      this.#worker.warn(`the result of ${first.job_id} cannot be told: ${message}`);
      return true;
    }
    const { output: _, output_blob: __, artifacts: ___, ...rest } = first;
    const error = { code, message: message.slice(0, 1_000) };
    return this.#deliver([{ ...rest, status: "failed", error }]);
  }
}
