/** A time as the clocks of a zone show it. */
export interface ZoneTime {
  at: string;
  /** `Mon 29 Mar 2027 03:00`. */
  local: string;
  /** `UTC+02:00`. */
  offset: string;
  /** The clocks changed since the time before it; by so many minutes, negative if they were set back. */
  shiftMinutes: number;
}

/** Returns times as a zone's clocks show them, and where those were changed between two. An unknown zone is UTC. */
export function timesIn(timezone: string, times: readonly string[]): ZoneTime[] {
  let before: number | undefined;
  return times.map((at) => {
    const date = new Date(at);
    const minutes = offsetMinutes(timezone, date);
    const shiftMinutes = before === undefined ? 0 : minutes - before;
    before = minutes;
    return { at, local: localOf(timezone, date), offset: offsetWord(minutes), shiftMinutes };
  });
}

/** `Clocks go forward by 1 h`. */
export function shiftWords(minutes: number): string {
  const size = Math.abs(minutes);
  const amount = size % 60 === 0 ? `${size / 60} h` : `${size} min`;
  return `Clocks go ${minutes > 0 ? 'forward' : 'back'} by ${amount}`;
}

function localOf(timezone: string, date: Date): string {
  const format = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  return inZone(timezone, format).format(date).replaceAll(',', '');
}

function inZone(timezone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timezone === '' ? 'UTC' : timezone });
  } catch {
    return new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  }
}

function offsetMinutes(timezone: string, date: Date): number {
  const parts = inZone(timezone, { timeZoneName: 'longOffset' }).formatToParts(date);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign = '+', hours = '0', minutes = '0'] = /^GMT([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function offsetWord(minutes: number): string {
  const size = Math.abs(minutes);
  const two = (value: number) => String(value).padStart(2, '0');
  return `UTC${minutes < 0 ? '−' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** The reader's own zone. */
export function ownZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** Returns an ISO time for a field of `datetime-local` in the reader's zone; `''` for none. */
export function toLocalField(at: string | null | undefined): string {
  if (at === null || at === undefined || at === '') return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the ISO time of such a field; null for an empty one. */
export function fromLocalField(text: string): string | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
