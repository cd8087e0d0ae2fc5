import type { Transaction } from 'kysely';
import type { ProviderChangeRequest } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { messageOf, notFound } from '../../lib/errors.ts';
import type { AuditFact } from '../../mutation/mutate.ts';
import { recordActOf } from '../../mutation/recorded-actor.ts';
import {
  lockChangeRequest,
  readChangeRequest,
  updateChangeRequestRow,
  type ChangeRequestRow,
} from './change-request-store.ts';
import {
  deleteIntent,
  deleteSettledIntents,
  listAbandoned,
  type AbandonedIntent,
  markSettled,
  readIntent,
  type IntendedAction,
} from './intent-store.ts';
import { publish } from '../../outbox/publish.ts';
import { changeRequestNews, newerThan, refOf } from './open-change-request.ts';
import { repositoryById, type RepositoryRow } from './service.ts';

type SettleContext = Pick<Context, 'db' | 'clock' | 'sourceControl' | 'baseUrl' | 'log'>;

/** The maximum number of intents that one request or maintenance run settles. */
const batchSize = 20;
const answeredMs = 24 * 3_600_000;

/**
 * Settles abandoned intents of one organization, or of all: asks the provider for the outcome of each. If the provider does
 * not answer, the next request or maintenance run asks again.
 */
export async function settleAbandoned(ctx: SettleContext, orgId?: string): Promise<void> {
  const where = { limit: batchSize, ...(orgId === undefined ? {} : { orgId }) };
  for (const place of await listAbandoned(ctx.db.kysely, ctx.clock.now(), where))
    await settle(ctx, place).catch((error: unknown) =>
      ctx.log.warn(
        { ...place, reason: messageOf(error) },
        'the outcome of an action on a change request is still unknown',
      ),
    );
}

/** Settles the abandoned intents of all organizations, and deletes settled ones after a day. */
export async function settleChangeRequests(ctx: SettleContext): Promise<void> {
  await settleAbandoned(ctx);
  await deleteSettledIntents(ctx.db.kysely, new Date(ctx.clock.now().getTime() - answeredMs));
}

async function settle(ctx: SettleContext, left: AbandonedIntent): Promise<void> {
  const { orgId, slug, repositoryId, number } = left;
  const repository = await repositoryById(ctx, orgId, repositoryId);
  const row = await readChangeRequest(ctx.db.kysely, orgId, repositoryId, number);
  if (repository === undefined || row === undefined) return;
  const said = await ctx.sourceControl.of(repository.provider).changeRequest(refOf(orgId, repository), number);
  await ctx.db.transaction(async (trx) => {
    const locked = await lockChangeRequest(trx, orgId, repositoryId, number);
    const intent = locked === undefined ? undefined : await readIntent(trx, orgId, locked.id);
    const now = ctx.clock.now();
    if (intent === undefined || intent.settled_at !== null || intent.held_until >= now) return;
    const { actor_type, actor_id, actor_display, ip, user_agent, request_id } = intent;
    const by = { type: actor_type, id: actor_id };
    if (said !== undefined) await recordSaid(ctx, trx, { orgId, slug, repository, row, by }, said);
    if (said === undefined || !isDone(intent.action, said)) return deleteIntent(trx, orgId, intent.owner);
    const actor = { actor_type, actor_id, actor_display, ip, user_agent, request_id };
    await recordActOf(trx, orgId, actor, factOf(row, intent.action, said), now);
    await markSettled(trx, orgId, intent.owner, now);
  });
}

/** Returns true if a change request has the state that an action leads to. */
export function isDone(action: IntendedAction, { state }: Pick<ProviderChangeRequest, 'state'>): boolean {
  return state === (action === 'close' ? 'closed' : 'merged');
}

/** The audit entry of a completed action. */
export function factOf({ id }: { id: string }, action: IntendedAction, said: ProviderChangeRequest): AuditFact {
  const resource = { type: 'change_request', id };
  if (action === 'close') return { action: 'change_request.close', resource };
  return { action: 'change_request.merge', resource, changes: { method: action, commit: said.mergeCommit } };
}

/** A change request and the principal that acts on it. */
export interface Target {
  orgId: string;
  slug: string;
  repository: RepositoryRow;
  row: ChangeRequestRow;
  by: { type: string; id: string };
}

/** Records the state that a provider reported, and publishes `change_request.state_changed` if it is a new one. */
export async function recordSaid(
  ctx: Pick<Context, 'clock' | 'baseUrl'>,
  trx: Transaction<DB>,
  { orgId, slug, repository, row: { id, number }, by }: Target,
  said: ProviderChangeRequest,
): Promise<{ row: ChangeRequestRow; isNew: boolean }> {
  const before = await lockChangeRequest(trx, orgId, repository.id, number);
  if (before === undefined) throw notFound('change_request', String(number));
  const newer = newerThan(before, said);
  const row = await updateChangeRequestRow(trx, orgId, id, { ...newer, updated_at: ctx.clock.now() });
  const isNew = row.state !== before.state;
  if (isNew)
    await publish(trx, {
      orgId,
      type: 'change_request.state_changed',
      resource: { type: 'change_request', id },
      actor: by,
      data: {
        ...changeRequestNews(ctx, slug, repository, row),
        previous_state: before.state,
        session_id: row.session_id,
      },
    });
  return { row, isNew };
}
