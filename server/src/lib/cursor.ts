import { createHash } from 'node:crypto';
import { fieldError, type FieldError } from './field-error.ts';

/**
 * Encodes an opaque cursor: the key of the last item, bound to its list and filters. `position` is the keyset position, usually
 * the last id.
 */
export function encodeCursor(list: string, filters: Record<string, unknown>, position: string): string {
  return Buffer.from(JSON.stringify([fingerprint(list, filters), position])).toString('base64url');
}

/** Ids, sequence numbers and names in hexadecimal; anything else in a forged cursor never reaches the database. */
const positionPattern = /^\w{1,500}$/;

/**
 * Returns the position of a cursor. Throws 400 `invalid_cursor` for a cursor of another list or other filters, and for an
 * invalid one.
 */
export function decodeCursor(list: string, filters: Record<string, unknown>, cursor: string): string {
  const invalid = invalidCursor('belongs to another list or other filters');
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw invalid;
  }
  if (!Array.isArray(parts) || parts.length !== 2) throw invalid;
  const [print, position]: unknown[] = parts;
  if (print !== fingerprint(list, filters) || typeof position !== 'string' || !positionPattern.test(position))
    throw invalid;
  return position;
}

/** Returns the number at which a list ordered by version or revision continues. Throws 400 `invalid_cursor`. */
export function integerIn(position: string | undefined): number | undefined {
  if (position === undefined) return undefined;
  const number = Number(position);
  if (/^\d+$/.test(position) && number <= 2_147_483_647) return number;
  throw invalidCursor('is invalid for this list');
}

/** A position in a list ordered by a time: microseconds since 1970, and the id. */
export interface TimedPosition {
  readonly microseconds: number;
  readonly id: string;
}

/** Returns the position at which a list ordered by a time continues. Throws 400 `invalid_cursor`. */
export function timeIn(position: string | undefined): TimedPosition | undefined {
  if (position === undefined) return undefined;
  const [, microseconds, id] = /^(\d{1,16})_(\w+)$/.exec(position) ?? [];
  if (microseconds === undefined || id === undefined) throw invalidCursor('is invalid for this list');
  return { microseconds: Number(microseconds), id };
}

function fingerprint(list: string, filters: Record<string, unknown>): string {
  const used = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([list, used]))
    .digest('base64url')
    .slice(0, 12);
}

function invalidCursor(why: string): FieldError {
  return fieldError('/after', `${why}. Start again without a cursor.`, { code: 'invalid_cursor' });
}
