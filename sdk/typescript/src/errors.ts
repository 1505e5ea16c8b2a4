/** What can go wrong, as errors. */

/** The root of everything this package throws. */
export class FermataError extends Error {
  constructor(message?: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The server could not be reached, or kept answering that it cannot serve. */
export class Unreachable extends FermataError {}

export interface Problem {
  code?: string;
  title?: string;
  detail?: string;
  errors?: { path?: string; message?: string }[];
}

/** The server answered with a problem document (RFC 7807). */
export class Refused extends FermataError {
  readonly code: string;
  readonly detail: string;
  readonly errors: { path?: string; message?: string }[];

  constructor(
    readonly status: number,
    problem: Problem,
  ) {
    const errors = problem.errors ?? [];
    const detail = problem.detail ?? problem.title ?? "";
    const places = errors.map((e) => `\n  ${e.path ?? ""}: ${e.message ?? ""}`).join("");
    super(`${status} ${problem.code ?? ""}: ${detail}${places}`);
    this.code = problem.code ?? "";
    this.detail = detail;
    this.errors = errors;
  }
}

/** 404: there is no such thing in this account. */
export class NotFound extends Refused {}

/** 409: the thing is in another state, or the key was used for another request. */
export class Conflict extends Refused {}

export function refusal(status: number, problem: Problem): Refused {
  if (status === 404) return new NotFound(status, problem);
  if (status === 409) return new Conflict(status, problem);
  return new Refused(status, problem);
}

/** An execution whose result was asked for did not complete. */
export class ExecutionEnded extends FermataError {
  readonly status: string;
  readonly code: string;

  constructor(readonly execution: import("./client.js").ExecutionState) {
    const reason = execution.error?.message ?? execution.exit_reason ?? "";
    const code = execution.error?.code ?? "";
    super(`execution ${execution.id} ${execution.status}: ${code} ${reason}`.trimEnd());
    this.status = execution.status;
    this.code = code;
  }
}

/** An execution had not ended in time. */
export class TimedOut extends FermataError {}

/** Thrown by a task: this attempt failed, another one may succeed. */
export class Retryable extends FermataError {
  constructor(
    message: string,
    readonly code = "retryable",
    readonly details?: unknown,
  ) {
    super(message);
  }
}

/** Thrown by a task: no attempt can succeed, and what the execution did must be undone. */
export class Fatal extends FermataError {
  constructor(
    message: string,
    readonly code = "fatal",
    readonly details?: unknown,
  ) {
    super(message);
  }
}
