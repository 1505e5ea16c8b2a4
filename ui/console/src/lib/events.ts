// One line about each event of a history.

import { duration } from './time.ts';
import type { HistoryEvent, Json } from './types.ts';
import { events as w } from '../words/run.ts';

export type EventKind = 'failure' | 'wait' | 'signal' | 'job' | 'other';

export function kindOf(event: HistoryEvent): EventKind {
  if (/Failed|RetryScheduled|TimedOut/.test(event.type)) return 'failure';
  if (/Wait|Timer/.test(event.type)) return 'wait';
  if (/Signal/.test(event.type)) return 'signal';
  if (/Job|Task|Call/.test(event.type)) return 'job';
  return 'other';
}

/** Moments worth stopping at when one goes through time. */
export function isTick(event: HistoryEvent): boolean {
  return kindOf(event) !== 'other' && !/CallRequested|TaskStarted/.test(event.type);
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
}

function about(value: unknown): string {
  if (!value || typeof value !== 'object') return '';
  const { code, message } = value as { code?: string; message?: string };
  return [code, message].filter(Boolean).join(': ');
}

export function words(type: string): string {
  const spaced = type.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

export function summary(event: HistoryEvent): string {
  const field = (name: string) => text(event[name] as Json | undefined);
  switch (event.type) {
    case 'RunStarted':
      return w.by(field('by') || field('trigger'));
    case 'NodeSucceeded':
    case 'WaitResumed': {
      const edges = event.edges as string[] | undefined;
      const took = typeof event.duration_ms === 'number' ? w.took(duration(event.duration_ms)) : '';
      const on = edges?.length ? `→ ${edges.join(', ')}` : 'ends here';
      return [field('resumed_by') && w.by(field('resumed_by')), took, on].filter(Boolean).join(' · ');
    }
    case 'NodeFailed':
    case 'MergeFailed':
    case 'RunFailed':
    case 'TaskFailed':
      return about(event.error);
    case 'NodeRetryScheduled':
      return w.attemptAgainAt(about(event.error), event.attempt ?? 1, field('retry_at').slice(11, 19));
    case 'WaitOpened':
      return [field('signal_name') && w.forSignal(field('signal_name')), field('resume_at') && w.until(field('resume_at').slice(0, 19).replace('T', ' '))]
        .filter(Boolean).join(' · ');
    case 'SplitOpened':
      return w.items(field('total'));
    case 'SlotResolved':
      return [field('outcome'), field('value')].filter(Boolean).join(': ').slice(0, 200);
    case 'SplitClosed':
      return w.resolvedFailed(field('resolved'), field('failed'));
    case 'MergeRecounted':
      return w.ofArrived(field('arrived'), field('expected'));
    case 'SignalReceived':
    case 'SignalSent':
      return field('name');
    case 'NodesSkipped':
      return (event.nodes as string[] | undefined)?.join(', ') ?? '';
    case 'RunCancelled':
      return [field('reason'), field('by') && w.by(field('by'))].filter(Boolean).join(' · ');
    case 'TaskStarted':
      return field('name');
    default:
      return [field('by'), field('name'), about(event.error)].filter(Boolean).join(' · ');
  }
}
