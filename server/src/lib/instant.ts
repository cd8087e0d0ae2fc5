import { fieldError } from './field-error.ts';

/** The instant that a validated date-time names, of the field at `path`. 400 for one that no calendar has, such as a leap second. */
export function instantOf(path: string, text: string): Date {
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime())) throw fieldError(path, `must be a valid time, not ${JSON.stringify(text)}.`);
  return instant;
}
