import type { Context } from '../../context.ts';
import { beatWorker, forgetWorkers } from './run-store.ts';

export interface WorkerState {
  id: string;
  host: string;
  slots: number;
  busy: number;
  /** Takes no more sessions. */
  draining: boolean;
  /** What isolates its sandboxes. */
  sandbox: object;
}

/** Says that a worker is there, and how much of it is taken. */
export async function workerSeen(ctx: Pick<Context, 'db'>, worker: WorkerState): Promise<void> {
  await beatWorker(ctx.db, worker);
}

/** Forgets a worker that stops, and those that were silent for an hour. */
export async function workerGone(ctx: Pick<Context, 'db'>, id: string): Promise<void> {
  await forgetWorkers(ctx.db, id);
}
