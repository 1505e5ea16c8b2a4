// Where a run stands, in words.

import { countdown, duration } from './time.ts';
import type { Run, RunItem, RunPlace } from './types.ts';
import { places as w } from '../words/runs.ts';

/** What stands for each kind of `waiting` and of the filter `wait_kind`. */
export const kindWords: Record<string, string> = {
  timer: w.aTime, signal: w.aSignal, approval: w.people, job: w.aJob, call: w.anAnswer, retry: w.itsNextAttempt, child: w.anotherRun,
  merge: w.otherBranches, aggregator: w.itemsOfASplit, wait: w.aWaitOfTheAPI, paused: w.beingResumed, undo: w.beingUndone,
  undo_stopped: w.somebodyItsUndoHasStopped, unreadable: w.nobodyItCannotBeRead, failed: w.nothingItFailedThere, all: w.allOfSeveral, any: w.anyOfSeveral, race: w.theFirstOfSeveral,
  settled: w.severalToEnd, fiber: w.aPartOfItself, on_bus: w.itsMessageOfABroker,
};

/** How often an attempt of it has failed so far, at the place where that is most. */
export function triedTimes(run: RunItem): number {
  return Math.max(0, ...(run.at ?? []).map((place) => place.attempt ?? 0));
}

/** ↻ and how often it was tried, by the node where something is tried again. */
export function retryMarks(run: Run): Record<string, string> {
  const tried = new Map<string, number>();
  for (const { kind, node, what } of run.waiting) {
    const attempt = what && typeof what === 'object' && !Array.isArray(what) ? Number(what.attempt ?? 0) : 0;
    if (node && (kind === 'retry' || attempt > 1)) tried.set(node, Math.max(tried.get(node) ?? 1, attempt));
  }
  return Object.fromEntries([...tried].map(([node, times]) => [node, `↻ ${times}`]));
}

function left(until: string, now: number): string {
  const ms = Date.parse(until) - now;
  return ms >= 0 ? w.inWord(countdown(ms)) : w.dueAgo(duration(-ms));
}

function placeWords(place: RunPlace, now: number): string {
  if (place.kind === 'paused') return 'paused';
  if (place.kind === 'unreadable') return w.cannotBeRead;
  const what = place.kind === 'retry' ? w.triesAgain(place.attempt ? w.after(place.attempt) : '') : place.kind === 'timer' ? '' : w.waitsFor(kindWords[place.kind] ?? place.kind);
  const words = [place.node, what, place.until ? left(place.until, now) : ''].filter(Boolean);
  return words.join(place.node ? ': ' : ' ').replace(': in ', ' in ');
}

/** One line for a list: the error, or where it stands and until when. */
export function nowAt(run: RunItem, now: number): string {
  const failed = run.at?.find((place) => place.kind === 'failed');
  if (run.error?.code) return failed?.node ? w.at(run.error.code, failed.node) : run.error.code;
  const places = (run.at ?? []).filter((place) => place.kind !== 'failed');
  const first = places[0];
  if (first && (run.status === 'waiting' || run.status === 'running' || run.status === 'paused'))
    return `${placeWords(first, now)}${places.length > 1 ? w.andMore(places.length - 1) : ''}`;
  if (run.status === 'waiting' && run.next_due_at) return w.next(left(run.next_due_at, now));
  return run.status === 'waiting' ? w.untilSomethingArrives : '';
}
