import type { Context } from '../../../app/context.ts';
import { organizationSlug } from '../../organizations/service.ts';
import {
  changeRequestNews,
  openChangeRequest,
  type OpenChangeRequest,
} from '../../repositories/open-change-request.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { appendIn, inFence, type Run, type RunContext } from './run-service.ts';
import type { StoredRepository } from '../schemas/session-schemas.ts';

/** Notes that a branch was pushed, with its event; `repositories` hold the commit. Throws {@link LeaseLost}. */
export async function recordPush(
  ctx: RunContext,
  run: Run,
  repositories: readonly StoredRepository[],
  pushed: Extract<NewEvent, { kind: 'branch_pushed' }>['data'],
): Promise<void> {
  await inFence(ctx, run, { repositories: JSON.stringify(repositories) }, [
    { kind: 'branch_pushed', phase: 'deliver', data: pushed },
  ]);
}

export type Delivery = Omit<OpenChangeRequest, 'orgId' | 'sessionId' | 'now'> & { provider: 'local'; repo: string };

/** Opens the change request of a pushed branch, or brings the open one up to date, with its event. Throws {@link LeaseLost}. */
export async function deliverChangeRequest(ctx: RunContext & Pick<Context, 'baseUrl'>, run: Run, input: Delivery) {
  return ctx.db.transaction(async (trx) => {
    // The change request is locked before the session, as by whoever merges it meanwhile; the event names the fence.
    const { row, created } = await openChangeRequest(trx, {
      ...input,
      orgId: run.orgId,
      sessionId: run.id,
      now: ctx.clock.now(),
    });
    const slug = await organizationSlug(trx, run.orgId);
    const data = changeRequestNews(ctx, slug, input, row);
    await appendIn(trx, run, [{ kind: 'change_request', phase: 'deliver', data }]);
    return { number: row.number, url: data.url, created };
  });
}
