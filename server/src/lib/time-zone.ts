const formatters = new Map<string, Intl.DateTimeFormat>();
/** More than there are zones: aliases are cached as spelled, in any case, and a formatter is large. */
const keptFormatters = 1_000;

/** Returns the canonical IANA name of a time zone; undefined for an unknown one. */
export function parseTimeZone(name: string): string | undefined {
  // An offset is not a time zone: it has no daylight saving time.
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(name)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    return timeZone.toLowerCase() === name.toLowerCase() ? timeZone : name;
  } catch {
    return undefined;
  }
}

/** Returns the calendar day at an instant, `YYYY-MM-DD`. */
export function localDay(instant: Date, timeZone: string): string {
  let formatter = formatters.get(timeZone);
  if (formatter === undefined) {
    formatter = new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    if (formatters.size >= keptFormatters) formatters.clear();
    formatters.set(timeZone, formatter);
  }
  const parts = new Map(formatter.formatToParts(instant).map(({ type, value }) => [type, value]));
  return `${(parts.get('year') ?? '').padStart(4, '0')}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
}

/**
 * Returns the instant at which the next calendar day begins. A day has 23 to 25 hours where clocks change and need not begin at
 * 0:00; a zone that crosses the date line may skip one.
 */
export function nextMidnight(instant: Date, timeZone: string): Date {
  const today = localDay(instant, timeZone);
  let before = instant.getTime();
  let after = before + 50 * 3_600_000;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (localDay(new Date(middle), timeZone) === today) before = middle;
    else after = middle;
  }
  return new Date(after);
}
