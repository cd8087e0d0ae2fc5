import { fieldError } from './field-error.ts';

/** Parses a date-time. Undefined for one that does not exist, such as a leap second, or whose year in UTC has no four digits. */
export function parseInstant(text: string): Date | undefined {
  const instant = new Date(text);
  const year = instant.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? instant : undefined;
}

/** Parses a validated date-time of the field at `path`. Throws 400 like {@link parseInstant}. */
export function instantOf(path: string, text: string): Date {
  const instant = parseInstant(text);
  if (instant === undefined) throw fieldError(path, `must be a valid time, not ${JSON.stringify(text)}.`);
  return instant;
}
