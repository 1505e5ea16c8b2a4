// Dates and hours by the clocks of a zone, asked of the browser; pure.

export interface Local {
  /** `2026-01-26` */
  day: string;
  hour: number;
  minute: number;
  /** 1 is Monday, 7 is Sunday. */
  weekday: number;
  offsetMinutes: number;
}

const readers = new Map<string, Intl.DateTimeFormat>();

function readerOf(zone: string): Intl.DateTimeFormat {
  let reader = readers.get(zone);
  if (!reader) {
    reader = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit',
    });
    readers.set(zone, reader);
  }
  return reader;
}

export function knownZone(zone: string): boolean {
  try {
    readerOf(zone);
    return true;
  } catch {
    return false;
  }
}

export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

export function allZones(): string[] {
  const list = Intl.supportedValuesOf('timeZone');
  return list.includes('UTC') ? list : ['UTC', ...list];
}

export function localAt(at: number, zone: string): Local {
  const found: Record<string, number> = {};
  for (const { type, value } of readerOf(zone).formatToParts(at)) found[type] = Number(value);
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
  const shown = Date.UTC(year, month - 1, day, hour, minute, second);
  return {
    day: new Date(shown).toISOString().slice(0, 10), hour, minute,
    weekday: new Date(shown).getUTCDay() || 7,
    offsetMinutes: Math.round((shown - Math.floor(at / 1000) * 1000) / 60_000),
  };
}

/** The instant at which a day's clocks show midnight, or the first one after it where they never do. */
export function startOfDay(day: string, zone: string): number {
  const wanted = Date.parse(`${day}T00:00:00Z`);
  for (const guess of [wanted - localAt(wanted - 43_200_000, zone).offsetMinutes * 60_000, wanted - localAt(wanted + 43_200_000, zone).offsetMinutes * 60_000]) {
    const local = localAt(guess, zone);
    if (local.day === day && local.hour === 0 && local.minute === 0) return guess;
  }
  // Midnight is skipped: the day begins at the change.
  return wanted - localAt(wanted - 43_200_000, zone).offsetMinutes * 60_000;
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

export function offsetWords(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '−' : '+'}${String(Math.floor(size / 60)).padStart(2, '0')}:${String(size % 60).padStart(2, '0')}`;
}

/** `2026-01-12 09:14:02 +01:00` by the clocks of a zone. */
export function zoned(at: number, zone: string): string {
  if (!Number.isFinite(at)) return '';
  const local = localAt(at, zone);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${local.day} ${two(local.hour)}:${two(local.minute)}:${two(new Date(at).getUTCSeconds())} ${offsetWords(local.offsetMinutes)}`;
}
