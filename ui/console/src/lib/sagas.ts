// What runs have done that can be undone, as the API tells it (J-77).

import type { Json } from './types.ts';

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
  none: { status: 'ended', about: 'Nothing of this run can be undone.' },
  open: { status: 'recorded', about: 'These would be undone, last first, should the run be rolled back.' },
  rolling_back: { status: 'rolling_back', about: 'The run is being undone, last first.' },
  parked: { status: 'parked', about: 'Undoing has stopped: an entry waits for a decision, and the older ones wait for it.' },
  rolled_back: { status: 'rolled_back', about: 'Everything was undone.' },
  closed: { status: 'done', about: 'The run completed: nothing of it is undone any more.' },
};
