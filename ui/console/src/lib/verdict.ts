// Home's one sentence, and the problems behind it, worst first (U-20).

import { count, plural } from './format.ts';
import type { FailureCause, RunItem } from './types.ts';
import { verdict as w } from '../words/home.ts';

export interface ProblemLine {
  tone: 'failed' | 'waiting';
  text: string;
  since: string;
  href: string;
}

export interface Facts {
  failed: RunItem[];
  overdue: { count: number; since: string | null };
  deadLetters: number;
  unserved: { topic: string; depth: number; oldest_ms: number }[];
  lostWorkers: number;
  /** Live runs that cannot be read, and rows of which nobody can tell more. */
  unreadable: { runs: RunItem[]; rows: number };
  /** Runs whose undo has stopped: nobody but a person can take them on. */
  stopped: RunItem[];
  /** Of those who judge jobs, the ones that are not asked at the moment. */
  breakersOpen: string[];
  now: number;
}

export interface FailureGroup {
  workflow: string;
  code: string;
  count: number;
  first: string;
  last: string;
  /** When the earliest of them began: lists are by that. */
  began: string;
}

export function failureGroups(failed: RunItem[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const run of failed) {
    const code = run.error?.code ?? run.status;
    const key = `${run.workflow_id}\n${code}`;
    const at = run.completed_at ?? run.started_at;
    const known = groups.get(key);
    if (!known) groups.set(key, { workflow: run.workflow_id, code, count: 1, first: at, last: at, began: run.started_at });
    else {
      known.count += 1;
      if (at < known.first) known.first = at;
      if (at > known.last) known.last = at;
      if (run.started_at < known.began) known.began = run.started_at;
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || a.workflow.localeCompare(b.workflow));
}

/**
 * What failed, grouped. The list of runs is right also after a restart; the server's counts know the node, and all of
 * them where the list is only the newest.
 */
export function causesOf(failed: RunItem[], whole: boolean, measured: FailureCause[]): FailureCause[] {
  if (!whole) return measured;
  return failureGroups(failed).map((group) => {
    const same = measured.filter((cause) => cause.workflow_id === group.workflow && cause.code === group.code);
    return { workflow_id: group.workflow, node: same.length === 1 ? (same[0]?.node ?? null) : null, code: group.code, count: group.count, first_at: group.first, last_at: group.last };
  });
}

export function problemsOf(facts: Facts): ProblemLine[] {
  const out: ProblemLine[] = [];
  const lost = facts.unreadable.runs.length + facts.unreadable.rows;
  if (lost) {
    const found = facts.unreadable.runs.flatMap((run) => (run.at ?? []).flatMap((place) => (place.kind === 'unreadable' && place.at ? [place.at] : [])));
    out.push({ tone: 'failed', text: w.nobodyCanResume(plural(lost, w.run)), since: found.sort()[0] ?? '', href: '/runs?wait_kind=unreadable' });
  }
  if (facts.stopped.length)
    out.push({ tone: 'failed', text: w.undoingHasStopped(plural(facts.stopped.length, w.run)), since: facts.stopped.map((run) => run.completed_at ?? run.started_at).sort()[0] ?? '', href: '/runs?wait_kind=undo_stopped' });
  if (facts.overdue.count)
    out.push({ tone: 'failed', text: w.overdue(plural(facts.overdue.count, w.waitIs, w.waitsAre)), since: facts.overdue.since ?? '', href: '/waits?tab=overdue' });
  for (const name of facts.breakersOpen)
    out.push({ tone: 'failed', text: w.policyCannotBeAskedDoesNot(name), since: '', href: '/workers' });
  const hour = facts.now - 3_600_000;
  const recent = facts.failed.filter((run) => Date.parse(run.completed_at ?? run.started_at) >= hour);
  for (const group of failureGroups(recent).slice(0, 5))
    out.push({
      tone: 'failed',
      text: w.ofFailedWithInTheLast(plural(group.count, w.run), group.workflow, group.code),
      since: group.first,
      href: `/runs?status=failed,timed_out&workflow_id=${encodeURIComponent(group.workflow)}&error_code=${encodeURIComponent(group.code)}&from=${encodeURIComponent(group.began)}`,
    });
  if (facts.lostWorkers)
    out.push({ tone: 'failed', text: w.lost(plural(facts.lostWorkers, w.workerIs, w.workersAre)), since: '', href: '/workers' });
  out.push(...unservedLines(facts));
  if (facts.deadLetters)
    out.push({ tone: 'waiting', text: w.forSomebodyToLook(plural(facts.deadLetters, w.deadLetterWaits, w.deadLettersWait)), since: '', href: '/dlq' });
  return out;
}

/** Topics nobody works on: a line each, or one for all when there are many. */
function unservedLines(facts: Facts): ProblemLine[] {
  const topics = new Map<string, { depth: number; oldest_ms: number }>();
  for (const queue of facts.unserved) {
    const known = topics.get(queue.topic) ?? { depth: 0, oldest_ms: 0 };
    topics.set(queue.topic, { depth: known.depth + queue.depth, oldest_ms: Math.max(known.oldest_ms, queue.oldest_ms) });
  }
  const since = (ms: number) => new Date(facts.now - ms).toISOString();
  if (topics.size > 2) {
    const depth = [...topics.values()].reduce((sum, one) => sum + one.depth, 0);
    const oldest = Math.max(...[...topics.values()].map((one) => one.oldest_ms));
    return [{ tone: 'waiting', text: w.ofTopicsHaveNoWorker(plural(depth, w.job), topics.size), since: since(oldest), href: '/workers' }];
  }
  return [...topics].map(([topic, { depth, oldest_ms }]) => ({
    tone: 'waiting',
    text: w.ofNoWorker(plural(depth, w.job), topic, depth === 1 ? 'has' : 'have'),
    since: since(oldest_ms),
    href: `/jobs?topic=${encodeURIComponent(topic)}`,
  }));
}

export function verdictOf(problems: ProblemLine[], stale: boolean): string {
  if (stale) return w.theServerCannotBeHeardSo;
  if (!problems.length) return w.allWellNothingIsOverdueNothing;
  return problems.length === 1 ? w.oneThingNeedsAttention : w.thingsNeedAttention(count(problems.length));
}

export interface PoolLoad {
  name: string;
  workers: number;
  active: number;
  room: number;
  /** In percent. */
  share: number;
}

/** Pools by load, the fullest first. */
export function poolsOf(workers: { status: string; pool?: string; active: number; max_parallel?: number }[]): PoolLoad[] {
  const pools = new Map<string, PoolLoad>();
  for (const worker of workers) {
    const name = worker.pool || 'default';
    const pool = pools.get(name) ?? { name, workers: 0, active: 0, room: 0, share: 0 };
    pool.workers += 1;
    pool.active += worker.active;
    pool.room += worker.max_parallel ?? 0;
    pool.share = pool.room ? Math.min(100, Math.round((100 * pool.active) / pool.room)) : 0;
    pools.set(name, pool);
  }
  return [...pools.values()].sort((a, b) => b.share - a.share || a.name.localeCompare(b.name));
}
