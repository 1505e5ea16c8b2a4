// Times and durations in words; pure, so that they can be tested without a browser.

import { time as w } from '../words/shell.ts';

const units: [string, number][] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
];

/** At most two units: `2 d 3 h`, `1 h 12 m`, `8 s`, `340 ms`. */
export function duration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return w.ms(whole);
  if (whole < 10_000 && whole % 1000) return `${(whole / 1000).toFixed(1)} s`;
  const first = units.findIndex(([, size]) => whole >= size);
  const [name, size] = units[first] ?? ['s', 1000];
  const count = Math.floor(whole / size);
  const next = units[first + 1];
  if (!next) return `${count} ${name}`;
  const rest = Math.floor((whole % size) / next[1]);
  return rest ? `${count} ${name} ${rest} ${next[0]}` : `${count} ${name}`;
}

/** Whole seconds at least: what counts down must not flicker. */
export function countdown(ms: number): string {
  return duration(Math.max(0, Math.ceil(ms / 1000)) * 1000 || 0).replace(/^0 ms$/, '0 s');
}

export function relative(at: number, now: number): string {
  const away = now - at;
  if (Math.abs(away) < 1000) return 'now';
  const words = duration(Math.floor(Math.abs(away) / 1000) * 1000);
  return away > 0 ? w.ago(words) : w.inWord(words);
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function offsetText(minutes: number): string {
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** `2026-01-12 09:14:02 +01:00` by the browser's zone, or by UTC. An absolute time names its offset. */
export function absolute(at: number, utc: boolean): string {
  if (!Number.isFinite(at)) return '';
  const date = new Date(at);
  const offset = utc ? 0 : -date.getTimezoneOffset();
  const shown = new Date(at + offset * 60_000).toISOString();
  return `${shown.slice(0, 10)} ${shown.slice(11, 19)} ${utc ? 'UTC' : offsetText(offset)}`;
}

export function clockTime(at: number): string {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
