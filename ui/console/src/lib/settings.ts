// The account's settings (W-81) as the page edits them; pure.

import type { Json, JsonObject } from './types.ts';

export interface AccountSettings {
  timezone: string | null;
  business_days: string[];
  holidays: (string | { date: string; name?: string })[];
  gap_policy: 'gap_end' | 'shift';
  retention_days: number;
  limits: Record<string, number>;
  signals: JsonObject;
  waits: JsonObject;
  revision: number;
  updated_at: string | null;
}

export const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** One a line, its name behind it: `2026-12-28 substitute day`, `12-25`. */
export function holidayText(holidays: AccountSettings['holidays']): string {
  return holidays.map((one) => (typeof one === 'string' ? one : [one.date, one.name].filter(Boolean).join(' '))).join('\n');
}

export function holidaysOf(text: string): Json[] {
  return text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => {
    const [date = '', ...name] = line.split(/\s+/);
    return name.length ? { date, name: name.join(' ') } : date;
  });
}
