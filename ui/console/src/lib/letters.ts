// Dead letters, grouped by what they have in common (U-43); pure.

import { letters as w } from '../words/jobs.ts';

export interface Letter {
  id: string;
  job_id: string;
  run_id?: string;
  step_id?: string;
  topic: string;
  status: string;
  reason_code: string;
  reason?: string;
  last_state?: string;
  attempts: number;
  error?: { code?: string; message?: string } | null;
  created_at: string;
  resolution?: string;
  resolved_at?: string;
  resolved_by?: string;
  retried_as?: string;
}

export interface LetterGroup {
  key: string;
  reason_code: string;
  topic: string;
  count: number;
  first: string;
  last: string;
  message: string;
}

export function letterGroups(letters: Letter[]): LetterGroup[] {
  const groups = new Map<string, LetterGroup>();
  for (const letter of letters) {
    const key = `${letter.reason_code}\n${letter.topic}`;
    const known = groups.get(key);
    if (!known)
      groups.set(key, {
        key, reason_code: letter.reason_code, topic: letter.topic, count: 1, first: letter.created_at, last: letter.created_at,
        message: letter.error?.message ?? letter.reason ?? '',
      });
    else {
      known.count += 1;
      if (letter.created_at < known.first) known.first = letter.created_at;
      if (letter.created_at > known.last) known.last = letter.created_at;
    }
  }
  return [...groups.values()].sort((a, b) => b.count - a.count || b.last.localeCompare(a.last));
}

const reasons: Record<string, string> = {
  failed_fatal: w.theWorkerSaidThatItFailed,
  retries_exhausted: w.everyTryThatWasAllowedHas,
  run_timeout: w.itTookLongerThanItWas,
  start_timeout: w.aWorkerTookItAndNeverBegan,
  queue_timeout: w.nobodyTookItInTime,
  deadline_exceeded: w.itsDeadlineHasPassed,
  approval_expired: w.nobodyAnsweredInTime,
  safety_denied: w.aRuleOfThePolicyRefused,
  output_quarantined: w.policyKeepsItsOutputBack,
  result_too_large: w.itsResultWasLargerThanAllowed,
};

export function reasonWords(code: string): string {
  return reasons[code] ?? code.replace(/_/g, ' ');
}
