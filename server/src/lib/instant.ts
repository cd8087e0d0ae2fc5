import { fieldError } from './field-error.ts';

/**
 * Parses a validated date-time of the field at `path`. Throws 400 for one that does not exist, such as a leap second.
 */
export function instantOf(path: string, text: string): Date {
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw fieldError(path, `must be a valid time, not ${JSON.stringify(text)}.`);
  return instant;
}
