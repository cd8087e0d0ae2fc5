const locale = 'en';

/** Returns a count with thin-space groups: `12 000`. */
export function count(value: number): string {
  return new Intl.NumberFormat(locale).format(value).replaceAll(',', '\u2009');
}

/** Returns US dollars to the cent: `$0.04`, `<$0.01`, `$0`. */
export function money(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.01) return '<$0.01';
  const [dollars = '', cents = ''] = usd.toFixed(2).split('.');
  return `$${count(Number(dollars))}.${cents}`;
}

/** Returns the two largest units of a duration: `48 s`, `1 m 48 s`, `2 h 5 m`, `3 d 4 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['m', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, size]) => seconds >= size);
  if (first === -1) return '0 s';
  const parts: string[] = [];
  let left = seconds;
  for (const [unit, size] of units.slice(first, first + 2)) {
    const amount = Math.floor(left / size);
    left -= amount * size;
    if (amount > 0) parts.push(`${amount} ${unit}`);
  }
  return parts.join(' ');
}

/** Returns a time for a reader: `now`, `4 min`, `3 h`, then `12 Nov 14:02`, with the year where it is not this one. */
export function ago(at: Date, now: Date): string {
  const seconds = (now.getTime() - at.getTime()) / 1_000;
  if (Math.abs(seconds) < 60) return 'now';
  const [amount, unit] = Math.abs(seconds) < 3_600 ? [seconds / 60, 'min'] : [seconds / 3_600, 'h'];
  if (Math.abs(seconds) < 86_400)
    return seconds > 0 ? `${Math.floor(amount)} ${unit}` : `in ${Math.floor(-amount)} ${unit}`;
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' as const };
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...year }).format(at);
  const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' }).format(at);
  return `${day} ${time}`;
}

/** Returns a time in full, in the reader's zone and in UTC. */
export function exactly(at: Date): string {
  const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' }).format(at);
  return `${local}\n${at.toISOString()}`;
}

/** Returns an id for a narrow place: `ses_…k3f9`. */
export function shortId(id: string): string {
  const [, prefix = '', rest = ''] = /^([a-z]+_)(.*)$/.exec(id) ?? [];
  return rest.length <= 8 ? id : `${prefix}…${rest.slice(-4)}`;
}
