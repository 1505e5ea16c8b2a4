/** What workers and their tasks know of a job, and what its results look like. */

/** One attempt of one job, as its task sees it. */
export interface Job {
  readonly id: string;
  readonly attempt: number;
  readonly fence: number;
  readonly topic: string;
  readonly labels: Record<string, string>;
  readonly env: unknown;
  /** The same on every attempt: hand it to whatever must not happen twice. */
  readonly idempotencyKey: string;
  readonly deadlineAt: string | undefined;
  readonly runId: string | undefined;
  readonly workflowId: string | undefined;
  readonly stepId: string | undefined;
  readonly traceparent: string | undefined;
  readonly isCompensation: boolean;
  /** Fires when the result is no longer wanted: cancelled, or the lease is lost. */
  readonly signal: AbortSignal;
  /** Told to the server with the next heartbeat. */
  progress(percent: number, message?: string): void;
  /** Adds lines to the log of this attempt. A log that cannot be written fails no task. */
  log(...lines: string[]): Promise<void>;
  /** Keeps bytes with the job under a name, should the task succeed. */
  artifact(name: string, data: Uint8Array): Promise<void>;
}

export type Task = (input: any, job: Job) => unknown;

export interface Delivered {
  job_id: string;
  attempt: number;
  fence: number;
  topic: string;
  input?: unknown;
  input_blob?: { sha256: string; bytes: number };
  labels?: Record<string, string>;
  env?: unknown;
  idempotency_key?: string;
  deadline_at?: string;
  run_id?: string;
  workflow_id?: string;
  step_id?: string;
  traceparent?: string;
  is_compensation?: boolean;
}

export interface Result {
  job_id: string;
  attempt: number;
  fence: number;
  status: "succeeded" | "failed" | "failed_retryable" | "failed_fatal" | "cancelled";
  output?: unknown;
  output_blob?: unknown;
  artifacts?: Artifact[];
  error?: { code: string; message: string; details?: unknown };
  execution_ms: number;
}

export type Outcome = Pick<Result, "status" | "output" | "output_blob" | "artifacts" | "error">;

export interface Artifact {
  name: string;
  sha256: string;
  size: number;
}
