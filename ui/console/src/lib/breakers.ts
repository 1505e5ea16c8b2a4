// The circuit breakers before what is asked outside, in words (U-44, U-45); pure.

import { plural } from './format.ts';
import { countdown } from './time.ts';
import { breakers as w } from '../words/jobs.ts';

export interface Breaker {
  name: string;
  state: 'CLOSED' | 'OPEN' | 'HALF_OPEN';
  failures: number;
  probes: number;
  probes_max: number;
  changes_at: string | null;
  calls_under_way: number;
  calls_waiting: number;
}

/** What stands behind a name. */
export function breakerWhat(name: string): string {
  if (name === 'safety-output') return w.theServiceThatReadsResults;
  return name === 'safety' ? w.theServiceThatJudgesJobsBy : name;
}

/** What it does with calls now, and until when. */
export function breakerWords(breaker: Breaker, now: number): string {
  const left = breaker.changes_at ? Date.parse(breaker.changes_at) - now : NaN;
  if (breaker.state === 'OPEN')
    return w.nothingIsAskedFailedThenA(Number.isFinite(left) ? w.forWord(countdown(Math.max(0, left))) : '', plural(breaker.failures, w.call));
  if (breaker.state === 'HALF_OPEN')
    return w.aFewCallsAreTriedOf(breaker.probes, breaker.probes_max);
  return breaker.failures ? w.everythingIsAskedFailedOfLate(plural(breaker.failures, w.call)) : w.everythingIsAskedAndAnswersCome;
}

/** What becomes of jobs while policy cannot be asked. */
export function failModeWords(mode: string): string {
  return mode === 'open' ? w.whileItCannotBeAskedJobs : w.whileItCannotBeAskedJobs2;
}
