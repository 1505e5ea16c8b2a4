// What will fire, laid out by the clocks of a zone (U-37); pure.

import { addDays, localAt, startOfDay } from './zones.ts';

export interface Bucket {
  start: string;
  total: number;
  by_kind: Record<string, number>;
}

export interface Cell {
  /** An hour that clocks show twice is one cell of two hours; one that they skip has no instants. */
  from: number;
  to: number;
  total: number;
  exists: boolean;
}

export interface Column {
  day: string;
  /** By how many minutes the clocks are changed on this day. */
  change: number;
  cells: Cell[];
}

export function mondayOf(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
  return addDays(day, 1 - weekday);
}

/** Of each day the 24 hours that its clocks show. */
export function hourColumns(first: string, days: number, zone: string, buckets: Bucket[], kinds: Set<string>): Column[] {
  const out: Column[] = [];
  const byDay = new Map<string, Column>();
  for (let i = 0; i < days; i++) {
    const day = addDays(first, i);
    const begin = startOfDay(day, zone);
    const end = startOfDay(addDays(day, 1), zone);
    const cells: Cell[] = Array.from({ length: 24 }, () => ({ from: 0, to: 0, total: 0, exists: false }));
    const change = localAt(end, zone).offsetMinutes - localAt(begin, zone).offsetMinutes;
    const plain = change === 0 && end - begin === 86_400_000;
    // Quarters, because some zones are changed by half an hour; most days are not changed at all.
    for (let at = begin; at < end; at += 900_000) {
      const cell = cells[plain ? Math.floor((at - begin) / 3_600_000) : localAt(at, zone).hour];
      if (!cell) continue;
      if (!cell.exists) cell.from = at;
      cell.exists = true;
      cell.to = at + 900_000;
    }
    const column = { day, change, cells };
    byDay.set(day, column);
    out.push(column);
  }
  for (const bucket of buckets) {
    const local = localAt(Date.parse(bucket.start), zone);
    const cell = byDay.get(local.day)?.cells[local.hour];
    if (cell) cell.total += chosen(bucket, kinds);
  }
  return out;
}

export interface Month {
  name: string;
  days: { day: string; total: number }[];
}

export function months(firstDay: string, count: number, zone: string, buckets: Bucket[], kinds: Set<string>): Month[] {
  const totals = new Map<string, number>();
  for (const bucket of buckets) {
    const { day } = localAt(Date.parse(bucket.start), zone);
    totals.set(day, (totals.get(day) ?? 0) + chosen(bucket, kinds));
  }
  const [year = 1970, month = 1] = firstDay.split('-').map(Number);
  return Array.from({ length: count }, (_, index) => {
    const first = new Date(Date.UTC(year, month - 1 + index, 1));
    const length = new Date(Date.UTC(year, month + index, 0)).getUTCDate();
    const days = Array.from({ length }, (_, day) => {
      const text = new Date(Date.UTC(year, month - 1 + index, day + 1)).toISOString().slice(0, 10);
      return { day: text, total: totals.get(text) ?? 0 };
    });
    return { name: first.toLocaleString('en', { month: 'short', year: '2-digit', timeZone: 'UTC' }), days };
  });
}

function chosen(bucket: Bucket, kinds: Set<string>): number {
  let sum = 0;
  for (const [kind, many] of Object.entries(bucket.by_kind)) if (kinds.has(kind)) sum += many;
  return sum;
}

/** Five steps of shade, by the order of magnitude within what is shown; 0 is none. */
export function shade(total: number, most: number): number {
  if (total <= 0) return 0;
  if (most <= 5) return Math.min(5, Math.max(1, Math.round((5 * total) / most)));
  return Math.min(5, 1 + Math.floor((4.999 * Math.log(total)) / Math.log(most)));
}

/** `1.2k`: what fits a small cell. */
export function short(total: number): string {
  if (total === 0) return '';
  if (total < 1000) return String(total);
  if (total < 10_000) return `${(total / 1000).toFixed(1).replace(/\.0$/, '')}k`;
  if (total < 1_000_000) return `${Math.round(total / 1000)}k`;
  return `${(total / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}
