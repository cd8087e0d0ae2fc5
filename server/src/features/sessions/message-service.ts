import type { Transaction } from 'kysely';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { requireAttachments } from '../attachments/service.ts';
import { mutate } from '../audit-logs/mutate.ts';
import { requireRoom } from '../groups/admission-service.ts';
import { requireSteering } from '../secrets/service.ts';
import type { CreateMessage } from './message-schemas.ts';
import { insertMessage, listMessageRows, messagesQuery, readMessage, withdrawMessage } from './message-store.ts';
import { appendEvents, latestCheckpoints } from './run-store.ts';
import { requireSession, type SessionContext } from './service.ts';
import { leaseToClaim, lockSession, notifyControl, updateSessionRow } from './store.ts';

type MessageContext = SessionContext & Pick<Context, 'jobs'>;
type MessageRow = Awaited<ReturnType<typeof insertMessage>>;
type Locked = NonNullable<Awaited<ReturnType<typeof lockSession>>>;

/** Oldest first. */
export async function listMessages(ctx: SessionContext, caller: Caller, sessionId: string, query: PageQuery) {
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
  return { ...page, items: page.items.map(shape) };
}

/**
 * Says something to the session, whatever it is doing: one that works gets it before its next step, one that waits or
 * ended goes on with it. Throws 400 `content_required`, 403 `forbidden`, 409 `session_terminal`, 402
 * `budget_exceeded`.
 */
export async function sendMessage(ctx: MessageContext, caller: Caller, sessionId: string, input: CreateMessage) {
  const { content } = input;
  if (content.trim() === '') throw new AppError('content_required', 'body.content must not be blank.');
  const orgId = caller.organization.id;
  const attachmentIds = [...new Set(input.attachment_ids)];
  await requireAttachments(ctx, orgId, attachmentIds);
  return mutate(ctx, caller, async (trx, audit) => {
    const session = await lockSession(trx, orgId, sessionId);
    if (session === undefined) throw notFound('session', sessionId);
    await requireSteering(trx, orgId, caller.principal, sessionId);
    const now = ctx.clock.now();
    const delivery = input.delivery ?? 'steer';
    const wake = await wakeUp(trx, session);
    if (wake !== undefined && session.in_groups)
      await requireRoom(trx, { id: sessionId, orgId, personId: session.person_id }, now, { isNew: false });
    const row = await insertMessage(trx, {
      id: newId('msg', now.getTime()),
      org_id: orgId,
      session_id: sessionId,
      role: 'user',
      content,
      attachment_ids: attachmentIds,
      delivery,
      created_by_type: caller.principal.type,
      created_by_id: caller.principal.id,
      created_at: now,
    });
    const interrupts = delivery === 'interrupt' && session.status === 'running';
    if (wake !== undefined || interrupts)
      await updateSessionRow(trx, sessionId, {
        ...wake?.change,
        ...(interrupts ? { interrupt_requested: true } : {}),
        updated_at: now,
      });
    await appendEvents(trx, sessionId, null, [
      { kind: 'message', data: { message_id: row.id, role: 'user', delta: content, done: true } },
      ...(wake === undefined ? [] : [{ kind: 'status', data: wake.status } as const]),
    ]);
    // A worker that keeps the session is told; should it be gone, the session is found when its lease has run out.
    const isKept = session.lease_owner !== '' && session.lease_until !== null && session.lease_until > now;
    if (wake !== undefined && !isKept) await ctx.jobs.enqueue(trx, 'session', { session_id: sessionId });
    await notifyControl(trx, sessionId);
    audit({
      action: 'session.message',
      resource: { type: 'session', id: sessionId },
      changes: { message_id: row.id, delivery },
    });
    return shape(row);
  });
}

/** What a message changes about a session that no worker holds; undefined while one does, or will soon. */
async function wakeUp(trx: Transaction<DB>, session: Locked) {
  switch (session.status) {
    case 'queued':
    case 'provisioning':
    case 'running':
      return undefined;
    case 'waiting': {
      // It goes on where it stopped: with the worker that kept it, or with any that claims its lease of the past.
      const status = { status: 'running', status_detail: 'working', sandbox_state: 'starting' } as const;
      return { status, change: { ...status, ...leaseToClaim() } };
    }
    case 'canceled':
      throw new AppError('session_terminal', 'The session was canceled; start another one.');
    case 'failed':
      if ((await latestCheckpoints(trx, session.id)).length === 0)
        throw new AppError('session_terminal', 'The session failed before its first checkpoint; start another one.');
      break;
    case 'completed':
    case 'suspended':
      break;
  }
  const status = { status: 'queued', status_detail: '', sandbox_state: 'none' } as const;
  // One that works again is no longer put away.
  return { status, change: { ...status, ended_at: null, error: null, archived: false } };
}

/** Takes a message back that no turn took yet. Throws 404 `message_not_found`, 409 `invalid_transition`. */
export async function deleteMessage(ctx: SessionContext, caller: Caller, sessionId: string, id: string): Promise<null> {
  const orgId = caller.organization.id;
  await requireSession(ctx, orgId, sessionId);
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await withdrawMessage(trx, orgId, sessionId, id);
    if (row === undefined) {
      const existing = await readMessage(trx, orgId, sessionId, id);
      if (existing === undefined) throw notFound('message', id);
      throw new AppError('invalid_transition', `The message is ${existing.state} already.`);
    }
    audit({
      action: 'session.message_withdraw',
      resource: { type: 'session', id: sessionId },
      changes: { message_id: id },
    });
    return null;
  });
}

function shape(row: MessageRow) {
  const { created_by_type, created_by_id, ...rest } = row;
  return { ...rest, created_by: { type: created_by_type, id: created_by_id } };
}
