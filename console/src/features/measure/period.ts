/** Days in UTC, both included: `YYYY-MM-DD`. */
export interface Period {
  from: string;
  to: string;
}

const dayMs = 86_400_000;
const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

export function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** The last days, up to today. */
export function lastDays(days: number, now: Date): Period {
  return { from: day(now.getTime() - (days - 1) * dayMs), to: day(now.getTime()) };
}

/** The current cycle so far: a cycle is a month in UTC. */
export function thisCycle(now: Date): Period {
  const to = day(now.getTime());
  return { from: `${to.slice(0, 8)}01`, to };
}

export function lastCycle(now: Date): Period {
  const end = Date.parse(thisCycle(now).from) - dayMs;
  return { from: `${day(end).slice(0, 8)}01`, to: day(end) };
}

/** Number of its days. */
export function daysIn({ from, to }: Period): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
}

/** As many days right before a period. */
export function before(period: Period): Period {
  const start = Date.parse(period.from);
  return { from: day(start - daysIn(period) * dayMs), to: day(start - dayMs) };
}

/** Returns what a cycle will cost if its days go on like those so far; undefined on its first day. */
export function onCourseFor(
  { start, end, cost_usd: cost }: { start: string; end: string; cost_usd: number },
  now: Date,
): number | undefined {
  const today = day(now.getTime());
  const passed = daysIn({ from: start, to: today });
  if (passed <= 1 || today > end) return undefined;
  return (cost / passed) * daysIn({ from: start, to: end });
}

/** `1 Nov`, with the year if it is not this one. */
export function dayWord(text: string, now = new Date()): string {
  const year = text.slice(0, 4) === String(now.getUTCFullYear()) ? {} : { year: 'numeric' as const };
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC', ...year }).format(
    Date.parse(text),
  );
}

export function periodWord({ from, to }: Period, now = new Date()): string {
  return from === to ? dayWord(from, now) : `${dayWord(from, now)} to ${dayWord(to, now)}`;
}
