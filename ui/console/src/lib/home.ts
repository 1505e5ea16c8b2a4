// What Home asks the server for, all at once: its one sentence must not be made of answers of different times (U-20).

import { get, query } from './api.ts';
import type { Breaker } from './breakers.ts';
import { clock } from './clock.svelte.ts';
import type { Overview, Page, RunItem, Workflow } from './types.ts';
import type { Wait } from './waits.ts';

/** More than this is counted, not listed. */
export const listedMax = 1000;
const hourMs = 3_600_000;

export interface Queue {
  topic: string;
  depth: number;
  oldest_ms: number;
  served: boolean;
}

export interface HomeWorker {
  status: string;
  pool?: string;
  active: number;
  max_parallel?: number;
}

/** When something goes on within the hour: waits, and calls that are tried again. */
export interface Upcoming {
  dues: string[];
  /** Due within the hour too, but beyond what is listed. */
  more: number;
  /** Waits that are due after the hour. */
  later: number;
}

export interface HomeFacts {
  failed: RunItem[];
  upcoming: Upcoming;
  latest: RunItem[];
  /** What the server counted of the last hour or day. */
  measured: Overview;
  queues: Queue[];
  workers: HomeWorker[];
  workflows: Workflow[];
  unreadable: { runs: RunItem[]; rows: number };
  stopped: RunItem[];
  breakers: Breaker[];
}

// Rare, and looked for among all live runs: asked for every ten seconds at most.
const rareEveryMs = 10_000;
type Rare = Pick<HomeFacts, 'stopped' | 'unreadable'>;
let rareAt = -Infinity;
let rareKnown: Rare = { stopped: [], unreadable: { runs: [], rows: 0 } };
async function rare(signal: AbortSignal): Promise<Rare> {
  if (performance.now() - rareAt < rareEveryMs) return rareKnown;
  const [stopped, unreadable] = await Promise.all(['undo_stopped', 'unreadable'].map((kind) => get<Page<RunItem>>(`/executions${query({ wait_kind: kind, limit: listedMax })}`, signal)));
  rareKnown = { stopped: stopped?.items ?? [], unreadable: { runs: unreadable?.items ?? [], rows: unreadable?.damaged?.length ?? 0 } };
  rareAt = performance.now();
  return rareKnown;
}

async function upcoming(signal: AbortSignal): Promise<Upcoming> {
  const pending = { status: 'pending', on_hold: 'false' };
  const [soon, all, retrying] = await Promise.all([
    get<Page<Wait>>(`/waits${query({ ...pending, due_to: new Date(clock.moment() + hourMs).toISOString(), limit: listedMax })}`, signal),
    get<Page<Wait>>(`/waits${query({ ...pending, limit: 1 })}`, signal),
    get<Page<RunItem>>(`/executions${query({ wait_kind: 'retry', limit: listedMax })}`, signal),
  ]);
  const retries = retrying.items.flatMap((run) => (run.at ?? []).filter((place) => place.kind === 'retry' && place.until).map((place) => place.until ?? ''));
  const soonMany = soon.total ?? soon.items.length;
  return { dues: [...soon.items.map((wait) => wait.due_at), ...retries], more: soonMany - soon.items.length, later: (all.total ?? soonMany) - soonMany };
}

export async function homeFacts(wholeDay: boolean, signal: AbortSignal): Promise<HomeFacts> {
  const day = new Date(clock.moment() - 24 * hourMs).toISOString();
  const [failed, soon, latest, measured, queues, workers, workflows, seldom, breakers] = await Promise.all([
    get<Page<RunItem>>(`/executions${query({ status: 'failed,timed_out', from: day, limit: listedMax })}`, signal),
    upcoming(signal),
    get<Page<RunItem>>('/executions?limit=8', signal),
    get<Overview>(`/overview?rates=${wholeDay ? '24h' : '1h'}`, signal),
    get<Queue[]>('/queues', signal),
    get<Page<HomeWorker>>('/workers', signal),
    get<Page<Workflow>>('/workflows?limit=1', signal),
    rare(signal),
    get<{ items: Breaker[] }>('/breakers', signal),
  ]);
  return { failed: failed.items, upcoming: soon, latest: latest.items, measured, queues, workers: workers.items, workflows: workflows.items, ...seldom, breakers: breakers.items };
}
