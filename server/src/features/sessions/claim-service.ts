import type { Context } from '../../context.ts';
import { claimAdmitted } from './dispatch-service.ts';
import { claimSession, listClaimable, type Before } from './dispatch-store.ts';
import type { Run } from './run.ts';

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
  { takesOver = true } = {},
): Promise<ClaimedRun | undefined> {
  const claimer = { owner, takesOver };
  const answer = await claimSession(ctx.db, id, claimer, ctx.clock.now());
  const claimed = answer === 'limited' ? await claimAdmitted(ctx, id, claimer) : answer;
  if (claimed === undefined) return undefined;
  const { id: sessionId, org_id: orgId, fence, losses, before } = claimed;
  return { id: sessionId, orgId, fence, losses, before };
}

/** Sessions that wait for a worker: a lost notification or a dead worker delays them, and no more. */
export async function claimableSessions(ctx: ClaimContext, limit: number, takesOver = true): Promise<string[]> {
  return listClaimable(ctx.db, limit, takesOver, ctx.clock.now());
}

/** The same, each once, as long as more than none are wanted: where limits keep some waiting, others are behind them. */
export async function* claimableOneByOne(
  ctx: ClaimContext,
  wanted: () => number,
  takesOver: boolean,
): AsyncGenerator<string> {
  const seen = new Set<string>();
  for (let limit = wanted(); limit > 0; limit = wanted()) {
    const fresh = (await claimableSessions(ctx, limit, takesOver)).filter((id) => !seen.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) {
      seen.add(id);
      yield id;
    }
  }
}
