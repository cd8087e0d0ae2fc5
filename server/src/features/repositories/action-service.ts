import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { Refusal, type ProviderChangeRequest } from '../../adapters/source-control/port.ts';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import type { Provider } from '../../lib/providers.ts';
import { mutate } from '../../mutation/mutate.ts';
import { recordedActorOf } from '../../mutation/recorded-actor.ts';
import { authorOf } from './author.ts';
import { lockChangeRequest, readChangeRequest, type ChangeRequestRow } from './change-request-store.ts';
import { toApiShape } from './change-request-json.ts';
import { deleteIntent, holdIntent, putIntent, readIntent, type IntendedAction } from './intent-store.ts';
import { refOf } from './open-change-request.ts';
import { requireRepository } from './service.ts';
import { factOf, isDone, recordSaid, settleAbandoned, type Target } from './settle-service.ts';
import { diffTurns } from './turns.ts';

type ActionContext = Pick<Context, 'db' | 'clock' | 'sourceControl' | 'baseUrl' | 'log'>;

/**
 * The intent of an attempt whose process ended is released after this time. A request with an idempotency key can be
 * repeated only later, after 40 s.
 */
const holdMs = 30_000;
const renewMs = 10_000;

/**
 * Merges or closes a change request at its provider: records the intent, lets the provider act, then records the
 * result. No transaction waits for git, and the next request or maintenance run settles what a crash left incomplete.
 * Throws 409 `change_request_closed` unless it is open, `merge_conflict`, and `conflict` while another request acts on
 * it.
 */
export async function actOnChangeRequest(
  ctx: ActionContext,
  caller: Caller,
  place: { repositoryId: string; number: number },
  action: IntendedAction,
) {
  const orgId = caller.organization.id;
  const repository = await requireRepository(ctx, orgId, place.repositoryId);
  requireMethod(ctx, repository, action);
  await settleAbandoned(ctx, orgId);
  const answered = await answerSettled(ctx, caller, place, action);
  if (answered !== undefined) return answered;
  // Waits for its turn before it takes any lock.
  return diffTurns.run(orgId, async () => {
    const owner = randomUUID();
    const row = await begin(ctx, caller, place, action, owner);
    const target = { orgId, slug: caller.organization.slug, repository, row, by: caller.principal };
    const said = await holding(ctx, orgId, owner, () => perform(ctx, caller, target, action)).catch((error: unknown) =>
      afterFailure(ctx, target, { action, owner, error }),
    );
    return mutate(ctx, caller, async (trx, audit) => {
      const settled = await recordSaid(ctx, trx, target, said);
      await deleteIntent(trx, orgId, owner);
      if (settled.isNew) audit(factOf(row, action, said));
      return toApiShape(ctx, caller, settled.row, false);
    });
  });
}

function requireMethod(ctx: ActionContext, { provider }: { provider: Provider }, action: IntendedAction): void {
  const { mergeMethods = [action] } = ctx.sourceControl.of(provider);
  if (action !== 'close' && !mergeMethods.includes(action))
    throw fieldError('/method', `must be ${mergeMethods.join(' or ')}: ${provider} offers nothing else.`);
}

/** Returns the outcome of an earlier action to an actor who repeats it because the response was lost. */
async function answerSettled(
  ctx: ActionContext,
  caller: Caller,
  { repositoryId, number }: { repositoryId: string; number: number },
  action: IntendedAction,
) {
  const orgId = caller.organization.id;
  const row = await readChangeRequest(ctx.db.kysely, orgId, repositoryId, number);
  if (row === undefined || row.state === 'open') return undefined;
  const intent = await readIntent(ctx.db.kysely, orgId, row.id);
  const { type, id } = caller.principal;
  const isTheirs = intent?.actor_type === type && intent.actor_id === id && intent.action === action;
  if (!isTheirs || intent.settled_at === null) return undefined;
  return mutate(ctx, caller, async (trx) => {
    await deleteIntent(trx, orgId, intent.owner);
    return toApiShape(ctx, caller, row, false);
  });
}

