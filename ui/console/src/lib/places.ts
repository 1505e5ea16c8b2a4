// Where a run stands, in words.

import { countdown, duration } from './time.ts';
import type { RunItem, RunPlace } from './types.ts';

/** What stands for each kind of `waiting` and of the filter `wait_kind`. */
export const kindWords: Record<string, string> = {
  timer: 'a time', signal: 'a signal', approval: 'people', job: 'a job', call: 'an answer', retry: 'its next attempt', child: 'another run',
  merge: 'other branches', aggregator: 'items of a split', wait: 'a wait of the API', paused: 'being resumed', undo: 'being undone',
  undo_stopped: 'somebody: its undo has stopped', failed: 'nothing: it failed there', all: 'all of several', any: 'any of several', race: 'the first of several',
  settled: 'several to end', fiber: 'a part of itself',
};

/** How often an attempt of it has failed so far, at the place where that is most. */
export function triedTimes(run: RunItem): number {
  return Math.max(0, ...(run.at ?? []).map((place) => place.attempt ?? 0));
}

function left(until: string, now: number): string {
  const ms = Date.parse(until) - now;
  return ms >= 0 ? `in ${countdown(ms)}` : `due ${duration(-ms)} ago`;
}

function placeWords(place: RunPlace, now: number): string {
  if (place.kind === 'paused') return 'paused';
  const what = place.kind === 'retry' ? `tries again${place.attempt ? ` after ${place.attempt}` : ''}` : place.kind === 'timer' ? '' : `waits for ${kindWords[place.kind] ?? place.kind}`;
  const words = [place.node, what, place.until ? left(place.until, now) : ''].filter(Boolean);
  return words.join(place.node ? ': ' : ' ').replace(': in ', ' in ');
}

/** One line for a list: the error, or where it stands and until when. */
export function nowAt(run: RunItem, now: number): string {
  const failed = run.at?.find((place) => place.kind === 'failed');
  if (run.error?.code) return failed?.node ? `${run.error.code} at ${failed.node}` : run.error.code;
  const places = (run.at ?? []).filter((place) => place.kind !== 'failed');
  const first = places[0];
  if (first && (run.status === 'waiting' || run.status === 'running' || run.status === 'paused'))
    return `${placeWords(first, now)}${places.length > 1 ? `, and ${places.length - 1} more` : ''}`;
  if (run.status === 'waiting' && run.next_due_at) return `next ${left(run.next_due_at, now)}`;
  return run.status === 'waiting' ? 'until something arrives' : '';
}
