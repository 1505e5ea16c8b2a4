// The same action by the command line (U-10); pure.

import type { Json } from './types.ts';

/** A word of a shell, quoted where it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export interface Call {
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below /api/v1. */
  path: string;
  body?: Json;
  /** Sent as it is, with its type, instead of a body of JSON. */
  text?: string;
  type?: string;
  /** The revision that was looked at. */
  ifMatch?: string;
}

/** With keys the caller's own stands in FERMATA_KEY, as for the command line: the console never knows it. */
export function curlOf(call: Call, origin: string, keyed: boolean): string {
  const words = ['curl', '-X', call.method ?? 'POST', shellWord(`${origin}/api/v1${call.path}`)];
  if (keyed) words.push('-H', '"X-API-Key: $FERMATA_KEY"');
  if (call.ifMatch) words.push('-H', shellWord(`If-Match: ${call.ifMatch}`));
  if (call.text !== undefined) words.push('-H', shellWord(`Content-Type: ${call.type ?? 'text/plain'}`), '--data-binary', shellWord(call.text));
  else if (call.body !== undefined) words.push('-H', "'Content-Type: application/json'", '-d', shellWord(JSON.stringify(call.body)));
  return words.join(' ');
}

/** Words and options of `fermata`; an option that is empty is left out. */
export function fermataOf(words: string[], options: Record<string, string | number | undefined>, origin: string): string {
  const out = ['fermata', ...words.map(shellWord)];
  for (const [name, value] of Object.entries(options)) if (value !== undefined && value !== '') out.push(`--${name}`, shellWord(String(value)));
  if (origin !== 'http://127.0.0.1:4747') out.push('--server', shellWord(origin));
  return out.join(' ');
}
