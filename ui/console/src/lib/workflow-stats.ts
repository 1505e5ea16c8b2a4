// What the latest runs tell of a workflow (U-32); pure.

import type { RunItem } from './types.ts';

export interface WorkflowStats {
  running: number;
  waiting: number;
  failedDay: number;
  /** Of those that completed, in milliseconds; null before the first. */
  median: number | null;
  p95: number | null;
  last: string | undefined;
  /** Starts of the last 24 hours, by hour, the oldest first. */
  spark: number[];
}

const hourMs = 3_600_000;

function percentile(sorted: number[], percent: number): number | null {
  return sorted.length ? (sorted[Math.floor(((sorted.length - 1) * percent) / 100)] ?? null) : null;
}

export function statsOf(runs: RunItem[], now: number): WorkflowStats {
  const took = runs.filter((run) => run.status === 'completed' && run.completed_at)
    .map((run) => Date.parse(run.completed_at ?? '') - Date.parse(run.started_at)).sort((a, b) => a - b);
  const spark = new Array<number>(24).fill(0);
  for (const run of runs) {
    const hours = Math.floor((now - Date.parse(run.started_at)) / hourMs);
    if (hours >= 0 && hours < 24) spark[23 - hours] = (spark[23 - hours] ?? 0) + 1;
  }
  const many = (status: string) => runs.filter((run) => run.status === status).length;
  return {
    running: many('running'), waiting: many('waiting') + many('paused'),
    failedDay: runs.filter((run) => (run.status === 'failed' || run.status === 'timed_out') && now - Date.parse(run.completed_at ?? run.started_at) < 24 * hourMs).length,
    median: percentile(took, 50), p95: percentile(took, 95), last: runs[0]?.started_at, spark,
  };
}
