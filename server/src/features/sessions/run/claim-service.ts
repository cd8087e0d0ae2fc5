import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { takeAdmitted } from '../dispatch/dispatch-service.ts';
import { claimSession, listGoingOn, type Before, type Claim, type Claimer } from '../store/dispatch-store.ts';
import type { Run } from '../store/run.ts';
import { leaseMs as usualLeaseMs } from '../store/run-store.ts';
import { inTurn, listToBegin, noteServed, someMayBegin, type Look } from '../store/turns-store.ts';

type ClaimContext = Pick<Context, 'db' | 'clock'>;

export interface ClaimedRun extends Run {
  /** How many attempts in a row came to nothing since its last progress: their workers were lost, or gave them up. */
  readonly losses: number;
  readonly before: Before;
}

/**
 * Takes a session with the next fencing token; undefined when it needs no worker, has one, or is not admitted: then it
 * waits in a line, or has failed. What another worker has not given back is for one that `takesOver`.
 */
export async function claim(
  ctx: ClaimContext,
  id: string,
  owner: string,
  { takesOver = true, leaseMs = usualLeaseMs }: Partial<Claimer> = {},
): Promise<ClaimedRun | undefined> {
  const claimer = { owner, takesOver, leaseMs };
  const now = ctx.clock.now();
  const answer = await claimSession(ctx.db, id, claimer, now);
  const claimed =
    answer === 'limited' ? await ctx.db.transaction((trx) => takeAdmitted(trx, id, claimer, now)) : answer;
  return claimed && runOf(claimed);
}

/**
 * Takes the session that is next to begin, of all that wait but those in `except`; undefined when there is none. Which one
 * that is, {@link listToBegin} says; two workers decide it one after the other, so it is exact.
 */
export async function claimNext(
  ctx: ClaimContext,
  owner: string,
  { takesOver = true, leaseMs = usualLeaseMs, except = [] }: Partial<Claimer> & { except?: readonly string[] } = {},
): Promise<ClaimedRun | undefined> {
  const locked = [...except];
  const refused = new Set<string>();
  for (;;) {
    const look: Look = { limit: 1, now: ctx.clock.now(), takesOver, except: locked, last: [...refused] };
    // Idle workers do not wait for each other.
    if (!(await someMayBegin(ctx.db, look.now))) return undefined;
    const tried = await inTurn(ctx.db, (trx) => beginNext(trx, look, { owner, takesOver, leaseMs }));
    if (tried === undefined) return undefined;
    if (tried.outcome === 'begins') return runOf(tried.claim);
    if (tried.outcome === 'locked') locked.push(tried.id);
    // Its limits let it not begin: whatever else waits in its organization does not hold others up.
    else refused.add(tried.orgId);
  }
}

type Tried =
  | { outcome: 'begins'; claim: Claim }
  | { outcome: 'locked'; id: string }
  | { outcome: 'refused'; orgId: string };

async function beginNext(trx: Transaction<DB>, look: Look, claimer: Claimer): Promise<Tried | undefined> {
  const [next] = await listToBegin(trx, look);
  if (next === undefined) return undefined;
  const answer = await claimSession(trx, next.id, claimer, look.now);
  if (answer === undefined) return { outcome: 'locked', id: next.id };
  const claimed = answer === 'limited' ? await takeAdmitted(trx, next.id, claimer, look.now) : answer;
  if (claimed === undefined) return { outcome: 'refused', orgId: next.org_id };
  await noteServed(trx, next.org_id);
  return { outcome: 'begins', claim: claimed };
}

function runOf({ id, org_id: orgId, fence, losses, before }: Claim): ClaimedRun {
  return { id, orgId, fence, losses, before };
}

/**
 * Sessions that have begun and have no worker any more, each once, as long as more than none are wanted: some may be held
 * by their transactions, others are behind them.
 */
export async function* goingOnOneByOne(
  ctx: ClaimContext,
  wanted: () => number,
  takesOver: boolean,
): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (let limit = wanted(); limit > 0; limit = wanted()) {
    const fresh = (await listGoingOn(ctx.db, limit, takesOver)).filter((id) => !seen.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) {
      seen.add(id);
      yield id;
    }
  }
}
