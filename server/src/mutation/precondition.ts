import type { Caller } from '../caller.ts';

/**
 * Requires that the `If-Match` of the request names this record, as the API returns it. Call it after the record was locked;
 * `current` then reads it, and is not called without the header. A mismatch is refused by `mutate` when the change is done:
 * so every other refusal comes first.
 */
export async function requireMatch(caller: Pick<Caller, 'request'>, current: () => unknown): Promise<void> {
  const { precondition } = caller.request ?? {};
  if (precondition !== undefined) precondition.check(await current());
}

/** Throws 412 `revision_conflict` if {@link requireMatch} found another state. For what does not end in `mutate`. */
export function refuseMismatch(caller: Pick<Caller, 'request'>): void {
  caller.request?.precondition?.settle();
}
