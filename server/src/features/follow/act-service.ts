import { AppError, messageOf, ProviderError } from '../../lib/errors.ts';
import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { enqueueLook } from './enqueue.ts';
import { endFollowed, mergeFollowed } from './end-service.ts';
import { beginAutoMerge, endAutoMerge } from '../repositories/public.ts';
import { publishFollow } from './news.ts';
import { answer, say } from './reply-service.ts';
import { sendRound } from './round-service.ts';
import { mergePlace, type ActContext, type Subject } from './subject.ts';
import {
  holdAction,
  insertActions,
  listPendingActions,
  lockFollow,
  readFollow,
  updateAction,
  updateFollow,
  type FollowRow,
} from './store.ts';
import { takeOver, unanswered } from './decide/say.ts';
import type { Action, Round } from './decide/types.ts';

/** A process that ended leaves its action to another one after this time. */
const holdMs = 120_000;
const maxAttempts = 20;

/**
 * Carries out what was decided, in order. Each action happens once: messages in the transaction that ends the action, and
 * comments after a search for their hidden mark.
 */
export async function carryOut(ctx: ActContext, subject: Subject): Promise<void> {
  const { id } = subject.change;
  for (const { key, action } of await listPendingActions(ctx.db.kysely, id)) {
    const now = ctx.clock.now();
    const held = await holdAction(ctx.db.kysely, id, key, now, new Date(now.getTime() + holdMs));
    // Another process is at it; its end wakes the next look.
    if (held === undefined) return;
    try {
      await carryOutOne(ctx, subject, action);
      await updateAction(ctx.db.kysely, id, key, { state: 'done', done_at: ctx.clock.now() });
    } catch (error) {
      if (isPermanent(error) || held.attempts >= maxAttempts) await fail(ctx, subject, action, error);
      else {
        await updateAction(ctx.db.kysely, id, key, { state: 'pending', problem: messageOf(error), held_until: null });
        throw error;
      }
    }
  }
}

/** Returns true for a failure that another attempt would meet again. */
function isPermanent(error: unknown): boolean {
  if (error instanceof ProviderError) return !error.retryable;
  return error instanceof AppError && error.code !== 'capacity_unavailable';
}

async function carryOutOne(ctx: ActContext, subject: Subject, action: Action): Promise<void> {
  switch (action.type) {
    case 'message':
      return sendRound(ctx, subject, action);
    case 'rerun':
      return rerun(subject, action.checkIds);
    case 'say':
      return say(ctx, subject, action);
    case 'answer':
      return answer(ctx, subject, action);
    case 'merge':
      return mergeFollowed(ctx, subject, action.headSha);
    case 'auto_merge':
      return beginAutoMerge(ctx, mergePlace(subject), action.headSha);
    case 'auto_merge_off':
      return endAutoMerge(ctx, mergePlace(subject));
    case 'finish':
      return endFollowed(ctx, subject);
  }
}

/** Runs failed checks again that still fail. */
async function rerun({ source, ref, change }: Subject, checkIds: readonly string[]): Promise<void> {
  const checks = (await source.checks?.(ref, change.head_sha)) ?? [];
  for (const { id, state } of checks)
    if (checkIds.includes(id) && (state === 'failure' || state === 'error')) await source.rerun?.(ref, id);
}

/** Records that an action cannot be carried out. A round without its message, and a host that may still merge, need a person. */
async function fail(ctx: ActContext, { change }: Subject, action: Action, error: unknown): Promise<void> {
  const problem = messageOf(error);
  ctx.log.warn({ id: change.id, action: action.key, reason: problem }, 'following a change request could not act');
  await ctx.db.transaction(async (trx) => {
    if (!(await updateAction(trx, change.id, action.key, { state: 'failed', problem }))) return;
    const row = await lockFollow(trx, change.id);
    const isGrave = action.type === 'message' || action.type === 'auto_merge_off';
    if (row === undefined || row.state === 'ended' || !isGrave) return;
    const memory = action.type === 'message' ? { ...row.memory, round: null } : row.memory;
    const now = ctx.clock.now();
    if (action.type === 'message') await sayNotSent(ctx, trx, row, action.round, error);
    await updateFollow(trx, change.id, { state: 'needs_person', reason: problem, memory, updated_at: now });
    const after = await readFollow(trx, change.id);
    if (after !== undefined) await publishFollow(ctx, trx, after, { type: 'system', id: '' });
  });
}

/** Tells whoever asked that their words did not reach the session, unless they took them back. */
async function sayNotSent(
  ctx: ActContext,
  trx: Transaction<DB>,
  row: FollowRow,
  round: Round,
  error: unknown,
): Promise<void> {
  const code = error instanceof AppError ? error.code : '';
  if (code === 'conflict') return;
  const said = unanswered(round, notSent[code] ?? 'its session could not be told', takeOver);
  if (said === undefined) return;
  const action = { ...said, key: `say:${said.key}`, type: 'say' } as const;
  await insertActions(trx, row, [action], ctx.clock.now());
  await enqueueLook(ctx, trx, row);
}

const notSent: Readonly<Record<string, string>> = {
  forbidden: 'only who started its session can continue it',
  budget_exceeded: 'the budget of its session is used up',
  session_terminal: 'its session has ended',
};
