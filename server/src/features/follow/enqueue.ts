import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { listOpenPlaces, type Place } from './store.ts';

/** Enqueues a look at a change request, after some milliseconds. */
export async function enqueueLook(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Transaction<DB>,
  { org_id, repository_id, number }: Place,
  afterMs = 0,
): Promise<void> {
  const startAfter = afterMs === 0 ? {} : { startAfter: new Date(ctx.clock.now().getTime() + afterMs) };
  const singletonKey = `${repository_id} ${number}`;
  await ctx.jobs.enqueue(trx, 'follow', { org_id, repository_id, number }, { singletonKey, ...startAfter });
}

/** Enqueues a look at each open change request of a repository that may be followed. */
export async function enqueueLooks(
  ctx: Pick<Context, 'clock' | 'jobs'>,
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
): Promise<void> {
  for (const place of await listOpenPlaces(trx, orgId, repositoryId)) await enqueueLook(ctx, trx, place);
}
