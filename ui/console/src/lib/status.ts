// Status is always colour, glyph and word (U-61). Everything that has one is mapped to a tone here.

import { status as w } from '../words/shell.ts';

export type Tone =
  | 'running' | 'waiting' | 'success' | 'failed' | 'cancelled' | 'skipped' | 'paused' | 'held' | 'none';
export type Glyph =
  | 'ring' | 'clock' | 'tick' | 'cross' | 'slash' | 'bars' | 'brackets' | 'dot' | 'hand' | 'calendar'
  | 'late' | 'bar' | 'dashes';

export interface Look {
  tone: Tone;
  glyph: Glyph;
  word: string;
}

const looks: Record<string, Look> = {
  running: { tone: 'running', glyph: 'ring', word: w.running },
  waiting: { tone: 'waiting', glyph: 'clock', word: w.waiting },
  paused: { tone: 'paused', glyph: 'bars', word: w.paused },
  completed: { tone: 'success', glyph: 'tick', word: w.completed },
  success: { tone: 'success', glyph: 'tick', word: w.done },
  failed: { tone: 'failed', glyph: 'cross', word: w.failed },
  error: { tone: 'failed', glyph: 'cross', word: w.failed },
  timed_out: { tone: 'failed', glyph: 'late', word: w.timedOut },
  cancelled: { tone: 'cancelled', glyph: 'slash', word: w.cancelled },
  skipped: { tone: 'skipped', glyph: 'dashes', word: w.skipped },
  RETRYING: { tone: 'running', glyph: 'ring', word: w.retrying },
  retrying: { tone: 'running', glyph: 'ring', word: w.retrying },
  // Jobs.
  PENDING: { tone: 'none', glyph: 'dot', word: w.pending },
  APPROVAL_REQUIRED: { tone: 'waiting', glyph: 'hand', word: w.needsApproval },
  APPROVAL: { tone: 'waiting', glyph: 'hand', word: w.needsApproval },
  SCHEDULED: { tone: 'waiting', glyph: 'calendar', word: w.scheduled },
  DISPATCHED: { tone: 'running', glyph: 'ring', word: w.dispatched },
  RUNNING: { tone: 'running', glyph: 'ring', word: w.running },
  SUCCEEDED: { tone: 'success', glyph: 'tick', word: w.succeeded },
  FAILED: { tone: 'failed', glyph: 'cross', word: w.failed },
  TIMEOUT: { tone: 'failed', glyph: 'late', word: w.timedOut },
  TIMED_OUT: { tone: 'failed', glyph: 'late', word: w.timedOut },
  DENIED: { tone: 'failed', glyph: 'bar', word: w.denied },
  CANCELLED: { tone: 'cancelled', glyph: 'slash', word: w.cancelled },
  QUARANTINED: { tone: 'held', glyph: 'brackets', word: w.quarantined },
  OUTPUT_QUARANTINED: { tone: 'held', glyph: 'brackets', word: w.quarantined },
  // Approvals.
  pending: { tone: 'waiting', glyph: 'hand', word: w.waitsForAnAnswer },
  approved: { tone: 'success', glyph: 'tick', word: w.approved },
  rejected: { tone: 'failed', glyph: 'bar', word: w.rejected },
  withdrawn: { tone: 'cancelled', glyph: 'slash', word: w.withdrawn },
  // What policy says.
  allow: { tone: 'success', glyph: 'tick', word: w.allow },
  allow_with_constraints: { tone: 'success', glyph: 'tick', word: w.allowWithinLimits },
  require_approval: { tone: 'waiting', glyph: 'hand', word: w.askPeople },
  throttle: { tone: 'paused', glyph: 'bars', word: w.slowDown },
  deny: { tone: 'failed', glyph: 'bar', word: w.deny },
  // Workers.
  online: { tone: 'success', glyph: 'tick', word: w.online },
  awaited: { tone: 'waiting', glyph: 'clock', word: w.awaited },
  active: { tone: 'success', glyph: 'tick', word: w.active },
  draining: { tone: 'paused', glyph: 'bars', word: w.draining },
  ageing: { tone: 'waiting', glyph: 'clock', word: w.ageing },
  lost: { tone: 'failed', glyph: 'cross', word: w.lost },
  revoked: { tone: 'cancelled', glyph: 'slash', word: w.revoked },
  // Breakers.
  CLOSED: { tone: 'success', glyph: 'tick', word: w.closed },
  OPEN: { tone: 'failed', glyph: 'bar', word: w.open },
  HALF_OPEN: { tone: 'waiting', glyph: 'ring', word: w.halfOpen },
  // What scans of results say.
  redact: { tone: 'waiting', glyph: 'dashes', word: w.redact },
  quarantine: { tone: 'held', glyph: 'brackets', word: w.quarantine },
  // Schedules, waits, bulk operations.
  open: { tone: 'waiting', glyph: 'clock', word: w.open },
  overdue: { tone: 'failed', glyph: 'late', word: w.overdue },
  scheduled: { tone: 'waiting', glyph: 'clock', word: w.scheduled },
  timeout: { tone: 'cancelled', glyph: 'late', word: w.timedOut },
  on_hold: { tone: 'held', glyph: 'brackets', word: w.onHold },
  ended: { tone: 'cancelled', glyph: 'slash', word: w.ended },
  started: { tone: 'success', glyph: 'tick', word: w.started },
  queued: { tone: 'waiting', glyph: 'clock', word: w.queued },
  refused: { tone: 'failed', glyph: 'cross', word: w.refused },
  retried: { tone: 'success', glyph: 'tick', word: w.retried },
  discarded: { tone: 'cancelled', glyph: 'slash', word: w.dropped },
  purged: { tone: 'cancelled', glyph: 'slash', word: w.dropped },
  released: { tone: 'success', glyph: 'tick', word: w.released },
  run_handled: { tone: 'success', glyph: 'tick', word: w.handledByItsRun },
  resumed: { tone: 'success', glyph: 'tick', word: w.resumed },
  opted_out: { tone: 'cancelled', glyph: 'slash', word: w.optedOut },
  expired: { tone: 'cancelled', glyph: 'slash', word: w.expired },
  done: { tone: 'success', glyph: 'tick', word: w.done },
  // Sagas.
  recorded: { tone: 'none', glyph: 'dot', word: w.recorded },
  not_undone: { tone: 'none', glyph: 'dot', word: w.toBeUndone },
  submitted: { tone: 'running', glyph: 'ring', word: w.beingUndone },
  rolling_back: { tone: 'running', glyph: 'ring', word: w.beingUndone },
  rolled_back: { tone: 'cancelled', glyph: 'slash', word: w.undone },
  parked: { tone: 'held', glyph: 'brackets', word: w.undoStopped },
  stopped: { tone: 'cancelled', glyph: 'slash', word: w.stopped },
};

export function lookOf(status: string | null | undefined): Look {
  if (!status) return { tone: 'none', glyph: 'dot', word: w.notReached };
  const known = looks[status] ?? looks[status.toLowerCase()];
  if (known) return known;
  const word = status.replace(/_/g, ' ').toLowerCase();
  return { tone: 'none', glyph: 'dot', word: word.charAt(0).toUpperCase() + word.slice(1) };
}

export const runStatuses = ['running', 'waiting', 'paused', 'completed', 'failed', 'cancelled', 'timed_out'] as const;

export function isOver(status: string): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'timed_out';
}

/** The order in which counts of a node are told: what needs somebody first. */
const order = ['failed', 'error', 'timed_out', 'running', 'retrying', 'waiting', 'success', 'cancelled', 'skipped'];

export function sortedCounts(counts: Record<string, number>): [string, number][] {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (order.indexOf(a) + 99) % 99 - (order.indexOf(b) + 99) % 99);
}
