import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import {
  admitToGroups,
  extendSandboxTime,
  queuesInUse,
  recheckMs,
  type Admission,
  type Candidate,
} from '../../groups/admission-service.ts';
import { toMillionth } from '../../../lib/rounded.ts';
import { admitDispatch } from '../../guardrails/public.ts';
import {
  countDispatched,
  dispatchWarm,
  insertQueue,
  lockCapacity,
  lockClaimable,
  lockWarm,
  markDispatched,
  takeSession,
  type Claim,
  type Claimer,
  type Limited,
} from '../store/dispatch-store.ts';
import { endFailed } from './final-end-service.ts';
import { LeaseLost, type Run } from '../store/run.ts';
import { lockRun } from '../store/run-store.ts';
import { markServed, shareOf } from '../store/share-store.ts';
import { dispatchUnopposed, listStartable, withStartLock } from '../store/turns-store.ts';
import { concurrencyOf } from './capacity-service.ts';
import { explainLimit, findSpentBudget, type PeriodLimit } from './limit-service.ts';
import { bySystem, moveSession } from '../store/transition-store.ts';

type DispatchContext = Pick<Context, 'db' | 'clock'>;

/** Claims a session to which limits apply. Undefined if it is not available or not admitted. */
export async function takeAdmitted(
  trx: Transaction<DB>,
  id: string,
  claimer: Claimer,
  now: Date,
): Promise<Claim | undefined> {
  const session = await lockClaimable(trx, id, claimer, now);
  if (session === undefined || (await admit(trx, session, now)) === undefined) return undefined;
  return takeSession(trx, id, claimer);
}

/**
 * Dispatches a session whose worker kept it for another turn, and returns if groups count it. `not_its_turn`, without
 * any change, if an organization with a smaller share of the places waits. Undefined if it is not admitted: the worker then
 * loses it.
 */
export async function admitWarm(
  ctx: DispatchContext,
  run: Run,
): Promise<{ inGroups: boolean } | 'not_its_turn' | undefined> {
  // If no session waits, fairness does not matter.
  if (await dispatchUnopposed(ctx.db, run.id, run.fence, ctx.clock.now())) return { inGroups: false };
  return withStartLock(ctx.db, async (trx) => {
    const now = ctx.clock.now();
    const [next] = await listStartable(trx, { limit: 1, now, takesOver: false });
    if (next !== undefined && next.share < (await shareOf(trx, run.orgId))) return 'not_its_turn';
    if (await dispatchWarm(trx, run.id, run.fence)) return { inGroups: false };
    const admitted = await admitLimited(trx, run, now);
    if (admitted !== undefined) await markServed(trx, run.orgId);
    return admitted;
  });
}

async function admitLimited(trx: Transaction<DB>, run: Run, now: Date): Promise<{ inGroups: boolean } | undefined> {
  const session = await lockWarm(trx, run.id, run.fence);
  return session === undefined ? undefined : admit(trx, session, now);
}

/**
 * Reserves sandbox time for the next step of a session, if a group limits it; undefined if none does. Throws {@link
 * LeaseLost}.
 */
export async function holdSandboxTime(ctx: DispatchContext, run: Run) {
  return ctx.db.transaction(async (trx) => {
    if ((await lockRun(trx, run.id, run.fence)) === undefined) throw new LeaseLost(run.id);
    return extendSandboxTime(trx, run.id);
  });
}

