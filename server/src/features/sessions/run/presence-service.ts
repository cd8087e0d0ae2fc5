import type { OwnConnection } from '../../../db/own-connection.ts';
import type { Context } from '../../../app/context.ts';
import {
  deletePresence,
  insertPresence,
  listFree,
  markGone,
  markOthersGone,
  takeLock,
} from '../store/presence-store.ts';

export type { Present } from '../store/presence-store.ts';

/**
 * Shows by a lock on this connection that the worker's process lives. Returns undefined if a pooler is in between, whose
 * connections outlive this process. `wasListed` if the server remembers an earlier announcement, so it did not fail
 * since.
 */
export async function announceWorker(
  connection: OwnConnection,
  worker: string,
): Promise<{ wasListed: boolean } | undefined> {
  if ((await takeLock(connection, worker)) !== connection.backendPid) return undefined;
  return { wasListed: await insertPresence(connection, worker) };
}

/**
 * Withdraws what {@link announceWorker} said on a connection that has ended: the worker is there, the lock is not. Returns
 * true if it was listed with that connection.
 */
export async function withdrawWorker(
  ctx: Pick<Context, 'db'>,
  worker: string,
  { backendPid }: Pick<OwnConnection, 'backendPid'>,
): Promise<boolean> {
  return deletePresence(ctx.db, worker, backendPid);
}

/** Returns the announced workers whose lock is free; `isListed` if this connection's own one is announced, too. */
export async function findFreeWorkers(connection: OwnConnection) {
  const found = await listFree(connection);
  return { isListed: found.some(({ isOwn }) => isOwn), free: found.filter(({ isOwn }) => !isOwn) };
}

/**
 * Declares that a worker's process has ended: any worker may take over its sessions now, whose fencing tokens keep it from
 * writing. Returns false if there is a sign of life since it was found.
 */
export const declareGone = markGone;

/** Declares that all workers but this one have ended. */
export async function declareOthersGone(ctx: Pick<Context, 'db'>, worker: string): Promise<void> {
  await markOthersGone(ctx.db, worker);
}
