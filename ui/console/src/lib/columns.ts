// Which columns a list shows, in which order and how wide; kept in the address as `columns=` (U-13).

import type { Column } from '../parts/Grid.svelte';

export interface ChosenColumn {
  id: string;
  /** In pixels; 0: as wide as the list has it. */
  width: number;
}

const widthMin = 48;
const widthMax = 800;

/** `status,workflow:240,id`: names that the list does not know are passed over. */
export function readColumns(text: string, known: Column[]): ChosenColumn[] {
  const seen = new Set<string>();
  const out: ChosenColumn[] = [];
  for (const part of text.split(',')) {
    const [id = '', width = ''] = part.split(':', 2);
    if (!known.some((column) => column.id === id) || seen.has(id)) continue;
    seen.add(id);
    const wide = Number(width);
    out.push({ id, width: Number.isFinite(wide) && wide > 0 ? Math.round(Math.min(widthMax, Math.max(widthMin, wide))) : 0 });
  }
  return out.length ? out : known.map((column) => ({ id: column.id, width: 0 }));
}

/** Empty for the columns as they are by themselves. */
export function writeColumns(chosen: ChosenColumn[], known: Column[]): string {
  const text = chosen.map((column) => (column.width ? `${column.id}:${column.width}` : column.id)).join(',');
  return text === known.map((column) => column.id).join(',') ? '' : text;
}

export function shownColumns(chosen: ChosenColumn[], known: Column[]): Column[] {
  return chosen.flatMap(({ id, width }) => {
    const column = known.find((one) => one.id === id);
    return column ? [{ ...column, width: width ? `${width}px` : column.width }] : [];
  });
}

/** One place up or down among the chosen. */
export function movedColumn(chosen: ChosenColumn[], id: string, by: number): ChosenColumn[] {
  const from = chosen.findIndex((column) => column.id === id);
  const to = from + by;
  const one = chosen[from];
  if (!one || to < 0 || to >= chosen.length) return chosen;
  return chosen.toSpliced(from, 1).toSpliced(to, 0, one);
}