/** Admits a session; undefined if it has to wait, is suspended, or failed. */
async function admit(trx: Transaction<DB>, session: Limited, now: Date): Promise<{ inGroups: boolean } | undefined> {
  const candidate = {
    id: session.id,
    orgId: session.org_id,
    personId: session.person_id,
    waitsFor: session.waits_for,
  };
  const guarded = await admitDispatch(trx, { id: session.id, orgId: session.org_id, origin: session.origin }, now);
  if (guarded.outcome === 'refused') {
    await fail(trx, session, { code: 'guardrail_blocked', message: guarded.message, detail: 'guardrail' }, now);
    return undefined;
  }
  if (guarded.outcome === 'waits') {
    await wait(trx, session, { ...guarded, wakeAt: new Date(now.getTime() + recheckMs) }, 'capacity');
    return undefined;
  }
  const spent = await findSpentBudget(trx, session.org_id, now);
  if (spent !== undefined) {
    await setAside(trx, session, spent);
    return undefined;
  }
  const full = await capacityQueue(trx, candidate);
  const admission: Admission =
    full === undefined
      ? await admitToGroups(trx, candidate, now)
      : { outcome: 'waits', queue: full.queue, wakeAt: full.isNew ? undefined : new Date(now.getTime() + recheckMs) };
  switch (admission.outcome) {
    case 'admitted':
      await markDispatched(trx, session.id, admission.inGroups);
      return { inGroups: admission.inGroups };
    case 'waits':
      await wait(trx, session, admission, full === undefined ? 'group_limit' : 'capacity');
      return undefined;
    case 'refused':
      await fail(trx, session, { code: 'budget_exceeded', message: admission.message, detail: 'budget_reached' }, now);
      return undefined;
  }
}

/**
 * Returns the queue that a session must join because too many run at once, of the organization or of a member with the
 * role `regular`. `isNew` if it only goes behind those that already wait.
 */
async function capacityQueue(
  trx: Transaction<DB>,
  { orgId, personId, waitsFor }: Candidate,
): Promise<{ queue: string; isNew: boolean } | undefined> {
  if (!(await lockCapacity(trx, orgId))) return undefined;
  const { most, mostOwn } = await concurrencyOf(trx, orgId, personId);
  if (most === 0 && mostOwn === 0) return undefined;
  const personal = `${orgId}/${personId}`;
  const isRegular = mostOwn > 0;
  const waiting = waitsFor === '' ? await queuesInUse(trx, isRegular ? [orgId, personal] : [orgId]) : [];
  if (most > 0 && waiting.includes(orgId)) return { queue: orgId, isNew: true };
  if (isRegular && waiting.includes(personal)) return { queue: personal, isNew: true };
  if (most > 0 && (await countDispatched(trx, orgId)) >= most) return { queue: orgId, isNew: false };
  if (isRegular && (await countDispatched(trx, orgId, personId)) >= mostOwn) return { queue: personal, isNew: false };
  return undefined;
}

/** Puts a session into a queue. */
async function wait(
  trx: Transaction<DB>,
  session: Limited,
  { queue, wakeAt }: Pick<Extract<Admission, { outcome: 'waits' }>, 'queue' | 'wakeAt'>,
  detail: 'group_limit' | 'capacity',
): Promise<void> {
  await insertQueue(trx, session.org_id, queue, wakeAt);
  await moveSession(trx, session, { event: 'hold', by: bySystem, detail, change: { waits_for: queue } });
}

/** Suspends a session before it gets a sandbox, because the organization's budget is spent. */
async function setAside(trx: Transaction<DB>, session: Limited, spent: PeriodLimit): Promise<void> {
  const { limit, used, allowed } = spent;
  await moveSession(trx, session, {
    event: 'set_aside',
    by: bySystem,
    change: { waits_for: '' },
    events: [
      { kind: 'warning', data: { code: 'budget_exceeded', message: explainLimit(spent) } },
      { kind: 'budget', data: { limit, used: toMillionth(used), allowed } },
    ],
  });
}

/** Fails a session that a group or a guardrail does not allow to start. With a checkpoint it can continue on another day. */
async function fail(
  trx: Transaction<DB>,
  session: Limited,
  { code, message, detail }: { code: string; message: string; detail: 'budget_reached' | 'guardrail' },
  now: Date,
): Promise<void> {
  const withdrawn = await endFailed(trx, session.id);
  const error = { code, message };
  const change = { error: JSON.stringify(error), waits_for: '', ended_at: now };
  await moveSession(trx, session, {
    event: 'refuse',
    by: bySystem,
    detail,
    change,
    events: [...withdrawn, { kind: 'error', data: error }],
  });
}
