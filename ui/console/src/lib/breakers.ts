// The circuit breakers before what is asked outside, in words (U-44, U-45); pure.

import { plural } from './format.ts';
import { countdown } from './time.ts';

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
  if (name === 'safety-output') return 'The service that reads results before they are used';
  return name === 'safety' ? 'The service that judges jobs by policy' : name;
}

/** What it does with calls now, and until when. */
export function breakerWords(breaker: Breaker, now: number): string {
  const left = breaker.changes_at ? Date.parse(breaker.changes_at) - now : NaN;
  if (breaker.state === 'OPEN')
    return `Nothing is asked${Number.isFinite(left) ? ` for ${countdown(Math.max(0, left))}` : ''}: ${plural(breaker.failures, 'call')} failed. Then a few are tried.`;
  if (breaker.state === 'HALF_OPEN')
    return `A few calls are tried, ${breaker.probes} of ${breaker.probes_max} so far. Good answers close it, one failure opens it again.`;
  return breaker.failures ? `Everything is asked; ${plural(breaker.failures, 'call')} failed of late.` : 'Everything is asked, and answers come.';
}

/** What becomes of jobs while policy cannot be asked. */
export function failModeWords(mode: string): string {
  return mode === 'open' ? 'While it cannot be asked, jobs run without its word, and are marked.' : 'While it cannot be asked, jobs wait; none runs without its word.';
}
