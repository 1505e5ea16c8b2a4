// Who takes a job, or why nobody does (U-41); pure.

import { placement as w } from '../words/jobs.ts';

export interface Candidate {
  worker_id: string;
  pool: string;
  score: number;
  free_slots: number;
  waiting: boolean;
  overloaded: boolean;
  passed_over: boolean;
}

export interface Placement {
  state: string;
  worker_id?: string;
  pool?: string;
  pools?: string[] | null;
  phase?: string;
  reason_code?: string;
  cure?: string;
  scheduling_attempts?: number;
  give_up_at?: string | null;
  candidates?: Candidate[];
}

export interface Score {
  worker_id: string;
  score: number;
}

/** Why a candidate has not got the job, or that it may. */
export function candidateWords(one: Candidate): string {
  if (one.passed_over) return w.passedOverItFailedThisTopic;
  if (one.overloaded) return 'over its mark';
  if (one.free_slots <= 0) return 'full';
  return one.waiting ? w.asksForWork : 'has room';
}

/** Whom it was given to, and among whom. */
export function scoresWords(scores: Score[] | undefined): string {
  return (scores ?? []).map((one) => `${one.worker_id} ${Math.round(one.score * 100) / 100}`).join(', ');
}
