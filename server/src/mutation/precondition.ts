import type { Caller } from '../caller.ts';

/**
 * Throws 412 `revision_conflict` unless the `If-Match` of the request names this record, as the API returns it. Call it after
 * the record was locked; `current` then reads it, and is not called without the header.
 */
export async function requireMatch(caller: Pick<Caller, 'request'>, current: () => unknown): Promise<void> {
  const { precondition } = caller.request ?? {};
  if (precondition !== undefined) precondition.check(await current());
}
