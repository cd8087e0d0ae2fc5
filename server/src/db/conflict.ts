/**
 * Returns true for an error that concurrent transactions caused: a deadlock, a serialization failure, or a row that another
 * transaction added or removed meanwhile. The same work may succeed when it starts again.
 */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && conflictCodes.has(error.code);
}

const conflictCodes = new Set<unknown>(['40001', '40P01', '23503']);
