// Waits in words (U-36 to U-38); pure.

import { duration } from './time.ts';
import type { Json, JsonObject } from './types.ts';
import { waits as w } from '../words/waits.ts';

export interface Wait {
  id: string;
  workflow_id: string;
  execution_id: string;
  contact_id: string | null;
  step_id: string;
  occurrence: number;
  source: string;
  wait_type: WaitType;
  config: JsonObject | null;
  status: string;
  scheduled_at: string | null;
  event_timeout_at: string | null;
  due_at: string;
  timezone: string | null;
  timezone_source: string | null;
  local_target: string | null;
  gap_policy: string | null;
  tzdata_version: string | null;
  explain: { rule?: string; skipped?: { date: string; why: string }[]; adjusted?: 'gap' | 'overlap' | null } | null;
  listeners: { event_type: string; status: string; since?: string }[];
  on_hold: boolean;
  hold_reason: string | null;
  parked: boolean;
  reached_at: string;
  ended_at: string | null;
  resumed_at: string | null;
  resumed_by: string | null;
  ended_reason: string | null;
  overdue_s: number;
  warnings: Json[];
}

export const waitTypes = ['fixed_time', 'until_date', 'until_time', 'for_event'] as const;
export type WaitType = (typeof waitTypes)[number];

const names: Record<string, string> = {
  fixed_time: w.forATime, until_date: w.untilADate, until_time: w.untilATimeOfDay, for_event: w.forASignal,
};

export function typeName(type: string): string {
  return names[type] ?? type;
}

export function isPending(wait: { status: string }): boolean {
  return wait.status === 'scheduled' || wait.status === 'waiting';
}

/** A wait for a signal without time-out is due at the end of time. */
export function neverDue(wait: { due_at: string }): boolean {
  return Number(wait.due_at.slice(0, 4)) >= 9000;
}

/** What a wait shows as: a late one is late, a held one is held. */
export function shownStatus(wait: Wait): string {
  if (wait.on_hold && isPending(wait)) return 'on_hold';
  if (wait.overdue_s > 5) return 'overdue';
  return wait.status;
}

function word(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** One line about what a wait waits for. */
export function about(wait: Wait): string {
  const config = wait.config ?? {};
  if (wait.wait_type === 'for_event') {
    const types = wait.listeners.map((listener) => listener.event_type).filter(Boolean);
    return types.length ? types.join(', ') : word(config.event_type ?? config.name);
  }
  if (wait.wait_type === 'fixed_time') {
    const amount = word(config.duration ?? config.amount);
    return amount ? `${amount} ${word(config.unit)}` : '';
  }
  return wait.local_target ? wait.local_target.slice(0, 16).replace('T', ' ') : '';
}

const sources: Record<string, string> = {
  explicit: w.namedByTheWaitItself, offset: w.anOffsetWrittenInTheDate, step: w.namedByTheWaitItself, config: w.namedByTheWaitItself, wait: w.namedByTheWaitItself, contact: w.theContactSOwn,
  account: w.theAccountS, workflow: w.theWorkflowS, default: w.nobodyNamedOneSoUTC, utc: w.nobodyNamedOneSoUTC,
};

const rules: Record<string, string> = {
  R4: w.theFirstDayThatFitsAt, R5: w.elapsedTimeADayIs24,
  R6: w.theCalendarYearsAndMonthsFrom, R7: w.theDateHadPassedAlready,
};

/** How the instant of a wait came about, one fact a line. */
export function explained(wait: Wait): { name: string; text: string }[] {
  const out: { name: string; text: string }[] = [];
  const add = (name: string, text: string | null | undefined) => {
    if (text) out.push({ name, text });
  };
  if (wait.explain?.rule) add(w.rule, rules[wait.explain.rule] ?? wait.explain.rule);
  add(w.localTimeWanted, wait.local_target?.replace('T', ' '));
  if (wait.timezone) add(w.zone, `${wait.timezone}${wait.timezone_source ? ` (${sources[wait.timezone_source] ?? wait.timezone_source})` : ''}`);
  const skipped = wait.explain?.skipped ?? [];
  if (skipped.length) add(w.daysPassedOver, skipped.map((one) => `${one.date} (${one.why})`).join(', '));
  if (wait.explain?.adjusted === 'gap')
    add(w.clockChange, w.thatTimeDoesNotExistOn(wait.gap_policy === 'shift' ? w.itIsMovedByTheLength : w.theFirstTimeAfterTheGap));
  if (wait.explain?.adjusted === 'overlap') add(w.clockChange, w.thatTimeComesTwiceOnThat);
  add(w.zoneData, wait.tzdata_version);
  return out;
}

export function lateBy(wait: { overdue_s: number }): string {
  return duration(wait.overdue_s * 1000);
}
