import type { TestApi } from './api.ts';
import { newestCheckpoint, recordCheckpoint } from '../../src/features/sessions/run/checkpoint-service.ts';
import {
  changeStatus,
  claim,
  finish,
  type ClaimedRun,
  type Run,
  type RunEnd,
} from '../../src/features/sessions/run/run-service.ts';
import { beginTurn } from '../../src/features/sessions/run/turn-service.ts';

/** Every state of a session; a failed one with and without a checkpoint. */
export const states = [
  'queued',
  'provisioning',
  'running',
  'waiting',
  'suspended',
  'completed',
  'failed',
  'failed with a checkpoint',
  'canceled',
] as const;
export type State = (typeof states)[number];

export interface DrivenSession {
  id: string;
  /** The prefix of the session's paths. */
  path: string;
  /** The run that caused the state; undefined for none. */
  run: ClaimedRun | undefined;
}

const sessions = '/v3/organizations/default/sessions';

/** Claims a session as a worker does. Throws if that is not possible. */
export async function take(api: TestApi, id: string, owner = 'worker-1'): Promise<ClaimedRun> {
  const run = await claim(api.ctx, id, owner);
  if (run === undefined) throw new Error(`the session ${id} is not to be had`);
  return run;
}

/** Claims a session and begins its first or next turn, with every queued message. */
export async function start(api: TestApi, id: string, turn = 1): Promise<ClaimedRun> {
  const run = await take(api, id);
  await changeStatus(api.ctx, run, { status: 'provisioning', status_detail: '', sandbox_state: 'starting' });
  await beginTurn(api.ctx, run, turn);
  await changeStatus(api.ctx, run, { status: 'running', status_detail: 'working', sandbox_state: 'ready' });
  return run;
}

const ends: Partial<Record<State, Pick<RunEnd, 'status' | 'status_detail' | 'sandbox_state' | 'error'>>> = {
  waiting: { status: 'waiting', status_detail: 'awaiting_user', sandbox_state: 'paused' },
  suspended: { status: 'suspended', status_detail: 'user_request', sandbox_state: 'none' },
  completed: { status: 'completed', status_detail: 'finished', sandbox_state: 'none' },
  failed: {
    status: 'failed',
    status_detail: 'agent_error',
    sandbox_state: 'none',
    error: { code: 'agent_error', message: 'It fell over.' },
  },
};

/** Returns the run of a running session. */
export async function runningIn(api: TestApi, id: string): Promise<Run> {
  const { rows } = await api.ctx.db.pool.query<Run>('select id, org_id as "orgId", fence from sessions where id = $1', [
    id,
  ]);
  return rows[0] ?? Promise.reject(new Error(`no session ${id}`));
}

/** Creates a session and brings it into a state by a worker's writes (or, for `canceled`, by a user's request). */
export async function sessionIn(api: TestApi, state: State, body: object = {}): Promise<DrivenSession> {
  const { json } = await api.call('POST', sessions, { body: { prompt: 'Do it.', ...body } });
  const id = String(json['id']);
  const path = `${sessions}/${id}`;
  if (state === 'queued') return { id, path, run: undefined };
  if (state === 'canceled') {
    await api.call('POST', `${path}/cancel`);
    return { id, path, run: undefined };
  }
  if (state === 'provisioning') {
    const run = await take(api, id);
    await changeStatus(api.ctx, run, { status: 'provisioning', status_detail: '', sandbox_state: 'starting' });
    return { id, path, run };
  }
  const run = await start(api, id);
  if (state === 'failed with a checkpoint') await checkpoint(api, run);
  const end = ends[state === 'failed with a checkpoint' ? 'failed' : state];
  if (end !== undefined) await finish(api.ctx, run, { ...end, sandboxSeconds: 1 });
  return { id, path, run };
}

/** Records a checkpoint without its blobs. */
export async function checkpoint(api: TestApi, run: ClaimedRun, repo = 'acme/x', blob = `sessions/${run.id}/c1`) {
  const commits = { commit: 'a'.repeat(40), baseCommit: 'b'.repeat(40) };
  const supersedes = (await newestCheckpoint(api.ctx, run, repo))?.id ?? '';
  const kept = { parts: [], binaries: false, sizeBytes: 0, supersedes, changes: [] };
  await recordCheckpoint(api.ctx, run, { repo, ...commits, turn: 1, blob, ...kept });
}
