import type { Context } from '../../../app/context.ts';
import { organizationSlug } from '../../organizations/service.ts';
import {
  changeRequestNews,
  openAtProvider,
  recordOpened,
  type OpenChangeRequest,
} from '../../repositories/open-change-request.ts';
import type { Provider } from '../../../lib/providers.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { appendIn, holds, inFence, LeaseLost, type Run, type RunContext } from './run-service.ts';
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

export type Delivery = Omit<OpenChangeRequest, 'orgId' | 'sessionId'> & { provider: Provider; repo: string };

/** Opens the change request of a pushed branch, or brings the open one up to date, with its event. Throws {@link LeaseLost}. */
export async function deliverChangeRequest(
  ctx: RunContext & Pick<Context, 'baseUrl' | 'sourceControl'>,
  run: Run,
  input: Delivery,
) {
  // The provider does not know the fence: an attempt that was overtaken asks it for nothing.
  if (!(await holds(ctx, run))) throw new LeaseLost(run.id);
  const opened = await openAtProvider(ctx, { ...input, orgId: run.orgId, sessionId: run.id });
  return ctx.db.transaction(async (trx) => {
    // The change request is locked before the session, as by whoever merges it meanwhile; the event names the fence.
    const row = await recordOpened(trx, opened, ctx.clock.now());
    const slug = await organizationSlug(trx, run.orgId);
    const data = changeRequestNews(ctx, slug, input, row);
    await appendIn(trx, run, [{ kind: 'change_request', phase: 'deliver', data }]);
    return { number: row.number, url: data.url, created: opened.created };
  });
}
