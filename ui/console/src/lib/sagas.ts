// What runs have done that can be undone, as the API tells it (J-77).

import type { Json } from './types.ts';
import { sagas as w } from '../words/run.ts';

export interface SagaEntry {
  seq: number;
  job_id: string;
  step_id?: string;
  status: string;
  request: Json;
  comp_job_id?: string;
  attempts: number;
  late?: boolean;
  problem?: string;
  reason_code?: string;
  reason?: string;
  at: string;
}

export interface Saga {
  status: 'none' | 'open' | 'rolling_back' | 'parked' | 'rolled_back' | 'closed';
  entries: SagaEntry[];
  trigger?: string;
  by?: string;
  started_at: string | null;
  ended_at: string | null;
  stopping?: { job_id: string; until: string | null }[];
  undone_by?: string;
}

export const sagaWords: Record<string, { status: string; about: string }> = {
  none: { status: 'ended', about: w.nothingOfThisRunCanBe },
  open: { status: 'recorded', about: w.theseWouldBeUndoneLastFirst },
  rolling_back: { status: 'rolling_back', about: w.theRunIsBeingUndoneLast },
  parked: { status: 'parked', about: w.undoingHasStoppedAnEntryWaits },
  rolled_back: { status: 'rolled_back', about: w.everythingWasUndone },
  closed: { status: 'done', about: w.theRunCompletedNothingOfIt },
};
