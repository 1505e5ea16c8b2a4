// A cron rule in words, as far as words are shorter than the rule (U-46); pure.

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const monthNames = ['', 'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];
const shortDays = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const shortMonths = ['', 'JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const names: Record<string, string> = {
  '@hourly': '0 * * * *', '@daily': '0 0 * * *', '@midnight': '0 0 * * *', '@weekly': '0 0 * * 0', '@monthly': '0 0 1 * *', '@yearly': '0 0 1 1 *', '@annually': '0 0 1 1 *',
};

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function joined(list: string[]): string {
  return list.length < 2 ? (list[0] ?? '') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
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
    if (range) return `${one(range[1] ?? '')} to ${one(range[2] ?? '')}`;
    const nth = /^(\w+)#(\d)$/.exec(part);
    if (nth) return `the ${['', 'first', 'second', 'third', 'fourth', 'fifth'][Number(nth[2])] ?? nth[2]} ${one(nth[1] ?? '')} of the month`;
    const last = /^(\w+)L$/i.exec(part);
    if (last && last[1] && part.toUpperCase() !== 'JUL') return `the last ${one(last[1])} of the month`;
    return one(part);
  }));
}

function timeWords(minute: string, hour: string): string | null {
  const everyMinutes = /^\*\/(\d+)$/.exec(minute);
  if (minute === '*' && hour === '*') return 'every minute';
  if (everyMinutes && hour === '*') return `every ${everyMinutes[1]} minutes`;
  if (plain(minute) && hour === '*') return Number(minute) === 0 ? 'every hour' : `every hour at minute ${Number(minute)}`;
  const everyHours = /^\*\/(\d+)$/.exec(hour);
  if (plain(minute) && everyHours) return `every ${everyHours[1]} hours${Number(minute) ? ` at minute ${Number(minute)}` : ''}`;
  if (plain(minute) && hour.split(',').every(plain)) return `at ${joined(hour.split(',').map((one) => `${two(Number(one))}:${two(Number(minute))}`))}`;
  const span = /^(\d+)-(\d+)$/.exec(hour);
  if (plain(minute) && span) return `every hour from ${two(Number(span[1]))}:${two(Number(minute))} to ${two(Number(span[2]))}:${two(Number(minute))}`;
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
  if (weekday !== '*' && weekday !== '?') parts.push(/#|L/i.test(weekday) ? `on ${listWords(weekday, days, shortDays)}` : `on ${listWords(weekday, days, shortDays)}`);
  if (day !== '*' && day !== '?') parts.push(day.toUpperCase() === 'L' ? 'on the last day of the month' : /^[\d,\-]+$/.test(day) ? `on day ${joined(day.split(',')).replace('-', ' to ')} of the month` : `on ${day} of the month`);
  if (month !== '*') parts.push(`in ${listWords(month, monthNames, shortMonths)}`);
  const daily = parts.length === 0 && time.startsWith('at ') ? 'every day ' : '';
  const text = `${daily}${time}${parts.length ? ` ${parts.join(' ')}` : ''}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
