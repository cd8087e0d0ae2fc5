import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { takeAdmitted } from '../dispatch/dispatch-service.ts';
import { claimSession, listOrphaned, type Before, type Claim, type Claimer } from '../store/dispatch-store.ts';
import type { Run } from '../store/run.ts';
import { leaseMs as usualLeaseMs } from '../store/run-store.ts';
import { markServed } from '../store/share-store.ts';
import { withStartLock, listStartable, hasStartable, type Look } from '../store/turns-store.ts';

type ClaimContext = Pick<Context, 'db' | 'clock'>;

export interface ClaimedRun extends Run {
  /** The number of failed attempts in a row since its last progress: lost workers, and attempts that were given up. */
  readonly losses: number;
  readonly before: Before;
}

/**
 * Claims a session with the next fencing token; undefined if it needs no worker, has one, or is not admitted (it then
 * waits in a queue, or failed). With `takesOver` it also claims a session whose worker lost the lease.
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

interface Search extends Partial<Claimer> {
  /** Sessions that are not claimed. */
  except?: readonly string[];
  /** Returns true if the caller has other work: a search that would go on beyond a limit then ends. */
  isWanted?: () => boolean;
}

/**
 * Claims the next session of all that wait; undefined for none. {@link listStartable} defines the order; claims are
 * serialized, so it is exact. Each session that limits do not admit is put into its queue, which may take long.
 */
export async function claimNext(
  ctx: ClaimContext,
  owner: string,
  { takesOver = true, leaseMs = usualLeaseMs, except = [], isWanted = () => false }: Search = {},
): Promise<ClaimedRun | undefined> {
  const locked = [...except];
  const refused = new Set<string>();
  for (;;) {
    const look: Look = { limit: 1, now: ctx.clock.now(), takesOver, except: locked, last: [...refused] };
    // Idle workers do not wait for each other.
    if (!(await hasStartable(ctx.db, look.now))) return undefined;
    const tried = await withStartLock(ctx.db, (trx) => beginNext(trx, look, { owner, takesOver, leaseMs }));
    if (tried === undefined) return undefined;
    if (tried.outcome === 'begins') return runOf(tried.claim);
    if (tried.outcome === 'locked') locked.push(tried.id);
    // Limits prevent it from starting; the rest of its organization must not block others.
    else refused.add(tried.orgId);
    if (tried.outcome === 'refused' && isWanted()) return undefined;
  }
}

type Tried =
  | { outcome: 'begins'; claim: Claim }
  | { outcome: 'locked'; id: string }
  | { outcome: 'refused'; orgId: string };

async function beginNext(trx: Transaction<DB>, look: Look, claimer: Claimer): Promise<Tried | undefined> {
  const [next] = await listStartable(trx, look);
  if (next === undefined) return undefined;
  const answer = await claimSession(trx, next.id, claimer, look.now);
  if (answer === undefined) return { outcome: 'locked', id: next.id };
  const claimed = answer === 'limited' ? await takeAdmitted(trx, next.id, claimer, look.now) : answer;
  if (claimed === undefined) return { outcome: 'refused', orgId: next.org_id };
  await markServed(trx, next.org_id);
  return { outcome: 'begins', claim: claimed };
}

function runOf({ id, org_id: orgId, fence, losses, before }: Claim): ClaimedRun {
  return { id, orgId, fence, losses, before };
}

/**
 * Yields sessions that have started and have no worker, each once, as long as the consumer wants more: some may be
 * locked by other transactions.
 */
export async function* orphanedSessions(
  ctx: ClaimContext,
  wanted: () => number,
  takesOver: boolean,
): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (let limit = wanted(); limit > 0; limit = wanted()) {
    const fresh = (await listOrphaned(ctx.db, limit, takesOver)).filter((id) => !seen.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) {
      seen.add(id);
      yield id;
    }
  }
}
