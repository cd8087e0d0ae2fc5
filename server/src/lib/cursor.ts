import { createHash } from 'node:crypto';
import { AppError } from './errors.ts';

/**
 * An opaque cursor: the key of the last item, bound to its list and filters so that it cannot be used with others.
 * `position` is what the keyset continues from, usually the last id.
 */
export function encodeCursor(list: string, filters: Record<string, unknown>, position: string): string {
  return Buffer.from(JSON.stringify([fingerprint(list, filters), position])).toString('base64url');
}

/** Ids and sequence numbers: what anybody else puts into a cursor never reaches the database. */
const positionPattern = /^\w{1,100}$/;

/** The position inside a cursor. Throws 400 `invalid_cursor` for one of another list, other filters, or none at all. */
export function decodeCursor(list: string, filters: Record<string, unknown>, cursor: string): string {
  const invalid = new AppError('invalid_cursor', 'This cursor does not belong to this list and these filters.');
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

/** The number at which a list continues that is ordered by one, a version's or a revision's. Throws 400 `invalid_cursor`. */
export function integerIn(position: string | undefined): number | undefined {
  if (position === undefined) return undefined;
  const number = Number(position);
  if (/^\d+$/.test(position) && number <= 2_147_483_647) return number;
  throw new AppError('invalid_cursor', 'This cursor names no place in this list.');
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
