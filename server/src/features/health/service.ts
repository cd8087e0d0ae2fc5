import type { Context } from '../../context.ts';
import { messageOf } from '../../lib/errors.ts';
import { readWorkers, type LiveWorker } from './store.ts';

export interface Readiness {
  status: 'ready' | 'draining' | 'not_ready';
  database: 'ok' | 'unknown' | 'unreachable';
  workers: LiveWorker[];
}

/** Whether this process should get requests, and which workers were heard of lately. Never throws. */
export async function readReadiness(ctx: Pick<Context, 'db' | 'closing' | 'log'>): Promise<Readiness> {
  if (ctx.closing.aborted) return { status: 'draining', database: 'unknown', workers: [] };
  try {
    return { status: 'ready', database: 'ok', workers: await readWorkers(ctx.db) };
  } catch (error) {
    ctx.log.error({ reason: messageOf(error) }, 'the database does not answer');
    return { status: 'not_ready', database: 'unreachable', workers: [] };
  }
}

/** Whether a worker was heard of lately that takes what comes. */
export async function hasWorkers(ctx: Pick<Context, 'db'>): Promise<boolean> {
  return (await readWorkers(ctx.db)).some(({ draining }) => !draining);
}
