import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { isReadOnly, readWorkers, type LiveWorker } from './store.ts';

export interface Readiness {
  status: 'ready' | 'draining' | 'not_ready';
  /** `read_only` is a standby: the address may lead to one after a failover. */
  database: 'ok' | 'unknown' | 'unreachable' | 'read_only';
  /** State of the blob store. If it is unavailable, only requests for files fail. */
  storage: 'ok' | 'unavailable';
  /** State of this machine's disk. If it is low, only uploads fail. */
  disk: 'ok' | 'low';
  workers: LiveWorker[];
}

/** Returns whether this process should get requests, and the live workers. Never throws. */
export async function readReadiness(
  ctx: Pick<Context, 'db' | 'leaving' | 'log' | 'storage' | 'disk'>,
): Promise<Readiness> {
  const storage = ctx.storage.problem === '' ? 'ok' : 'unavailable';
  const disk = ctx.disk.problem === '' ? 'ok' : 'low';
  if (ctx.leaving.aborted) return { status: 'draining', database: 'unknown', storage, disk, workers: [] };
  try {
    if (await isReadOnly(ctx.db)) return { status: 'not_ready', database: 'read_only', storage, disk, workers: [] };
    return { status: 'ready', database: 'ok', storage, disk, workers: await readWorkers(ctx.db) };
  } catch (error) {
    ctx.log.error({ reason: messageOf(error) }, 'the database does not answer');
    return { status: 'not_ready', database: 'unreachable', storage, disk, workers: [] };
  }
}

/** Returns true if a live worker accepts sessions. */
export async function hasWorkers(ctx: Pick<Context, 'db'>): Promise<boolean> {
  return (await readWorkers(ctx.db)).some(({ draining, problem }) => !draining && problem === '');
}
