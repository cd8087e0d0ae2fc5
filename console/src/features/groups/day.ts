const dayMs = 86_400_000;

/** Returns when the day after a day (`YYYY-MM-DD`) begins in a time zone. */
export function endOfDay(day: string, timeZone: string): Date {
  const next = new Date(new Date(`${day}T00:00:00Z`).getTime() + dayMs);
  // The offset at the wanted time is only known near it: a second look corrects the first where the clocks change.
  const guess = new Date(next.getTime() - offsetMs(next, timeZone));
  return new Date(next.getTime() - offsetMs(guess, timeZone));
}

/** Returns how far the clocks of a zone are ahead of UTC at a time. */
function offsetMs(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const part = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((one) => one.type === type)?.value ?? 0);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(at.getTime() / 1_000) * 1_000;
}
