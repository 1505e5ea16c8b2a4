// What policy said of a job's result, in words (U-41); pure.

import { outputPolicy as w } from '../words/policy.ts';

export interface OutputFinding {
  scanner: string;
  type: string;
  severity: string;
  confidence: number;
  pointer: string;
  artifact: string;
  offset: number;
  length: number;
}

export interface OutputPolicy {
  decision?: string;
  rule_id?: string;
  reason?: string;
  severity?: string;
  snapshot?: string;
  findings?: OutputFinding[];
  found?: number;
  original_sha256?: string;
  original_kept?: boolean;
  unscanned?: boolean;
  held?: { sha256: string; bytes: number; tries: number };
  review_until?: string;
  released?: boolean;
  withdrawn?: boolean;
}

/** Where something was found. */
export function findingPlace(one: OutputFinding): string {
  const where = one.artifact ? w.artifact(one.artifact) : one.pointer || w.theWholeOutput;
  return one.length ? w.byteTo(where, one.offset, one.offset + one.length) : where;
}

/** Whether a reader of that role may be shown what is not for everybody; what was redacted is for admins. */
export function mayReveal(policy: OutputPolicy, can: (role: 'operator' | 'admin') => boolean): boolean {
  if (policy.held) return can('operator');
  return policy.original_kept === true && can('admin');
}
