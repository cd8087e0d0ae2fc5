import type { Kysely } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { hasLiveSessions } from '../store/session-store.ts';
import { upsertWorker, deleteStaleWorkers, deleteWorker } from '../store/worker-store.ts';

export interface WorkerState {
  id: string;
  host: string;
  slots: number;
  busy: number;
  /** True if it accepts no more sessions. */
  draining: boolean;
  /** The isolation of its sandboxes. */
  sandbox: object;
  /** The reason for accepting no sessions; `''` if it does. */
  problem: string;
}

/** Records the heartbeat of a worker, with its load. */
export async function recordWorker(ctx: Pick<Context, 'db'>, worker: WorkerState): Promise<void> {
  await upsertWorker(ctx.db, worker);
}

/** Deletes a worker that stops. */
export async function removeWorker(ctx: Pick<Context, 'db'>, id: string): Promise<void> {
  await deleteWorker(ctx.db, id);
}

/** Deletes workers without a heartbeat for an hour. */
export async function reapStaleWorkers(ctx: Pick<Context, 'db'>): Promise<void> {
  await deleteStaleWorkers(ctx.db);
}

/** Returns true if sessions of an organization run, wait for a worker, or have one. */
export async function sessionsRun(db: Kysely<DB>, orgId: string): Promise<boolean> {
  return hasLiveSessions(db, orgId);
}
