// What is filtered, as a file: all of it, read page by page, not only the rows that were scrolled to (U-13).

import { get } from './api.ts';
import { csv } from './format.ts';
import type { Page } from './types.ts';

export type ExportForm = 'csv' | 'ndjson';
export const exportMax = 100_000;
const pageSize = 1000;

export interface ExportColumn<Item> {
  name: string;
  of: (item: Item) => unknown;
}

/** One object on each line, as the API has it. */
export function ndjson(items: unknown[]): string {
  return items.map((item) => `${JSON.stringify(item)}\n`).join('');
}

export function textOf<Item>(form: ExportForm, items: Item[], columns: ExportColumn<Item>[]): string {
  if (form === 'ndjson') return ndjson(items);
  return csv([columns.map((column) => column.name), ...items.map((item) => columns.map((column) => column.of(item)))]);
}

/** Everything behind an address, `exportMax` at most; `told` hears how many there are so far. */
export async function readAll<Item>(path: string, told: (many: number) => void, signal: AbortSignal, ask = get<Page<Item>>): Promise<{ items: Item[]; more: boolean }> {
  const items: Item[] = [];
  const joint = path.includes('?') ? '&' : '?';
  let cursor: string | null = null;
  do {
    const where: string = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const page: Page<Item> = await ask(`${path}${joint}limit=${pageSize}${where}`, signal);
    for (const item of page.items) items.push(item);
    cursor = page.next_cursor;
    told(items.length);
  } while (cursor !== null && items.length < exportMax);
  return { items, more: cursor !== null };
}
