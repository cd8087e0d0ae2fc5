import type { Transaction, Updateable } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { agentVersion } from '../../agents/service.ts';
import { requestApproval } from './approval-state-service.ts';
import { endFailed } from '../dispatch/final-end-service.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { appendIn, appendingOnce, changeIn, persist } from './persist.ts';
import { appendEvents, hasEvent } from '../store/log-store.ts';
import {
  holdsFence,
  insertArtifact,
  latestCheckpoints,
  leaseMs,
  lockRun,
  renewLeases,
  repositoriesOf,
} from '../store/run-store.ts';
import { LeaseLost, type Run } from '../store/run.ts';
import { readRunState } from '../store/run-state-store.ts';
import type { Phase, SandboxState, SessionStatus, StatusDetail, StoredRepository } from '../schemas/session-schemas.ts';
import { readSession, workUntilNow, type SessionRow } from '../store/session-store.ts';
import { byRun, moveSession, type Move } from '../store/transition-store.ts';
import type { SessionEvent } from '../store/transitions.ts';

export { appendIn } from './persist.ts';
export { claim, claimNext, orphanedSessions, type ClaimedRun } from './claim-service.ts';
export { LeaseLost, type Run } from '../store/run.ts';
export type { LastStop } from '../store/run-state-store.ts';
export { leaseMs } from '../store/run-store.ts';

export type RunContext = Pick<Context, 'db' | 'clock'>;

/** One entry of an agent's memory of its session. */
export type AgentRecord = Readonly<Record<string, unknown>>;

/** Returns everything that a run needs to know about its session, in its current state. */
export async function loadRun(ctx: RunContext, run: Run) {
  const session = await readSession(ctx.db.kysely, run.orgId, run.id);
  if (session === undefined || session.fence !== run.fence) throw new LeaseLost(run.id);
  const [state, agent, checkpoints] = await Promise.all([
    readRunState(ctx.db, run.id),
    agentVersion(ctx, run.orgId, session.agent_id, session.agent_version),
    latestCheckpoints(ctx.db.kysely, run.id),
  ]);
  if (state === undefined) throw new LeaseLost(run.id);
  if (agent === undefined)
    throw new Error(`Version ${session.agent_version} of the agent ${session.agent_id} is missing.`);
  return { session, agent, checkpoints, ...state };
}

/** Returns the session's branch in a repository; `''` if it has none. An outage of the database is waited out. */
export async function branchOf(ctx: RunContext, run: Run, repositoryId: string): Promise<string> {
  const repositories = await persist(run, () => repositoriesOf(ctx.db, run.id, run.fence));
  if (repositories === undefined) throw new LeaseLost(run.id);
  return repositories.find(({ repository_id: id }) => id === repositoryId)?.branch ?? '';
}

export type { SessionRow };

/** Renews the leases of this worker's runs; those missing from the result are lost. */
export async function heartbeat(ctx: RunContext, runs: readonly Run[], lastsMs = leaseMs) {
  return runs.length === 0
    ? []
    : renewLeases(
        ctx.db,
        runs.map(({ id, fence }) => ({ id, fence })),
        lastsMs,
      );
}

/** Returns true if the run still owns its session; the gateway checks before each push. */
export async function holds(ctx: RunContext, run: Run): Promise<boolean> {
  return persist(run, () => holdsFence(ctx.db, run.id, run.fence));
}

export interface StatusChange {
  status: SessionStatus;
  status_detail: StatusDetail;
  sandbox_state: SandboxState;
}

/** The changes of a session beside its log. */
export type ShownChange = Partial<StatusChange> & { phases?: readonly Phase[] };

/**
 * Appends events in order, and in the same statement changes of the session and records of its agent. Throws {@link
 * LeaseLost}.
 */
export async function append(
  ctx: RunContext,
  run: Run,
  events: readonly NewEvent[],
  more: { shown?: ShownChange | undefined; records?: readonly AgentRecord[]; progress?: boolean } = {},
): Promise<void> {
  const mark = newId('evt');
  const write = async (): Promise<true> => {
    if (await appendEvents(ctx.db, run.id, run.fence, events, { ...more, mark })) return true;
    throw new LeaseLost(run.id);
  };
  // Without events, a repeated write of records could not be detected.
  if (events.length === 0 && (more.records ?? []).length > 0) await write();
  else await persist(run, write, async () => (await hasEvent(ctx.db, run.id, mark)) || undefined);
}

/** Changes the session's status, with its event. Throws {@link LeaseLost}. */
export async function changeStatus(ctx: RunContext, run: Run, status: StatusChange): Promise<void> {
  await append(ctx, run, [{ kind: 'status', data: status }], { shown: status });
}

/** Records the commits that the session starts from, and the branches that it writes. Throws {@link LeaseLost}. */
export async function noteRepositories(ctx: RunContext, run: Run, repositories: StoredRepository[]): Promise<void> {
  await note(ctx, run, { repositories: JSON.stringify(repositories) });
}

/** Records the model of the session, which it keeps even if the default changes. Throws {@link LeaseLost}. */
export async function noteModel(ctx: RunContext, run: Run, model: string): Promise<void> {
  await note(ctx, run, { model });
}

/** Changes the session without an event. An outage of the database is waited out. */
async function note(ctx: RunContext, run: Run, change: Updateable<DB['sessions']>): Promise<void> {
  await persist(run, () => changeIn(ctx.db.kysely, run, change));
}

export interface NewArtifact {
  name: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  blob: string;
}

