import type { Transaction } from 'kysely';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { recordSystemAct, type AuditFact } from '../../../mutation/mutate.ts';
import { settingsOf } from '../../settings/service.ts';
import type { ApprovalState } from '../schemas/approval-schemas.ts';
import { insertApproval, lockOverdue, readPending, updateApproval } from '../store/approval-store.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import type { Run } from '../store/run.ts';
import { appendEvents } from '../store/log-store.ts';
import { bySystem, moveSession, type LockedSession, type Move } from '../store/transition-store.ts';

const maxSummaryLength = 500;

/** Returns the event of an approval; a long text is truncated. */
export function approvalEvent(id: string, kind: 'plan' | 'tool', state: ApprovalState, text: string): NewEvent {
  const summary =
    text.length > maxSummaryLength ? `${text.slice(0, maxSummaryLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  return { kind: 'approval', data: { approval_id: id, kind, state, summary } };
}

/** Requests the approval of a plan in the transaction in which its session starts to wait; returns the event. */
export async function requestApproval(trx: Transaction<DB>, run: Run, plan: string, now: Date): Promise<NewEvent> {
  const id = newId('apr', now.getTime());
  const { approval_timeout_minutes: minutes } = await settingsOf(trx, run.orgId, 'sessions');
  await insertApproval(trx, {
    id,
    org_id: run.orgId,
    session_id: run.id,
    kind: 'plan',
    plan,
    requested_at: now,
    expires_at: new Date(now.getTime() + minutes * 60_000),
  });
  return approvalEvent(id, 'plan', 'pending', plan);
}

interface Closing {
  state: 'denied' | 'expired';
  /** The reason, for readers who look for the decision. */
  note: string;
  /** The actor that ended it; absent if it expired. */
  by?: Pick<Actor['principal'], 'type' | 'id'>;
  now: Date;
  /** True for expired approvals only. */
  overdue?: boolean;
}

/** Closes the pending approvals of a locked session; returns their ids. */
export async function closeApprovals(
  trx: Transaction<DB>,
  sessionId: string,
  { state, note, by, now, overdue = false }: Closing,
): Promise<string[]> {
  const pending = await readPending(trx, sessionId, overdue ? now : undefined);
  for (const { id } of pending)
    await updateApproval(trx, id, {
      state,
      note,
      decided_at: now,
      decided_by_type: by?.type ?? null,
      decided_by_id: by?.id ?? null,
    });
  const events = pending.map(({ id, kind }) => approvalEvent(id, kind, state, note));
  if (events.length > 0) await appendEvents(trx, sessionId, null, events);
  return pending.map(({ id }) => id);
}

/** Lets a session that waited for an approval wait for a message. */
export async function awaitPerson(trx: Transaction<DB>, session: LockedSession, by: Move['by']): Promise<void> {
  await moveSession(trx, session, { event: 'wait', by, tellsWorker: true });
}

/** The number of sessions that one transaction changes. */
const batch = 100;

/** Denies approvals that nobody decided in time; returns the number of their sessions. */
export async function expireApprovals(ctx: Pick<Context, 'db' | 'clock'>): Promise<number> {
  const now = ctx.clock.now();
  let sum = 0;
  for (;;) {
    const count = await ctx.db.transaction((trx) => expireSome(trx, now));
    sum += count;
    if (count < batch) return sum;
  }
}

async function expireSome(trx: Transaction<DB>, now: Date): Promise<number> {
  const sessions = await lockOverdue(trx, now, batch);
  for (const session of sessions) {
    const { id, org_id: orgId } = session;
    const note = 'Nobody decided in time.';
    // It may have been decided before the session was locked.
    const expired = await closeApprovals(trx, id, { state: 'expired', note, now, overdue: true });
    if (expired.length > 0) await awaitPerson(trx, session, bySystem);
    for (const approval of expired) {
      const fact: AuditFact = { action: 'approval.expire', resource: { type: 'approval', id: approval } };
      await recordSystemAct(trx, orgId, 'upkeep', { ...fact, changes: { session_id: id } }, now);
    }
  }
  return sessions.length;
}