async function begin(
  ctx: ActionContext,
  caller: Caller,
  { repositoryId, number }: { repositoryId: string; number: number },
  action: IntendedAction,
  owner: string,
): Promise<ChangeRequestRow> {
  const orgId = caller.organization.id;
  return ctx.db.transaction(async (trx) => {
    const row = await requireOpen(trx, orgId, repositoryId, number);
    const other = await readIntent(trx, orgId, row.id);
    if (other !== undefined && other.settled_at === null)
      throw new AppError('conflict', `Change request ${number} is being merged or closed. Read it in a moment.`);
    const now = ctx.clock.now();
    const heldUntil = new Date(now.getTime() + holdMs);
    await putIntent(trx, {
      changeRequestId: row.id,
      orgId,
      action,
      actor: recordedActorOf(caller),
      owner,
      heldUntil,
      now,
    });
    return row;
  });
}

async function requireOpen(
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
  number: number,
): Promise<ChangeRequestRow> {
  const row = await lockChangeRequest(trx, orgId, repositoryId, number);
  if (row === undefined) throw notFound('change_request', String(number));
  if (row.state !== 'open') throw closed(row);
  return row;
}

function closed({ number, state }: { number: number; state: string }): AppError {
  return new AppError('change_request_closed', `Change request ${number} is ${state}.`);
}

/** Extends the lease of the intent until `work` is done. */
async function holding<T>(ctx: ActionContext, orgId: string, owner: string, work: () => Promise<T>): Promise<T> {
  const renew = (): void => {
    const until = new Date(ctx.clock.now().getTime() + holdMs);
    // The next renewal makes up for a failed one; without any, another process settles the intent, which is harmless.
    void holdIntent(ctx.db.kysely, orgId, owner, until).catch(() => undefined);
  };
  const timer = setInterval(renew, renewMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

async function perform(
  ctx: ActionContext,
  { principal }: Caller,
  { orgId, repository, row }: Target,
  action: IntendedAction,
): Promise<ProviderChangeRequest> {
  const source = ctx.sourceControl.of(repository.provider);
  const ref = refOf(orgId, repository);
  if (action === 'close') return source.closeChangeRequest(ref, row.number);
  return source.mergeChangeRequest(ref, row.number, {
    method: action,
    headSha: row.head_sha,
    message: `${row.title} (#${row.number})\n\n${row.body}`.trim(),
    author: authorOf(principal),
  });
}

/**
 * Asks the provider for the outcome of a failed action, which may have succeeded anyway. Throws the failure if it did
 * not.
 */
async function afterFailure(
  ctx: ActionContext,
  target: Target,
  { action, owner, error }: { action: IntendedAction; owner: string; error: unknown },
): Promise<ProviderChangeRequest> {
  const { orgId, repository, row } = target;
  // If the provider is unavailable, the intent stays for the next request or maintenance run.
  const said = await ctx.sourceControl
    .of(repository.provider)
    .changeRequest(refOf(orgId, repository), row.number)
    .catch(() => Promise.reject(failureOf(error)));
  if (said !== undefined && isDone(action, said)) return said;
  await ctx.db.transaction(async (trx) => {
    if (said !== undefined) await recordSaid(ctx, trx, target, said);
    await deleteIntent(trx, orgId, owner);
  });
  throw failureOf(error);
}

/** Converts a provider's refusal to an error of the API; returns any other failure unchanged. */
function failureOf(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  switch (error.reason) {
    case 'merge_conflict':
      return new AppError('merge_conflict', error.message, { paths: error.paths });
    case 'not_open':
      return new AppError('change_request_closed', error.message);
    case 'branch_moved':
    case 'branch_missing':
      return new AppError('conflict', error.message);
  }
}
