export { Client, Execution } from "./client.js";
export type { ExecutionFilter, ExecutionState, StartOptions, Status } from "./client.js";
export {
  Conflict,
  ExecutionEnded,
  Fatal,
  FermataError,
  NotFound,
  Refused,
  Retryable,
  TimedOut,
  Unreachable,
} from "./errors.js";
export type { TransportOptions } from "./transport.js";
export type { Job, Task } from "./job.js";
export { Worker } from "./worker.js";
export type { WorkerOptions } from "./worker.js";
