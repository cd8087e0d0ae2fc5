import type { Context } from '../../app/context.ts';
import { messageOf } from '../../lib/errors.ts';
import { readWorkers, type LiveWorker } from './store.ts';

export interface Readiness {
  status: 'ready' | 'draining' | 'not_ready';
  database: 'ok' | 'unknown' | 'unreachable';
  /** Whether this process can write blobs. Without it requests are served all the same, but for files. */
  storage: 'ok' | 'unavailable';
  /** Whether this machine's disk has room for more. Without it requests are served all the same, but for uploads. */
  disk: 'ok' | 'low';
  workers: LiveWorker[];
}

/** Whether this process should get requests, and which workers were heard of lately. Never throws. */
export async function readReadiness(
  ctx: Pick<Context, 'db' | 'leaving' | 'log' | 'storage' | 'disk'>,
): Promise<Readiness> {
  const storage = ctx.storage.problem === '' ? 'ok' : 'unavailable';
  const disk = ctx.disk.problem === '' ? 'ok' : 'low';
  if (ctx.leaving.aborted) return { status: 'draining', database: 'unknown', storage, disk, workers: [] };
  try {
    return { status: 'ready', database: 'ok', storage, disk, workers: await readWorkers(ctx.db) };
  } catch (error) {
    ctx.log.error({ reason: messageOf(error) }, 'the database does not answer');
    return { status: 'not_ready', database: 'unreachable', storage, disk, workers: [] };
  }
}

/** Whether a worker was heard of lately that takes what comes. */
export async function hasWorkers(ctx: Pick<Context, 'db'>): Promise<boolean> {
  return (await readWorkers(ctx.db)).some(({ draining, problem }) => !draining && problem === '');
}
