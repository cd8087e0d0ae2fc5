import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireChangeRequest } from '../repositories/change-request-service.ts';
import { lockRepository, type ChangeRequestRow } from '../repositories/public.ts';
import { sessionExists } from '../sessions/api/follow-service.ts';
import { newMemory } from './decide/types.ts';
import { enqueueLook } from './enqueue.ts';
import { publishFollow } from './news.ts';
import type { ActOnFollow } from './schemas.ts';
import { insertFollow, lockFollow, readFollow, updateFollow, type FollowRow } from './store.ts';

type FollowContext = Pick<Context, 'db' | 'clock' | 'jobs' | 'baseUrl'>;

/** Returns how a change request is followed. Throws 404 `repository_not_found`, `change_request_not_found`. */
export async function getFollow(ctx: Pick<Context, 'db'>, caller: Actor, repositoryId: string, number: number) {
  const change = await requireChangeRequest(ctx, caller.organization.id, repositoryId, number);
  return shown(change, await readFollow(ctx.db.kysely, change.id));
}

/**
 * Begins, pauses, resumes or ends following a change request. Throws 409 `change_request_closed` unless it is open, and
 * `conflict` if another session follows it, or if it is not followed.
 */
export async function actOnFollow(
  ctx: FollowContext,
  caller: Caller,
  place: { repositoryId: string; number: number },
  input: ActOnFollow,
) {
  const orgId = caller.organization.id;
  const change = await requireChangeRequest(ctx, orgId, place.repositoryId, place.number);
  if (change.state !== 'open')
    throw new AppError('change_request_closed', `Change request ${change.number} is ${change.state}.`);
  return mutate(ctx, caller, async (trx, audit) => {
    // One at a time, also while there is no row.
    if (!(await lockRepository(trx, orgId, place.repositoryId))) throw notFound('repository', place.repositoryId);
    const before = await lockFollow(trx, change.id);
    if (input.action === 'watch') await watch(ctx, trx, caller, { change, before, sessionId: input.session_id });
    else await move(ctx, trx, caller, { change, before, input });
    const after = await readFollow(trx, change.id);
    if (before?.state !== after?.state || before?.session_id !== after?.session_id) {
      audit({
        action: `change_request.${input.action}`,
        resource: { type: 'change_request', id: change.id },
        changes: { state: after?.state, session_id: after?.session_id },
      });
      if (after !== undefined) await publishFollow(ctx, trx, after, caller.principal);
      await enqueueLook(ctx, trx, { org_id: orgId, repository_id: change.repository_id, number: change.number });
    }
    return shown(change, after);
  });
}

interface Target {
  change: ChangeRequestRow;
  before: FollowRow | undefined;
}

async function watch(
  ctx: FollowContext,
  trx: Transaction<DB>,
  { organization, principal }: Caller,
  { change, before, sessionId }: Target & { sessionId: string | undefined },
): Promise<void> {
  const now = ctx.clock.now();
  const asking = principal.type === 'session' ? principal.id : undefined;
  const wanted = sessionId ?? asking ?? before?.session_id ?? change.session_id;
  const owner = before === undefined || before.state === 'ended' ? '' : before.session_id;
  if (owner !== '' && owner !== wanted)
    throw new AppError('conflict', `The session ${owner} follows change request ${change.number}. End that first.`);
  if (wanted === '') throw fieldError('/session_id', 'must name a session: no session opened this change request.');
  if (!(await sessionExists(trx, organization.id, wanted))) throw fieldError('/session_id', 'does not exist.');
  if (before === undefined) {
    const { id, repository_id, number } = change;
    const at = { change_request_id: id, org_id: organization.id, repository_id, number };
    await insertFollow(trx, { ...at, session_id: wanted, memory: newMemory(now.getTime()), now });
  } else if (before.state === 'ended') {
    const memory = { ...before.memory, since: now.getTime(), round: null };
    await updateFollow(trx, change.id, { state: 'watching', reason: '', session_id: wanted, memory, updated_at: now });
  } else if (before.state === 'paused' || before.state === 'needs_person') {
    await resume(trx, before, now);
  }
}

async function move(
  ctx: FollowContext,
  trx: Transaction<DB>,
  { principal }: Caller,
  { change, before, input: { action, session_id } }: Target & { input: ActOnFollow },
): Promise<void> {
  if (session_id !== undefined) throw fieldError('/session_id', 'is only for the action watch.');
  if (before === undefined || before.state === 'ended')
    throw new AppError('conflict', `Change request ${change.number} is not followed. Send the action watch first.`);
  const now = ctx.clock.now();
  if (action === 'resume') return resume(trx, before, now);
  const reason = `${principal.name || principal.type} ${action === 'pause' ? 'paused' : 'ended'} it.`;
  const state = action === 'pause' ? 'paused' : 'ended';
  if (before.state !== state) await updateFollow(trx, change.id, { state, reason, look_at: null, updated_at: now });
}

/** Continues one that waits for a person; its counters stay. */
async function resume(trx: Transaction<DB>, before: FollowRow, now: Date): Promise<void> {
  if (before.state !== 'paused' && before.state !== 'needs_person') return;
  const memory = { ...before.memory, fingerprints: [], foreign: 0 };
  await updateFollow(trx, before.change_request_id, { state: 'watching', reason: '', memory, updated_at: now });
}

function shown({ repository_id, number, updated_at }: ChangeRequestRow, row: FollowRow | undefined) {
  const { ciRounds, reviewRounds, conflictRounds, pushes, reruns, rounds, fixed, since } = row?.memory ?? newMemory(0);
  return {
    repository_id,
    number,
    state: row?.state ?? ('off' as const),
    reason: row?.reason ?? '',
    session_id: row?.session_id ?? '',
    head_sha: row?.head_sha ?? '',
    checks: { state: row?.checks_state ?? ('none' as const), failing: row?.failing ?? [] },
    review_state: row?.review_state ?? ('' as const),
    rounds,
    fixed,
    ci_rounds: ciRounds,
    review_rounds: reviewRounds,
    conflict_rounds: conflictRounds,
    pushes,
    reruns,
    since: row === undefined ? null : new Date(since),
    updated_at: row?.updated_at ?? updated_at,
  };
}
