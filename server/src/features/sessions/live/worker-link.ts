import { connect, type Socket } from 'node:net';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { WorkerCallFailed } from '../../../jobs/worker-calls.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { requireSteering } from '../../secrets/public.ts';
import { readLive, type LiveRow } from '../store/live-store.ts';
import { LinkAnswer, readAs } from './calls.ts';

export type LiveContext = Pick<Context, 'db' | 'clock' | 'workerCalls'>;

/** Longer than a shell takes to start on a busy machine. */
const callTimeoutMs = 20_000;
const connectWithinMs = 5_000;

/**
 * Returns the worker with the session's sandbox, for a caller who may use it. Throws 404 `session_not_found`, 403 `forbidden`
 * for a session with secrets of another user, 409 `session_terminal` and `sandbox_not_running`.
 */
export async function requireLive(ctx: LiveContext, { organization, principal }: Actor, id: string): Promise<string> {
  const orgId = organization.id;
  const row = await readLive(ctx.db.kysely, orgId, id);
  if (row === undefined) throw notFound('session', id);
  await ctx.db.transaction((trx) => requireSteering(trx, orgId, principal, row));
  if (row.worker === '' || row.sandbox_state !== 'ready') throw notRunning(row);
  return row.worker;
}

function notRunning({ status, worker }: LiveRow): AppError {
  if (status === 'canceled')
    return new AppError('session_terminal', 'The session was canceled, so its sandbox is gone. Start another one.');
  const remedy =
    worker !== '' || status === 'queued' || status === 'provisioning'
      ? 'Its sandbox is starting: try again in a moment.'
      : 'Send it a message to start one.';
  return new AppError('sandbox_not_running', `The session has no sandbox at the moment. ${remedy}`);
}

/** Asks the worker for a connection to a session's sandbox. Throws its error, or 503 `capacity_unavailable`. */
export async function askForLink(
  ctx: LiveContext,
  worker: string,
  kind: string,
  input: Record<string, unknown>,
): Promise<LinkAnswer> {
  try {
    return readAs(LinkAnswer, await ctx.workerCalls.call(kind, input, { worker, timeoutMs: callTimeoutMs }));
  } catch (error) {
    if (!(error instanceof WorkerCallFailed)) throw error;
    throw new AppError('capacity_unavailable', 'The worker with the sandbox did not answer. Try again.');
  }
}

/** Connects to a worker. Throws 503 `capacity_unavailable`. */
export async function openLink({ host, port, token }: LinkAnswer): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once('connect', resolve);
  socket.once('error', reject);
  const late = setTimeout(() => socket.destroy(new Error('timed out')), connectWithinMs);
  try {
    await promise;
  } catch {
    throw new AppError(
      'capacity_unavailable',
      `The worker with the sandbox cannot be reached at ${host}:${port}. If it runs on another machine, set its GUILDHALL_WORKER_HOST.`,
    );
  } finally {
    clearTimeout(late);
  }
  socket.on('error', () => socket.destroy());
  socket.write(`${token}\n`);
  return socket;
}
