/**
 * Heartbeats from a thread of their own: a task that keeps the main thread busy for a minute must
 * not lose its lease.
 */
import { availableParallelism, loadavg } from "node:os";
import { parentPort, Worker as Thread, workerData } from "node:worker_threads";

import { Refused } from "./errors.js";
import { pathOf, Transport, type TransportOptions } from "./transport.js";

export interface Lease {
  job_id: string;
  fence: number;
  percent?: number;
  message?: string;
}

export interface Beat {
  registration_id: string;
  last_seq: number;
  draining: boolean;
  leases: Lease[];
}

/** What a heartbeat learned. */
export interface Heard {
  lost: { job_id: string; fence?: number }[];
  drain: boolean;
  /** What the server said against this registration. */
  refused?: { registration: string; status: number; code: string; detail: string };
  problem?: string;
}

interface Setup {
  options: TransportOptions;
  everyMs: number;
  leaseMs: number;
}

export function startHeartbeat(setup: Setup, heard: (told: Heard) => void) {
  const thread = new Thread(new URL(import.meta.url), { workerData: { heartbeat: setup } });
  thread.on("message", heard);
  thread.unref();
  return {
    tell: (beat: Beat) => thread.postMessage(beat),
    stop: () => thread.terminate(),
  };
}

async function beat(setup: Setup): Promise<void> {
  const http = new Transport(setup.options);
  let latest: Beat | undefined;
  let spoke = performance.now();
  parentPort?.on("message", (told: Beat) => (latest = told));
  setInterval(async () => {
    if (!latest?.registration_id) return;
    const sent = latest;
    const body = { ...sent, cpu_load: cpuLoad() };
    try {
      const answer = await http.request("POST", "/api/v1/worker" + pathOf("heartbeat"), body, {
        repeat: true,
        patienceMs: setup.everyMs / 2,
        timeoutMs: setup.everyMs,
      });
      spoke = performance.now();
      const lost = [...(answer.lost ?? []), ...(answer.cancels ?? [])];
      parentPort?.postMessage({ lost, drain: answer.drain === true } satisfies Heard);
    } catch (error) {
      const refused = error instanceof Refused && error.status < 500 && {
        registration: sent.registration_id,
        status: error.status,
        code: error.code,
        detail: error.detail,
      };
      const over = performance.now() - spoke > setup.leaseMs;
      parentPort?.postMessage({
        lost: over ? sent.leases : [],
        drain: false,
        problem: String(error),
        ...(refused ? { refused } : {}),
      } satisfies Heard);
    }
  }, setup.everyMs);
}

/** In percent of all cores. */
function cpuLoad(): number {
  return Math.min(100, (100 * (loadavg()[0] ?? 0)) / availableParallelism());
}

const setup = (workerData as { heartbeat?: Setup } | null)?.heartbeat;
if (setup && parentPort) void beat(setup);
