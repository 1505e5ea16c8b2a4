import type { RunItem } from './types.ts';

// Filters of the list of runs and the address that holds them, by REST's own names (U-2).

export const runFilterNames = ['status', 'workflow_id', 'label', 'contact_id', 'parent', 'from', 'to', 'q', 'version', 'error_code', 'node', 'wait_kind', 'retrying', 'attention'] as const;
export type RunFilterName = (typeof runFilterNames)[number];
export type RunFilter = Partial<Record<RunFilterName, string>>;

export function readFilter(query: URLSearchParams): RunFilter {
  const out: RunFilter = {};
  for (const name of runFilterNames) {
    const value = query.get(name);
    if (value) out[name] = value;
  }
  return out;
}

export function isEmpty(filter: RunFilter): boolean {
  return Object.keys(filter).length === 0;
}

/** `1h`, `24h`, `7d` before now: a link keeps its meaning tomorrow. */
export function since(text: string, now: number): string {
  const match = /^(\d+)([hd])$/.exec(text);
  if (!match) return text;
  const ms = Number(match[1]) * (match[2] === 'h' ? 3_600_000 : 86_400_000);
  return new Date(now - ms).toISOString();
}

export function forServer(filter: RunFilter, now: number): RunFilter {
  const out = { ...filter };
  if (out.from) out.from = since(out.from, now);
  if (out.to) out.to = since(out.to, now);
  return out;
}

/** Filters by where a run stands, which news of a run do not tell. */
export const placeNames = ['node', 'wait_kind', 'retrying', 'attention'] as const;
export function byPlace(filter: RunFilter): boolean {
  return placeNames.some((name) => filter[name]);
}

/** What a run may wait for, by the API's names. */
export const waitKinds = ['timer', 'signal', 'approval', 'job', 'call', 'retry', 'child', 'merge', 'aggregator', 'wait', 'paused', 'undo', 'undo_stopped', 'unreadable', 'failed', 'on_bus'];

/** Whether a run that has just changed belongs to the list that is shown. Where it stands nobody can tell from the news. */
export function matches(run: RunItem, filter: RunFilter): boolean {
  if (byPlace(filter)) return false;
  if (filter.version && String(run.version) !== filter.version) return false;
  if (filter.error_code && run.error?.code !== filter.error_code) return false;
  if (filter.status && !filter.status.split(',').includes(run.status)) return false;
  if (filter.workflow_id && run.workflow_id !== filter.workflow_id) return false;
  if (filter.contact_id && run.contact_id !== filter.contact_id) return false;
  if (filter.parent && run.parent !== filter.parent) return false;
  if (filter.label) {
    const [name = '', value] = filter.label.split(':', 2);
    if (!(name in run.labels) || (value !== undefined && run.labels[name] !== value)) return false;
  }
  if (filter.from && Date.parse(run.started_at) < Date.parse(filter.from)) return false;
  if (filter.to && Date.parse(run.started_at) >= Date.parse(filter.to)) return false;
  if (!filter.q) return true;
  const text = [run.id, run.workflow_id, run.contact_id ?? '', run.error?.code ?? ''].join(' ').toLowerCase();
  return text.includes(filter.q.toLowerCase());
}
