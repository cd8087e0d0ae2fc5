import { isDeepStrictEqual } from 'node:util';

/**
 * Returns true if a change repeats the current values. Every PATCH then returns the object unchanged, keeps its `updated_at`
 * and writes no audit log entry. Fields that are `undefined` do not change.
 */
export function changesNothing(before: object, change: object): boolean {
  return Object.entries(change).every(
    ([field, value]) => value === undefined || isDeepStrictEqual(Reflect.get(before, field), value),
  );
}
