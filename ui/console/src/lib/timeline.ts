// Bars of the timeline, folded from the history; idle time folded away (U-28).

import type { HistoryEvent } from './types.ts';

export type BarKind = 'running' | 'waiting' | 'success' | 'failed';

export interface Bar {
  node: string;
  name: string;
  kind: BarKind;
  from: number;
  to: number;
  attempt: number;
  sequence: number;
  item: string;
  /** It has not ended of itself: it goes on, or the run ended or gave it up before. */
  open?: boolean;
}

export interface Row {
  node: string;
  name: string;
  bars: Bar[];
}

const ends: Record<string, BarKind> = {
  NodeSucceeded: 'success',
  WaitResumed: 'waiting',
  NodeFailed: 'failed',
  NodeRetryScheduled: 'failed',
  MergeOpened: 'success',
  MergeFailed: 'failed',
  TaskEnded: 'success',
  TaskCompleted: 'success',
  TaskFailed: 'failed',
  TimerFired: 'waiting',
};
const begins: Record<string, BarKind> = {
  NodeStarted: 'running',
  WaitOpened: 'waiting',
  MergeArrived: 'waiting',
  SplitOpened: 'running',
  TaskStarted: 'running',
  TimerStarted: 'waiting',
};

function itemOf(event: HistoryEvent): string {
  return event.lineage?.at(-1)?.branch_id ?? '';
}

function nodeOf(event: HistoryEvent): string {
  return event.node_id ?? (typeof event.node === 'string' ? event.node : '');
}

export function rowsOf(history: HistoryEvent[], end: number): Row[] {
  const rows = new Map<string, Row>();
  const open = new Map<string, Bar>();
  for (const event of history) {
    const node = nodeOf(event);
    if (!node) continue;
    const at = Date.parse(event.at);
    const key = `${node} ${itemOf(event)} ${event.visit ?? 0}`;
    const row = rows.get(node) ?? { node, name: String(event.node_name ?? event.name ?? node), bars: [] };
    rows.set(node, row);
    const begun = begins[event.type];
    const ended = ends[event.type];
    if (begun && !open.has(key)) {
      const bar: Bar = { node, name: row.name, kind: begun, from: at, to: end, attempt: event.attempt ?? 1, sequence: event.sequence, item: itemOf(event), open: true };
      open.set(key, bar);
      row.bars.push(bar);
    } else if (ended) {
      const bar = open.get(key);
      open.delete(key);
      if (bar) {
        bar.to = at;
        bar.open = false;
        if (bar.kind !== 'waiting' || ended === 'failed') bar.kind = ended;
      } else {
        const from = typeof event.started_at === 'string' ? Date.parse(event.started_at) : at;
        row.bars.push({ node, name: row.name, kind: ended, from, to: at, attempt: event.attempt ?? 1, sequence: event.sequence, item: itemOf(event) });
      }
    } else if (event.type === 'SplitClosed') {
      const bar = open.get(key);
      if (bar) Object.assign(bar, { to: at, open: false, kind: Number(event.failed ?? 0) > 0 ? 'failed' : 'success' });
      open.delete(key);
    }
  }
  // What a run that is over left open ended with it.
  return [...rows.values()];
}

export interface Segment {
  from: number;
  to: number;
  /** Place on the axis, 0 to 1. */
  at: number;
  size: number;
  folded: boolean;
}

const foldedSize = 0.06;

/**
 * The axis of a run from `from` to `to`. Spans in which only waits were open are folded to a fixed
 * width when together they are more than 80 % of the run.
 */
export function axisOf(rows: Row[], from: number, to: number, fold: boolean | 'auto' = 'auto'): Segment[] {
  const whole = Math.max(1, to - from);
  const one: Segment[] = [{ from, to: from + whole, at: 0, size: 1, folded: false }];
  if (fold === false) return one;
  const marks = new Set<number>([from, from + whole]);
  for (const row of rows) for (const bar of row.bars) [bar.from, bar.to].forEach((at) => marks.add(Math.min(Math.max(at, from), from + whole)));
  const points = [...marks].sort((a, b) => a - b);
  const busy = rows.flatMap((row) => row.bars.filter((bar) => bar.kind !== 'waiting' && bar.to > bar.from));
  const spans: { from: number; to: number; idle: boolean }[] = [];
  for (let i = 0; i + 1 < points.length; i++) {
    const a = points[i] as number;
    const b = points[i + 1] as number;
    const idle = b - a > whole * 0.05 && !busy.some((bar) => bar.from < b && bar.to > a);
    const last = spans.at(-1);
    if (last && last.idle === idle) last.to = b;
    else spans.push({ from: a, to: b, idle });
  }
  const idleMs = spans.reduce((sum, span) => sum + (span.idle ? span.to - span.from : 0), 0);
  if (fold === 'auto' && idleMs < whole * 0.8) return one;
  const folds = spans.filter((span) => span.idle).length;
  const room = Math.max(0.2, 1 - folds * foldedSize);
  const busyMs = Math.max(1, whole - idleMs);
  const out: Segment[] = [];
  let at = 0;
  for (const span of spans) {
    const size = span.idle ? foldedSize : (room * (span.to - span.from)) / busyMs;
    out.push({ from: span.from, to: span.to, at, size, folded: span.idle });
    at += size;
  }
  const scale = at > 0 ? 1 / at : 1;
  return out.map((segment) => ({ ...segment, at: segment.at * scale, size: segment.size * scale }));
}

export function placeOn(axis: Segment[], at: number): number {
  for (const segment of axis) {
    if (at > segment.to) continue;
    const share = (at - segment.from) / Math.max(1, segment.to - segment.from);
    return segment.at + segment.size * Math.min(1, Math.max(0, share));
  }
  return 1;
}

/** What is shown of an axis: where it begins and how much of it, 0 to 1. */
export interface Window {
  from: number;
  size: number;
}
export const whole: Window = { from: 0, size: 1 };

/** Closer or wider around a place of what is shown (0 to 1); never beyond the ends. */
export function zoomed(view: Window, factor: number, at: number, least: number): Window {
  const size = Math.min(1, Math.max(least, view.size / factor));
  const from = view.from + (view.size - size) * at;
  return { from: Math.min(1 - size, Math.max(0, from)), size };
}

/** Along the axis by a share of what is shown. */
export function moved(view: Window, by: number): Window {
  return { from: Math.min(1 - view.size, Math.max(0, view.from + by * view.size)), size: view.size };
}

/** A place of the axis as a place of what is shown; outside of it, its edge. */
export function inView(view: Window, at: number): number {
  return Math.min(1, Math.max(0, (at - view.from) / view.size));
}

/** Moments to write along the axis, none within folded time. */
export function ticksOf(axis: Segment[], view: Window, many = 6): { at: number; time: number }[] {
  const out: { at: number; time: number }[] = [];
  for (let i = 0; i < many; i++) {
    const at = i / many;
    const place = view.from + at * view.size;
    const segment = axis.find((one) => place >= one.at && place < one.at + one.size);
    if (segment && !segment.folded) out.push({ at, time: Math.round(segment.from + ((place - segment.at) / segment.size) * (segment.to - segment.from)) });
  }
  return out;
}
