import { isDeepStrictEqual } from 'node:util';

/**
 * Whether a change says only what holds already. One rule for every PATCH: it is answered with the object as it is, whose
 * `updated_at` stays, and it leaves no entry in the audit trail. What is `undefined` is not changed.
 */
export function changesNothing(before: object, change: object): boolean {
  return Object.entries(change).every(
    ([field, value]) => value === undefined || isDeepStrictEqual(Reflect.get(before, field), value),
  );
}
