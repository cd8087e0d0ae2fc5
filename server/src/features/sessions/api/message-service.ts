import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { countRows } from '../../../db/count.ts';
import type { DB } from '../../../db/types.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { newId } from '../../../lib/ids.ts';
import { isBlank } from '../../../lib/one-line.ts';
import { paginate, type PageQuery } from '../../../lib/paging.ts';
import { holdAttachments, requireAttachments } from '../../attachments/service.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { requireAdmission } from '../../groups/admission-service.ts';
import { requireSteering } from '../../secrets/public.ts';
import { requireStorageForWork } from '../../storage/quota-service.ts';
import { closeApprovals } from '../run/approval-state-service.ts';
import type { CreateMessage } from '../schemas/message-schemas.ts';
import { messageNews, messageSent, type NewEvent } from '../schemas/event-schemas.ts';
import { insertMessage, listMessageRows, messagesQuery, readMessage, withdrawMessage } from '../store/message-store.ts';
import { appendEvents } from '../store/log-store.ts';
import { latestCheckpoints } from '../store/run-store.ts';
import { requireRaised } from './raised-service.ts';
import { requireSession, type SessionContext } from './service.ts';
import { lockSession, notifyControl, updateSessionRow } from '../store/session-store.ts';
import { moveSession } from '../store/transition-store.ts';
import { findTransition, isActive } from '../store/transitions.ts';

type MessageContext = SessionContext & Pick<Context, 'config'>;
type MessageRow = Awaited<ReturnType<typeof insertMessage>>;
type Locked = NonNullable<Awaited<ReturnType<typeof lockSession>>>;

/** Lists messages, oldest first. */
export async function listMessages(ctx: SessionContext, caller: Actor, sessionId: string, query: PageQuery) {
  const orgId = caller.organization.id;
  await requireSession(ctx, orgId, sessionId);
  const rows = messagesQuery(ctx.db.kysely, orgId, sessionId);
  const page = await paginate({
    list: 'session_messages',
    filters: { sessionId },
    query,
    rows: (after, limit) => listMessageRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return page;
}

/**
 * Sends a message to a session in any state: a running one gets it before its next step, a waiting or ended one
 * continues with it, but not one whose budget is still used up. Throws 400 `content_required`, 403 `forbidden`, 409 `session_terminal`, 402 `budget_exceeded`.
 */
export async function sendMessage(ctx: MessageContext, caller: Caller, sessionId: string, input: CreateMessage) {
  const { content } = input;
  if (isBlank(content)) throw fieldError('/content', 'must not be blank.', { code: 'content_required' });
  const orgId = caller.organization.id;
  const attachmentIds = [...new Set(input.attachment_ids)];
  await requireAttachments(ctx, orgId, attachmentIds);
  return mutate(ctx, caller, async (trx, audit) => {
    const session = await lockSession(trx, orgId, sessionId);
    if (session === undefined) throw notFound('session', sessionId);
    await requireSteering(trx, orgId, caller.principal, session);
    const { principal: by } = caller;
    const note = 'A message was sent instead.';
    if (session.awaits_decision)
      await closeApprovals(trx, sessionId, { state: 'denied', note, by, now: ctx.clock.now() });
    const delivery = input.delivery ?? 'steer';
    const row = await addMessage(ctx, trx, caller, session, { content, attachmentIds, delivery });
    audit({
      action: 'session.message',
      resource: { type: 'session', id: sessionId },
      changes: { message_id: row.id, delivery },
    });
    return row;
  });
}

interface MessageInput {
  content: string;
  attachmentIds: string[];
  delivery: 'steer' | 'queue' | 'interrupt';
}

/** Adds a message to a locked session, with its event, and wakes the session. Throws like {@link sendMessage}. */
export async function addMessage(
  ctx: MessageContext,
  trx: Transaction<DB>,
  { organization, principal }: Actor,
  session: Locked,
  { content, attachmentIds, delivery }: MessageInput,
): Promise<MessageRow> {
  const now = ctx.clock.now();
  await holdAttachments(trx, organization.id, attachmentIds);
  const row = await insertMessage(trx, {
    id: newId('msg', now.getTime()),
    org_id: organization.id,
    session_id: session.id,
    role: 'user',
    content,
    attachment_ids: attachmentIds,
    delivery,
    created_by_type: principal.type,
    created_by_id: principal.id,
    created_at: now,
  });
  if (delivery === 'interrupt' && session.status === 'running')
    await updateSessionRow(trx, session.id, { interrupt_requested: true, updated_at: now });
  await continueSession(ctx, trx, { organization, principal }, session, [messageSent(row, principal)]);
  return row;
}

/** Logs events, and continues a locked session that no worker runs. Throws 409 `session_terminal`, 402 `budget_exceeded`. */
export async function continueSession(
  ctx: MessageContext,
  trx: Transaction<DB>,
  { organization, principal }: Pick<Actor, 'organization' | 'principal'>,
  session: Locked,
  events: readonly NewEvent[] = [],
): Promise<void> {
  const { id, status, in_groups, person_id: personId } = session;
  if (!isActive(status)) {
    const now = ctx.clock.now();
    await requireAlive(trx, session);
    await requireRaised(trx, session, now);
    await requireStorageForWork(ctx, trx, organization.id);
    if (in_groups) await requireAdmission(trx, { id, orgId: organization.id, personId }, now, { isNew: false });
    // A session that continues is unarchived. A worker with a warm sandbox is notified; if it is lost, the session is
    // found when its lease expires.
    const change = status === 'waiting' ? {} : { ended_at: null, error: null, archived: false };
    await moveSession(trx, session, { event: 'message', by: principal, change, events, tellsWorker: true });
    return;
  }
  if (events.length > 0) await appendEvents(trx, id, null, events);
  await notifyControl(trx, id);
}

/** Throws 409 `session_terminal` for a session that cannot be continued. */
async function requireAlive(trx: Transaction<DB>, { id, status }: Locked): Promise<void> {
  if (findTransition(status, 'message') === undefined)
    throw new AppError('session_terminal', `The session was ${status}; start another one.`);
  if (status === 'failed' && (await latestCheckpoints(trx, id)).length === 0)
    throw new AppError('session_terminal', 'The session failed before its first checkpoint; start another one.');
}

/** Withdraws a message that no turn has taken yet. Throws 404 `message_not_found`, 409 `invalid_transition`. */
export async function deleteMessage(ctx: SessionContext, caller: Caller, sessionId: string, id: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    // Whoever changes messages has locked their session.
    if ((await lockSession(trx, orgId, sessionId)) === undefined) throw notFound('session', sessionId);
    const row = await withdrawMessage(trx, orgId, sessionId, id);
    if (row === undefined) {
      const existing = await readMessage(trx, orgId, sessionId, id);
      if (existing === undefined) throw notFound('message', id);
      const why = existing.state === 'queued' ? 'is about a decision, which is final' : `is already ${existing.state}`;
      throw new AppError('invalid_transition', `The message ${why}.`);
    }
    await appendEvents(trx, sessionId, null, [messageNews(row, 'withdrawn')]);
    audit({
      action: 'session.message_withdraw',
      resource: { type: 'session', id: sessionId },
      changes: { message_id: id },
    });
    return null;
  });
}
