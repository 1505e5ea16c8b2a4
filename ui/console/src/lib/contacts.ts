// People whom runs are about (U-39); pure.

import { countdown } from './time.ts';
import { isFlow, type Definition, type Json, type JsonObject } from './types.ts';
import { knownZone, localAt, offsetWords } from './zones.ts';
import { contacts as w } from '../words/waits.ts';

export interface Contact {
  contact_id: string;
  timezone: string | null;
  phone: string | null;
  email: string | null;
  fields: JsonObject;
  labels: Record<string, string>;
  opted_out: boolean;
  opted_out_at: string | null;
  opt_out_reason: string | null;
  opted_out_of: string[];
  pending_waits: number;
  next: { due_at: string; local: string | null; workflow_id: string; step_id: string } | null;
  warnings: string[];
  created_at: string;
  updated_at: string;
  version: number;
}

const weekdays = [w.mon, w.tue, w.wed, w.thu, w.fri, w.sat, w.sun];
const months = [w.jan, w.feb, w.mar, w.apr, w.may, w.jun, w.jul, w.aug, w.sep, w.oct, w.nov, w.dec];

/** `Mon 26 Jan 09:00 +01:00` by the clocks of a zone. */
export function dayAndTime(at: number, zone: string): string {
  const local = localAt(at, zone);
  const [, month = '1', day = '1'] = local.day.split('-');
  const two = (number: number) => String(number).padStart(2, '0');
  return `${weekdays[local.weekday - 1]} ${Number(day)} ${months[Number(month) - 1]} ${two(local.hour)}:${two(local.minute)} ${offsetWords(local.offsetMinutes)}`;
}

/** What comes after a step: the name of the node its run goes on at, when that is plain. */
export function whatFollows(definition: Definition | undefined, step: string): string {
  if (!definition || isFlow(definition)) return '';
  const next = definition.edges.filter((edge) => edge.src === step);
  if (next.length !== 1) return '';
  return definition.nodes.find((node) => node.id === next[0]?.dst)?.name ?? '';
}

/** When it comes, in the contact's own time where that is known. */
export function whenWords(contact: Contact, now: number): string {
  if (!contact.next) return '';
  const at = Date.parse(contact.next.due_at);
  const left = at - now;
  const away = left > 0 ? w.inWord(countdown(left)) : 'now';
  const zone = contact.timezone && knownZone(contact.timezone) ? contact.timezone : '';
  return zone ? w.theirTime(dayAndTime(at, zone), away) : w.uTC(dayAndTime(at, 'UTC'), away);
}

/** Fields of a contact, one line each. */
export function fieldLines(fields: JsonObject): { name: string; text: string }[] {
  const text = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));
  return Object.entries(fields).map(([name, value]) => ({ name, text: text(value) }));
}
