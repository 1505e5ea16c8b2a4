// A cron rule in words, as far as words are shorter than the rule (U-46); pure.

import { cron as w } from '../words/schedules.ts';

const days = [w.sunday, w.monday, w.tuesday, w.wednesday, w.thursday, w.friday, w.saturday, w.sunday];
const monthNames = ['', w.january, w.february, w.march, w.april, w.may, w.june, w.july, w.august, w.september, w.october, w.november, w.december];
const shortDays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const shortMonths = ['', 'JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const names: Record<string, string> = {
  '@hourly': '0 * * * *', '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@weekly': '0 0 * * 0', '@monthly': '0 0 1 * *', '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *',
};

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function joined(list: string[]): string {
  return list.length < 2 ? (list[0] ?? '') : w.and(list.slice(0, -1).join(', '), list.at(-1));
}

function plain(field: string): boolean {
  return /^\d+$/.test(field);
}

/** `MON-FRI`, `1,3`, `5#1`, `5L` in words; the field itself where there are none. */
function listWords(field: string, words: string[], shorts: string[]): string {
  const one = (text: string): string => {
    const upper = text.toUpperCase();
    const number = shorts.indexOf(upper) >= 0 ? shorts.indexOf(upper) : Number(text);
    return words[number] ?? text;
  };
  return joined(field.split(',').map((part) => {
    const range = /^(\w+)-(\w+)$/.exec(part);
    if (range) return w.to(one(range[1] ?? ''), one(range[2] ?? ''));
    const nth = /^(\w+)#(\d)$/.exec(part);
    if (nth) return w.theOfTheMonth(['', 'first', 'second', 'third', 'fourth', 'fifth'][Number(nth[2])] ?? nth[2], one(nth[1] ?? ''));
    const last = /^(\w+)L$/i.exec(part);
    if (last && last[1] && part.toUpperCase() !== 'JUL') return w.theLastOfTheMonth(one(last[1]));
    return one(part);
  }));
}

function timeWords(minute: string, hour: string): string | null {
  const everyMinutes = /^\*\/(\d+)$/.exec(minute);
  if (minute === '*' && hour === '*') return w.everyMinute;
  if (everyMinutes && hour === '*') return w.everyMinutes(everyMinutes[1]);
  if (plain(minute) && hour === '*') return Number(minute) === 0 ? w.everyHour : w.everyHourAtMinute(Number(minute));
  const everyHours = /^\*\/(\d+)$/.exec(hour);
  if (plain(minute) && everyHours) return w.everyHours(everyHours[1], Number(minute) ? w.atMinute(Number(minute)) : '');
  if (plain(minute) && hour.split(',').every(plain)) return w.at(joined(hour.split(',').map((one) => `${two(Number(one))}:${two(Number(minute))}`)));
  const span = /^(\d+)-(\d+)$/.exec(hour);
  if (plain(minute) && span) return w.everyHourFromTo(two(Number(span[1])), two(Number(minute)), two(Number(span[2])), two(Number(minute)));
  return null;
}

export function cronWords(rule: string): string {
  const fields = (names[rule.trim().toLowerCase()] ?? rule.trim()).split(/\s+/);
  // Six fields begin with the seconds.
  const [minute = '*', hour = '*', day = '*', month = '*', weekday = '*'] = fields.length === 6 ? fields.slice(1) : fields;
  if (fields.length !== 5 && !(fields.length === 6 && fields[0] === '0')) return rule;
  const time = timeWords(minute, hour);
  if (!time) return rule;
  const parts: string[] = [];
  if (weekday !== '*' && weekday !== '?') parts.push(/#|L/i.test(weekday) ? w.on(listWords(weekday, days, shortDays)) : w.on(listWords(weekday, days, shortDays)));
  if (day !== '*' && day !== '?') parts.push(day.toUpperCase() === 'L' ? w.onTheLastDayOfThe : /^[\d,\-]+$/.test(day) ? w.onDayOfTheMonth(joined(day.split(',')).replace('-', ' to ')) : w.onOfTheMonth(day));
  if (month !== '*') parts.push(w.inWord(listWords(month, monthNames, shortMonths)));
  const daily = parts.length === 0 && time.startsWith('at ') ? w.everyDay : '';
  const text = `${daily}${time}${parts.length ? ` ${parts.join(' ')}` : ''}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
