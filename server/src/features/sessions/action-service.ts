import type { Updateable } from 'kysely';
import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { mutate } from '../audit-logs/mutate.ts';
import { appendEvents, fenceOff } from './run-store.ts';
import type { SessionStatus } from './schemas.ts';
import { sessionIn, type SessionContext } from './service.ts';
import { lockSession, notifyControl, updateSessionRow } from './store.ts';

type Locked = NonNullable<Awaited<ReturnType<typeof lockSession>>>;
/** What an action changes; undefined when what it asks for already holds. */
type Decision = { change: Updateable<DB['sessions']>; status?: SessionStatus } | undefined;

const ended: ReadonlySet<SessionStatus> = new Set(['completed', 'failed', 'canceled']);

/** Ends the turn: the agent stops within a second and the session waits for its person. */
export async function interruptSession(ctx: SessionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'interrupt', (session) => {
    if (session.status === 'waiting') return undefined;
    if (session.status !== 'running') throw invalid('interrupt', session.status);
    return { change: { interrupt_requested: true } };
  });
}

/** Ends the session for good. The fence moves on, so whatever its worker still does is refused. */
export async function cancelSession(ctx: SessionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'cancel', (session, now) => {
    if (session.status === 'canceled') return undefined;
    if (ended.has(session.status)) throw invalid('cancel', session.status);
    const change = {
      status: 'canceled',
      status_detail: 'user_request',
      sandbox_state: 'none',
      lease_owner: '',
      lease_until: null,
      ended_at: now,
    } as const;
    return { change, status: 'canceled' };
  });
}

export async function archiveSession(ctx: SessionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'archive', (session) => {
    if (session.archived) return undefined;
    if (!ended.has(session.status)) throw invalid('archive', session.status);
    return { change: { archived: true } };
  });
}

export async function unarchiveSession(ctx: SessionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'unarchive', (session) =>
    session.archived ? { change: { archived: false } } : undefined,
  );
}

async function act(
  ctx: SessionContext & Pick<Context, 'clock'>,
  caller: Caller,
  id: string,
  action: string,
  decide: (session: Locked, now: Date) => Decision,
) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const session = await lockSession(trx, orgId, id);
    if (session === undefined) throw notFound('session', id);
    const now = ctx.clock.now();
    const decision = decide(session, now);
    if (decision !== undefined) {
      await updateSessionRow(trx, id, { ...decision.change, updated_at: now });
      if (decision.status === 'canceled') {
        await fenceOff(trx, id);
        const data = { status: 'canceled', status_detail: 'user_request', sandbox_state: 'none' } as const;
        await appendEvents(trx, id, null, [{ kind: 'status', data }]);
      }
      await notifyControl(trx, id);
      audit({ action: `session.${action}`, resource: { type: 'session', id } });
    }
    return sessionIn(ctx, caller, trx, id);
  });
}

function invalid(action: string, status: SessionStatus): AppError {
  return new AppError(
    'invalid_transition',
    `A session that is ${status} cannot be ${action === 'cancel' ? 'canceled' : `${action}${action.endsWith('e') ? 'd' : 'ed'}`}.`,
  );
}
