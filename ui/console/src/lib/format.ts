// Small words about values.

import { format as w } from '../words/shell.ts';

export function count(value: number): string {
  return value.toLocaleString('en');
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** The first 8 characters are the time for ids of version 7, so the last ones tell neighbours apart. */
export function shortId(id: string): string {
  return id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return w.kiB((size / 1024).toFixed(1));
  if (size < 1024 ** 3) return w.miB((size / 1024 ** 2).toFixed(1));
  return w.giB((size / 1024 ** 3).toFixed(1));
}

/** A cell of CSV. One that a spreadsheet would take for a formula is made inert (U-13). */
export function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? '' : String(value);
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(inert) ? `"${inert.replace(/"/g, '""')}"` : inert;
}

export function csv(rows: unknown[][]): string {
  return rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

/** Hands the reader a file of what the page already has. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Control characters would be invisible; they are shown as their pictures. */
export function visible(text: string): string {
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, '\ufffd');
}
