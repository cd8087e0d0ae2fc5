import type { Context } from '../../src/app/context.ts';
import { listOrphaned } from '../../src/features/sessions/store/dispatch-store.ts';
import { listStartable } from '../../src/features/sessions/store/turns-store.ts';

/** Returns the sessions that a worker would find: those that continue, and those that may start. */
export async function claimableSessions(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  takesOver = true,
): Promise<string[]> {
  const limit = 10_000;
  const begin = await listStartable(db, { limit, now: clock.now(), takesOver });
  return [...(await listOrphaned(db, limit, takesOver)), ...begin.map(({ id }) => id)];
}
