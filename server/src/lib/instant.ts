import { AppError } from './errors.ts';

/** The instant that a validated date-time names. 400 for one that no calendar has, such as a leap second. */
export function instantOf(name: string, text: string): Date {
  const instant = new Date(text);
  if (Number.isNaN(instant.getTime()))
    throw new AppError('invalid_request', `${name} is ${JSON.stringify(text)}, which is no instant.`);
  return instant;
}
