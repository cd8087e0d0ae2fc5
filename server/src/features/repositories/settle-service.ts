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
import { changeRequestNews, newerThan, refOf } from './open-change-request.ts';
import { repositoryById, type RepositoryRow } from './service.ts';

/** What a session hears of a change request that it made. */
interface ChangeRequestNews {
  kind: 'change_request';
  data: ReturnType<typeof changeRequestNews>;
}
/** Tells a session what happened to what it made, in the transaction in which that happens. */
export type TellSession = (trx: Transaction<DB>, sessionId: string, news: ChangeRequestNews) => Promise<void>;

type SettleContext = Pick<Context, 'db' | 'clock' | 'sourceControl' | 'baseUrl' | 'log'>;

/** As many as one request or round settles. */
const batchSize = 20;
const answeredMs = 24 * 3_600_000;

/**
 * Settles the intents that attempts left behind, of one organization or of all: asks the provider what became of each. A
 * provider that does not answer is asked again by whoever comes next.
 */
export async function settleAbandoned(ctx: SettleContext, tellSession: TellSession, orgId?: string): Promise<void> {
  const where = { limit: batchSize, ...(orgId === undefined ? {} : { orgId }) };
  for (const place of await listAbandoned(ctx.db.kysely, ctx.clock.now(), where))
    await settle(ctx, tellSession, place).catch((error: unknown) =>
      ctx.log.warn({ ...place, reason: messageOf(error) }, 'what became of a change request is not known yet'),
    );
}

/** The same for all organizations; forgets what nobody asked about for a day. */
export async function settleChangeRequests(ctx: SettleContext, tellSession: TellSession): Promise<void> {
  await settleAbandoned(ctx, tellSession);
  await deleteSettledIntents(ctx.db.kysely, new Date(ctx.clock.now().getTime() - answeredMs));
}

async function settle(ctx: SettleContext, tellSession: TellSession, left: AbandonedIntent): Promise<void> {
  const { orgId, slug, repositoryId, number } = left;
  const repository = await repositoryById(ctx, orgId, repositoryId);
  const row = await readChangeRequest(ctx.db.kysely, orgId, repositoryId, number);
  // One in a deleted repository waits until that is restored or purged.
  if (repository === undefined || row === undefined) return;
  const said = await ctx.sourceControl.of(repository.provider).changeRequest(refOf(orgId, repository), number);
  await ctx.db.transaction(async (trx) => {
    const locked = await lockChangeRequest(trx, orgId, repositoryId, number);
    const intent = locked === undefined ? undefined : await readIntent(trx, orgId, locked.id);
    const now = ctx.clock.now();
    if (intent === undefined || intent.settled_at !== null || intent.held_until >= now) return;
    if (said !== undefined) await recordSaid(ctx, trx, { orgId, slug, repository, row }, said, tellSession);
    if (said === undefined || !isDone(intent.action, said)) return deleteIntent(trx, orgId, intent.owner);
    const { actor_type, actor_id, actor_display, ip, user_agent, request_id } = intent;
    const actor = { actor_type, actor_id, actor_display, ip, user_agent, request_id };
    await recordActOf(trx, orgId, actor, factOf(row, intent.action, said), now);
    await markSettled(trx, orgId, intent.owner, now);
  });
}

/** Whether a change request is what an action makes of it. */
export function isDone(action: IntendedAction, { state }: Pick<ProviderChangeRequest, 'state'>): boolean {
  return state === (action === 'close' ? 'closed' : 'merged');
}

/** The entry of the audit trail for an action that was done. */
export function factOf({ id }: { id: string }, action: IntendedAction, said: ProviderChangeRequest): AuditFact {
  const resource = { type: 'change_request', id };
  if (action === 'close') return { action: 'change_request.close', resource };
  return { action: 'change_request.merge', resource, changes: { method: action, commit: said.mergeCommit } };
}

/** A change request, with what is needed to speak of it. */
export interface Target {
  orgId: string;
  slug: string;
  repository: RepositoryRow;
  row: ChangeRequestRow;
}

/** Records what a provider said, and tells the session that made the change request when its state is another one. */
export async function recordSaid(
  ctx: Pick<Context, 'clock' | 'baseUrl'>,
  trx: Transaction<DB>,
  { orgId, slug, repository, row: { id, number } }: Target,
  said: ProviderChangeRequest,
  tellSession: TellSession,
): Promise<{ row: ChangeRequestRow; isNew: boolean }> {
  const before = await lockChangeRequest(trx, orgId, repository.id, number);
  if (before === undefined) throw notFound('change_request', String(number));
  const newer = newerThan(before, said);
  const row = await updateChangeRequestRow(trx, orgId, id, { ...newer, updated_at: ctx.clock.now() });
  const isNew = row.state !== before.state;
  if (isNew && row.session_id !== '') {
    const data = changeRequestNews(ctx, slug, repository, row);
    await tellSession(trx, row.session_id, { kind: 'change_request', data });
  }
  return { row, isNew };
}