/** Records an artifact whose content is in the blob store; returns its id. Throws {@link LeaseLost}. */
export async function recordArtifact(ctx: RunContext, run: Run, artifact: NewArtifact): Promise<string> {
  const now = ctx.clock.now();
  const id = newId('art', now.getTime());
  const { name, contentType: content_type, sizeBytes: size_bytes, sha256, blob } = artifact;
  await appendingOnce(ctx, run, undefined, async (trx, mark) => {
    await appendIn(trx, run, [{ kind: 'artifact', data: { artifact_id: id, name, content_type, size_bytes } }], {
      mark,
    });
    await insertArtifact(trx, {
      id,
      org_id: run.orgId,
      session_id: run.id,
      name,
      content_type,
      size_bytes,
      sha256,
      blob,
      created_at: now,
    });
  });
  return id;
}

export interface RunEnd {
  status: 'completed' | 'failed' | 'waiting' | 'suspended';
  status_detail: StatusDetail;
  sandbox_state: SandboxState;
  error?: { code: string; message: string };
  verification?: SessionRow['verification'];
  /** The plan that needs approval. */
  plan?: string;
  sandboxSeconds: number;
}

/** The result of a turn: `goes_on` with another message, session `given_back`, or `kept` warm. */
export type Finished = 'goes_on' | 'given_back' | 'kept';

/**
 * Ends the turn and releases the session, unless a message is queued: then the run keeps it, and another turn takes the
 * message. With `keep` the run also keeps its lease on a session that a message may wake, so that the workspace stays
 * warm. Throws {@link LeaseLost}.
 */
export async function finish(ctx: RunContext, run: Run, end: RunEnd, { keep = false } = {}): Promise<Finished> {
  const { status, status_detail, error, verification, plan } = end;
  const now = ctx.clock.now();
  const goesOn = status === 'completed' || status === 'waiting';
  const keeps = keep && goesOn;
  return appendingOnce<Finished>(ctx, run, keeps ? 'kept' : 'given_back', async (trx, mark) => {
    const row = await lockRun(trx, run.id, run.fence);
    if (row === undefined) throw new LeaseLost(run.id);
    if (goesOn && row.has_queued) {
      // If the next turn changes nothing, this one's proof still holds.
      await changeIn(trx, run, { turn_ended: true, ...(verification === undefined ? {} : { verification }) });
      return 'goes_on';
    }
    const change = {
      turn_ended: true,
      error: error === undefined ? null : JSON.stringify(error),
      ...(verification === undefined ? {} : { verification }),
      sandbox_seconds: row.sandbox_seconds + end.sandboxSeconds,
      working_since: null,
      interrupt_requested: false,
      suspend_requested: false,
      losses: 0,
      ended_at: status === 'completed' || status === 'failed' ? now : null,
    };
    const events: NewEvent[] = [
      ...(status === 'failed' ? await endFailed(trx, run.id) : []),
      ...(plan === undefined ? [] : [await requestApproval(trx, run, plan, now)]),
      ...(error === undefined ? [] : [{ kind: 'error', data: error } as const]),
    ];
    await moveSession(trx, row, {
      event: eventOf(status, keeps),
      by: byRun(run),
      detail: status_detail,
      sandbox_state: keeps ? 'ready' : end.sandbox_state,
      change,
      events,
      mark,
    });
    return keeps ? 'kept' : 'given_back';
  });
}

function eventOf(status: RunEnd['status'], keeps: boolean): SessionEvent {
  switch (status) {
    case 'completed':
      return keeps ? 'complete_kept' : 'complete';
    case 'waiting':
      return keeps ? 'wait_kept' : 'wait';
    case 'failed':
      return 'fail';
    case 'suspended':
      return 'suspend';
  }
}

/** Releases the session unchanged, for another worker to continue at once: at drain, or after an outage. */
export async function release(ctx: RunContext, run: Run): Promise<void> {
  await giveBack(ctx, run, { event: 'release', by: byRun(run) });
}

/** Gives up a failed attempt: another one starts when its lease expires, and this one counts. */
export async function giveUp(ctx: RunContext, run: Run): Promise<void> {
  await giveBack(ctx, run, { event: 'abandon', by: byRun(run) });
}

/** Releases a session that this run must not end; does nothing if the run no longer owns it. */
async function giveBack(ctx: RunContext, run: Run, move: Move): Promise<void> {
  const write = (): Promise<void> =>
    ctx.db.transaction(async (trx) => {
      const session = await lockRun(trx, run.id, run.fence);
      if (session !== undefined) await moveSession(trx, session, { ...move, change: workUntilNow() });
    });
  await persist(run, write);
}

/** Changes the session, and what `more` changes, and appends events in one transaction. Throws {@link LeaseLost}. */
export async function inFence(
  ctx: RunContext,
  run: Run,
  change: Updateable<DB['sessions']>,
  events: readonly NewEvent[],
  more?: (trx: Transaction<DB>) => Promise<void>,
): Promise<void> {
  await appendingOnce(ctx, run, undefined, async (trx, mark) => {
    await changeIn(trx, run, change, events, { mark });
    await more?.(trx);
  });
}

/** Runs `work` in a transaction that holds the session. Throws {@link LeaseLost}. */
export async function whileHeld<T>(ctx: RunContext, run: Run, work: (trx: Transaction<DB>) => Promise<T>): Promise<T> {
  return ctx.db.transaction(async (trx) => {
    if ((await lockRun(trx, run.id, run.fence)) === undefined) throw new LeaseLost(run.id);
    return work(trx);
  });
}
