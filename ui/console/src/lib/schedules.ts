// Schedules in words (U-46); pure.

import { cronWords } from './cron.ts';
import { duration } from './time.ts';
import type { Json } from './types.ts';
import { schedules as w } from '../words/schedules.ts';

export interface Schedule {
  id: string;
  workflow_id: string;
  version: number | null;
  cron: string | null;
  every_ms: number | null;
  timezone: string;
  gap_policy: string;
  input: Json;
  labels: Record<string, string> | null;
  jitter_ms: number;
  overlap: string;
  catch_up: string;
  catch_up_ms: number;
  start_at: string | null;
  end_at: string | null;
  max_runs: number | null;
  paused: boolean;
  status: string;
  ended_reason: string | null;
  next: string | null;
  last_occurrence: string | null;
  last_execution_id: string | null;
  runs_started: number;
  skipped: number;
  queued: number;
  live_total: number;
  revision: number;
}

export interface Occurrence {
  decided_at: string;
  outcome: 'started' | 'queued' | 'skipped' | 'refused';
  scheduled_at?: string;
  execution_id?: string;
  status?: string | null;
  reason?: string;
  count?: number;
  code?: string;
  message?: string;
  cause?: string;
}

export interface Coming {
  at: string;
  local: string;
  zone: string;
  start_at?: string;
}

export function ruleWords(schedule: { cron: string | null; every_ms: number | null }): string {
  if (schedule.cron) return cronWords(schedule.cron);
  return schedule.every_ms ? w.every(duration(schedule.every_ms)) : '';
}

export const overlapWords: Record<string, string> = {
  skip: w.skippedWhileTheLastRunIs, queue: w.queuedBehindTheLastRun, allow: 'started beside it', cancel_previous: w.startedAndTheLastRunIs,
};
export const catchUpWords: Record<string, string> = { one: w.theNewestOneIsMadeUp, all: w.allAreMadeUpForOldest, none: w.theyAreLeftOut };

/** How an occurrence shows: by its run if it had one, else by what became of it. */
export function outcomeStatus(occurrence: Occurrence): string {
  return occurrence.outcome === 'started' ? (occurrence.status ?? 'started') : occurrence.outcome;
}

/** What is odd about an occurrence: the clocks were changed since the one before. */
export function changeNote(coming: Coming, before: Coming | undefined): string {
  if (!before || coming.zone === before.zone) return '';
  return w.clocksWereChangedTo(before.zone, coming.zone);
}

/** A rule that names 02:30 and starts at 03:00: the time does not exist that day. */
export function shiftNote(coming: Coming, cron: string | null): string {
  const fields = cron?.trim().split(/\s+/) ?? [];
  const [minute = '', hour = ''] = fields.length === 6 ? fields.slice(1) : fields;
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour)) return '';
  const wanted = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  return coming.local.slice(11, 16) === wanted ? '' : w.doesNotExistOnThatDay(wanted);
}
