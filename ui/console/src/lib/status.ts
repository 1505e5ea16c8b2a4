// Status is always colour, glyph and word (U-61). Everything that has one is mapped to a tone here.

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
  running: { tone: 'running', glyph: 'ring', word: 'Running' },
  waiting: { tone: 'waiting', glyph: 'clock', word: 'Waiting' },
  paused: { tone: 'paused', glyph: 'bars', word: 'Paused' },
  completed: { tone: 'success', glyph: 'tick', word: 'Completed' },
  success: { tone: 'success', glyph: 'tick', word: 'Done' },
  failed: { tone: 'failed', glyph: 'cross', word: 'Failed' },
  error: { tone: 'failed', glyph: 'cross', word: 'Failed' },
  timed_out: { tone: 'failed', glyph: 'late', word: 'Timed out' },
  cancelled: { tone: 'cancelled', glyph: 'slash', word: 'Cancelled' },
  skipped: { tone: 'skipped', glyph: 'dashes', word: 'Skipped' },
  RETRYING: { tone: 'running', glyph: 'ring', word: 'Retrying' },
  retrying: { tone: 'running', glyph: 'ring', word: 'Retrying' },
  // Jobs.
  PENDING: { tone: 'none', glyph: 'dot', word: 'Pending' },
  APPROVAL_REQUIRED: { tone: 'waiting', glyph: 'hand', word: 'Needs approval' },
  APPROVAL: { tone: 'waiting', glyph: 'hand', word: 'Needs approval' },
  SCHEDULED: { tone: 'waiting', glyph: 'calendar', word: 'Scheduled' },
  DISPATCHED: { tone: 'running', glyph: 'ring', word: 'Dispatched' },
  RUNNING: { tone: 'running', glyph: 'ring', word: 'Running' },
  SUCCEEDED: { tone: 'success', glyph: 'tick', word: 'Succeeded' },
  FAILED: { tone: 'failed', glyph: 'cross', word: 'Failed' },
  TIMEOUT: { tone: 'failed', glyph: 'late', word: 'Timed out' },
  TIMED_OUT: { tone: 'failed', glyph: 'late', word: 'Timed out' },
  DENIED: { tone: 'failed', glyph: 'bar', word: 'Denied' },
  CANCELLED: { tone: 'cancelled', glyph: 'slash', word: 'Cancelled' },
  QUARANTINED: { tone: 'held', glyph: 'brackets', word: 'Quarantined' },
  OUTPUT_QUARANTINED: { tone: 'held', glyph: 'brackets', word: 'Quarantined' },
  // Approvals.
  pending: { tone: 'waiting', glyph: 'hand', word: 'Waits for an answer' },
  approved: { tone: 'success', glyph: 'tick', word: 'Approved' },
  rejected: { tone: 'failed', glyph: 'bar', word: 'Rejected' },
  withdrawn: { tone: 'cancelled', glyph: 'slash', word: 'Withdrawn' },
  // What policy says.
  allow: { tone: 'success', glyph: 'tick', word: 'Allow' },
  allow_with_constraints: { tone: 'success', glyph: 'tick', word: 'Allow, within limits' },
  require_approval: { tone: 'waiting', glyph: 'hand', word: 'Ask people' },
  throttle: { tone: 'paused', glyph: 'bars', word: 'Slow down' },
  deny: { tone: 'failed', glyph: 'bar', word: 'Deny' },
  // Workers.
  online: { tone: 'success', glyph: 'tick', word: 'Online' },
  awaited: { tone: 'waiting', glyph: 'clock', word: 'Awaited' },
  active: { tone: 'success', glyph: 'tick', word: 'Active' },
  draining: { tone: 'paused', glyph: 'bars', word: 'Draining' },
  ageing: { tone: 'waiting', glyph: 'clock', word: 'Ageing' },
  lost: { tone: 'failed', glyph: 'cross', word: 'Lost' },
  revoked: { tone: 'cancelled', glyph: 'slash', word: 'Revoked' },
  // Breakers.
  CLOSED: { tone: 'success', glyph: 'tick', word: 'Closed' },
  OPEN: { tone: 'failed', glyph: 'bar', word: 'Open' },
  HALF_OPEN: { tone: 'waiting', glyph: 'ring', word: 'Half open' },
  // What scans of results say.
  redact: { tone: 'waiting', glyph: 'dashes', word: 'Redact' },
  quarantine: { tone: 'held', glyph: 'brackets', word: 'Quarantine' },
  // Schedules, waits, bulk operations.
  open: { tone: 'waiting', glyph: 'clock', word: 'Open' },
  overdue: { tone: 'failed', glyph: 'late', word: 'Overdue' },
  scheduled: { tone: 'waiting', glyph: 'clock', word: 'Scheduled' },
  timeout: { tone: 'cancelled', glyph: 'late', word: 'Timed out' },
  on_hold: { tone: 'held', glyph: 'brackets', word: 'On hold' },
  ended: { tone: 'cancelled', glyph: 'slash', word: 'Ended' },
  started: { tone: 'success', glyph: 'tick', word: 'Started' },
  queued: { tone: 'waiting', glyph: 'clock', word: 'Queued' },
  refused: { tone: 'failed', glyph: 'cross', word: 'Refused' },
  retried: { tone: 'success', glyph: 'tick', word: 'Retried' },
  discarded: { tone: 'cancelled', glyph: 'slash', word: 'Dropped' },
  purged: { tone: 'cancelled', glyph: 'slash', word: 'Dropped' },
  released: { tone: 'success', glyph: 'tick', word: 'Released' },
  run_handled: { tone: 'success', glyph: 'tick', word: 'Handled by its run' },
  resumed: { tone: 'success', glyph: 'tick', word: 'Resumed' },
  opted_out: { tone: 'cancelled', glyph: 'slash', word: 'Opted out' },
  expired: { tone: 'cancelled', glyph: 'slash', word: 'Expired' },
  done: { tone: 'success', glyph: 'tick', word: 'Done' },
  // Sagas.
  recorded: { tone: 'none', glyph: 'dot', word: 'Recorded' },
  not_undone: { tone: 'none', glyph: 'dot', word: 'To be undone' },
  submitted: { tone: 'running', glyph: 'ring', word: 'Being undone' },
  rolling_back: { tone: 'running', glyph: 'ring', word: 'Being undone' },
  rolled_back: { tone: 'cancelled', glyph: 'slash', word: 'Undone' },
  parked: { tone: 'held', glyph: 'brackets', word: 'Undo stopped' },
  stopped: { tone: 'cancelled', glyph: 'slash', word: 'Stopped' },
};

export function lookOf(status: string | null | undefined): Look {
  if (!status) return { tone: 'none', glyph: 'dot', word: 'Not reached' };
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
