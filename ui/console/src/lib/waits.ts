// Waits in words (U-36 to U-38); pure.

import { duration } from './time.ts';
import type { Json, JsonObject } from './types.ts';

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
  fixed_time: 'For a time', until_date: 'Until a date', until_time: 'Until a time of day', for_event: 'For a signal',
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
  explicit: 'named by the wait itself', offset: 'an offset written in the date', step: 'named by the wait itself', config: 'named by the wait itself', wait: 'named by the wait itself', contact: "the contact's own",
  account: "the account's", workflow: "the workflow's", default: 'nobody named one, so UTC', utc: 'nobody named one, so UTC',
};

const rules: Record<string, string> = {
  R4: 'the first day that fits, at the time of day asked for', R5: 'elapsed time: a day is 24 hours, whatever the clocks do',
  R6: 'the calendar: years and months from the date, then days, then the time of day', R7: 'the date had passed already',
};

/** How the instant of a wait came about, one fact a line. */
export function explained(wait: Wait): { name: string; text: string }[] {
  const out: { name: string; text: string }[] = [];
  const add = (name: string, text: string | null | undefined) => {
    if (text) out.push({ name, text });
  };
  if (wait.explain?.rule) add('Rule', rules[wait.explain.rule] ?? wait.explain.rule);
  add('Local time wanted', wait.local_target?.replace('T', ' '));
  if (wait.timezone) add('Zone', `${wait.timezone}${wait.timezone_source ? ` (${sources[wait.timezone_source] ?? wait.timezone_source})` : ''}`);
  const skipped = wait.explain?.skipped ?? [];
  if (skipped.length) add('Days passed over', skipped.map((one) => `${one.date} (${one.why})`).join(', '));
  if (wait.explain?.adjusted === 'gap')
    add('Clock change', `That time does not exist on that day: clocks go forward. ${wait.gap_policy === 'shift' ? 'It is moved by the length of the gap.' : 'The first time after the gap is taken.'}`);
  if (wait.explain?.adjusted === 'overlap') add('Clock change', 'That time comes twice on that day: clocks go back. The first one is taken.');
  add('Zone data', wait.tzdata_version);
  return out;
}

export function lateBy(wait: { overdue_s: number }): string {
  return duration(wait.overdue_s * 1000);
}
