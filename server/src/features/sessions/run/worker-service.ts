import type { Kysely } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { hasLiveSessions } from '../store/session-store.ts';
import { beatWorker, forgetSilentWorkers, forgetWorker } from '../store/worker-store.ts';

export interface WorkerState {
  id: string;
  host: string;
  slots: number;
  busy: number;
  /** Takes no more sessions. */
  draining: boolean;
  /** What isolates its sandboxes. */
  sandbox: object;
  /** Why it takes no sessions; `''` while it does. */
  problem: string;
}

/** Says that a worker is there, and how much of it is taken. */
export async function workerSeen(ctx: Pick<Context, 'db'>, worker: WorkerState): Promise<void> {
  await beatWorker(ctx.db, worker);
}

/** Forgets a worker that stops. */
export async function workerGone(ctx: Pick<Context, 'db'>, id: string): Promise<void> {
  await forgetWorker(ctx.db, id);
}

/** Forgets workers that were silent for an hour: they did not say goodbye. */
export async function silentWorkersGone(ctx: Pick<Context, 'db'>): Promise<void> {
  await forgetSilentWorkers(ctx.db);
}

/** Whether sessions of an organization run, wait for a worker, or are held by one. */
export async function sessionsRun(db: Kysely<DB>, orgId: string): Promise<boolean> {
  return hasLiveSessions(db, orgId);
}
