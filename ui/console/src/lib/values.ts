// Searching values; pure (U-14).

import type { Json } from './types.ts';

export interface Found {
  /** As expressions write it: `items[3].name`. */
  path: string;
  text: string;
}

export function pathTo(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`;
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${parent}[${JSON.stringify(key)}]`;
  return parent ? `${parent}.${key}` : key;
}

/** Leaves whose name or text has `wanted` in it, whatever their case; at most `most` of them. */
export function findIn(value: Json | undefined, wanted: string, most = 100): Found[] {
  const out: Found[] = [];
  const needle = wanted.toLowerCase();
  const has = (text: string) => text.toLowerCase().includes(needle);
  const look = (one: Json | undefined, path: string, named: boolean) => {
    if (out.length >= most || one === undefined) return;
    if (one !== null && typeof one === 'object') {
      const members: [string | number, Json | undefined][] = Array.isArray(one) ? one.map((item, index) => [index, item]) : Object.entries(one);
      for (const [key, item] of members) look(item, pathTo(path, key), named || (typeof key === 'string' && has(key)));
      return;
    }
    const text = typeof one === 'string' ? one : String(one);
    if (named || has(text)) out.push({ path, text });
  };
  if (needle) look(value, '', false);
  return out;
}

/** What stands in place of a value over 64 KiB in a history: it is loaded when somebody asks for it (U-14). */
export function referenceOf(value: Json | undefined): { ref: string; bytes: number } | null {
  if (!value || typeof value !== 'object' || Array.isArray(value)) return null;
  const { ref, bytes } = value;
  return Object.keys(value).length === 2 && typeof ref === 'string' && /^[0-9]+\/[a-z_]+$/.test(ref) && typeof bytes === 'number' ? { ref, bytes } : null;
}

/** Larger ones are drawn when somebody asks for it. */
export const drawnBytesMax = 64 * 1024;

/** About how large it is as JSON, counted no further than it matters. */
export function sizeOf(value: Json | undefined, most = drawnBytesMax): number {
  if (typeof value === 'string') return value.length + 2;
  if (!value || typeof value !== 'object') return 4;
  let sum = 2;
  for (const [name, one] of Object.entries(value)) {
    sum += name.length + 4 + sizeOf(one, most - sum);
    if (sum > most) break;
  }
  return sum;
}
