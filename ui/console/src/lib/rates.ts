// Starts and ends by minute, counted from runs that are known; pure (U-21).

import type { RunItem } from './types.ts';

export interface Minute {
  started: number;
  completed: number;
  failed: number;
}

/** The last so many minutes, the oldest first. A run that is given twice counts once. */
export function ratesOf(runs: RunItem[], now: number, minutes = 60): Minute[] {
  const out = Array.from({ length: minutes }, (): Minute => ({ started: 0, completed: 0, failed: 0 }));
  const at = (time: string | null): Minute | undefined => {
    const ago = time ? Math.floor((now - Date.parse(time)) / 60_000) : -1;
    return ago >= 0 && ago < minutes ? out[minutes - 1 - ago] : undefined;
  };
  for (const run of new Map(runs.map((one) => [one.id, one])).values()) {
    const begun = at(run.started_at);
    if (begun) begun.started += 1;
    const ended = at(run.completed_at);
    if (ended && run.status === 'completed') ended.completed += 1;
    if (ended && (run.status === 'failed' || run.status === 'timed_out')) ended.failed += 1;
  }
  return out;
}
