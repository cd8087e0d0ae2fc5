import type { Transaction, UpdateObject } from 'kysely';
import type { Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { AuditVerb } from '../../../lib/names.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { requireAdmission } from '../../groups/admission-service.ts';
import { dropSessionSecrets, requireSteering } from '../../secrets/public.ts';
import { requireStorageForWork } from '../../storage/quota-service.ts';
import { closeApprovals } from '../run/approval-state-service.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { withdrawQueued } from '../dispatch/final-end-service.ts';
import { stopWork } from '../run/open-event-service.ts';
import { latestCheckpoints } from '../store/run-store.ts';
import type { SessionStatus } from '../schemas/session-schemas.ts';
import { requireRaised } from './raised-service.ts';
import { sessionIn, type SessionContext } from './service.ts';
import { lockSession, notifyControl, updateSessionRow } from '../store/session-store.ts';
import { moveSession } from '../store/transition-store.ts';
import { findTransition, isActive, type SessionEvent } from '../store/transitions.ts';

type Locked = NonNullable<Awaited<ReturnType<typeof lockSession>>>;
/** The changes of an action; undefined if the requested state already holds. */
type Decision =
  | {
      /** The event that changes the status; absent if the status stays. */
      event?: SessionEvent;
      change?: UpdateObject<DB, 'sessions'>;
      /** Events that the log gets before the status. */
      events?: readonly NewEvent[];
    }
  | undefined;

type ActionContext = SessionContext & Pick<Context, 'config'>;

const ended: ReadonlySet<SessionStatus> = new Set(['completed', 'failed', 'canceled']);

/** Ends the turn: the agent stops within a second, and the session waits for a message. */
export async function interruptSession(ctx: ActionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'interrupt', (session) => {
    if (session.status === 'waiting') return undefined;
    if (session.status !== 'running') throw invalid('interrupt', session.status);
    return { change: { interrupt_requested: true } };
  });
}

/** Ends the session permanently. The fencing token changes, so that all further writes of its worker are rejected. */
export async function cancelSession(ctx: ActionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'cancel', async (session, now, trx) => {
    if (session.status === 'canceled') return undefined;
    requireEvent(session, 'cancel');
    // With a checkpoint it can be forked: then its values must be known, to mask them.
    if ((await latestCheckpoints(trx, id)).length === 0) await dropSessionSecrets(trx, id);
    const { phases, events } = await stopWork(trx, session, 'The session was canceled.', now);
    const withdrawn = await withdrawQueued(trx, id);
    const change = { phases: JSON.stringify(phases), ended_at: now };
    return { event: 'cancel', change, events: [...events, ...withdrawn] };
  });
}

/** Suspends the session with a checkpoint; a message or {@link resumeSession} continues it. */
export async function suspendSession(ctx: ActionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'suspend', (session) => {
    if (session.status === 'suspended') return undefined;
    if (session.status === 'running') return { change: { suspend_requested: true } };
    if (session.status !== 'waiting') throw invalid('suspend', session.status);
    // Nothing is running; a worker with a warm sandbox loses it with the fencing token.
    return { event: 'suspend' };
  });
}

/** Queues a session that is suspended, completed, or failed with a checkpoint, without a new message. */
export async function resumeSession(ctx: ActionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'resume', async (session, now, trx) => {
    await requireSteering(trx, caller.organization.id, caller.principal, session);
    if (isActive(session.status)) return undefined;
    requireEvent(session, 'resume');
    if (session.status === 'failed' && (await latestCheckpoints(trx, id)).length === 0)
      throw new AppError('session_terminal', 'The session failed before its first checkpoint; start another one.');
    await requireRaised(trx, session, now);
    await requireStorageForWork(ctx, trx, caller.organization.id);
    if (session.in_groups)
      await requireAdmission(trx, { id, orgId: caller.organization.id, personId: session.person_id }, now, {
        isNew: false,
      });
    return { event: 'resume', change: { ended_at: null, error: null, archived: false } };
  });
}

export async function archiveSession(ctx: ActionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'archive', (session) => {
    if (session.archived) return undefined;
    if (!ended.has(session.status)) throw invalid('archive', session.status);
    return { change: { archived: true } };
  });
}

export async function unarchiveSession(ctx: ActionContext, caller: Caller, id: string) {
  return act(ctx, caller, id, 'unarchive', (session) =>
    session.archived ? { change: { archived: false } } : undefined,
  );
}

async function act(
  ctx: ActionContext,
  caller: Caller,
  id: string,
  action: AuditVerb<'session'>,
  decide: (session: Locked, now: Date, trx: Transaction<DB>) => Decision | Promise<Decision>,
) {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const session = await lockSession(trx, orgId, id);
    if (session === undefined) throw notFound('session', id);
    const now = ctx.clock.now();
    const decision = await decide(session, now, trx);
    if (decision !== undefined) {
      const { event, change = {}, events = [] } = decision;
      if (event === undefined) await updateSessionRow(trx, id, { ...change, updated_at: now });
      else {
        // Whatever changes the state, the plan's approval is no longer needed.
        const note = `The session was ${participles[action] ?? action}.`;
        await closeApprovals(trx, id, { state: 'denied', note, by: caller.principal, now });
        await moveSession(trx, session, { event, by: caller.principal, change, events });
      }
      await notifyControl(trx, id);
      audit({ action: `session.${action}`, resource: { type: 'session', id } });
    }
    return sessionIn(ctx, caller, trx, id);
  });
}

const participles: Readonly<Record<string, string>> = {
  interrupt: 'interrupted',
  suspend: 'suspended',
  resume: 'resumed',
  cancel: 'canceled',
  archive: 'archived',
};

function requireEvent({ status }: Locked, event: SessionEvent): void {
  if (findTransition(status, event) === undefined) throw invalid(event, status);
}

function invalid(action: string, status: SessionStatus): AppError {
  const problem = `A session that is ${status} cannot be ${participles[action] ?? action}.`;
  return new AppError('invalid_transition', `${problem}${wayOut(action, status)}`);
}

function wayOut(action: string, status: SessionStatus): string {
  if (action === 'archive') return ' Cancel it, or wait for its end.';
  if (action !== 'resume') return '';
  return status === 'waiting' ? ' Send it a message.' : ' Fork it from a checkpoint, or start another one.';
}
