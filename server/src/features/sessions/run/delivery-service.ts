import type { Context } from '../../../app/context.ts';
import { endAutoMergeOn } from '../../repositories/public.ts';
import { whileOpening } from '../../guardrails/public.ts';
import { organizationSlug } from '../../../db/organization-slug.ts';
import {
  changeRequestNews,
  openAtProvider,
  recordOpened,
  updateAtProvider,
  type OpenChangeRequest,
  type OpenedChangeRequest,
} from '../../repositories/open-change-request.ts';
import { publish } from '../../../outbox/publish.ts';
import { consoleUrl } from '../../../lib/console-url.ts';
import type { Provider } from '../../../lib/providers.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { writeDeliveredBody } from '../store/delivered-body-store.ts';
import { appendIn, holds, inFence, LeaseLost, type Run, type RunContext } from './run-service.ts';
import type { StoredRepository } from '../schemas/session-schemas.ts';

/**
 * Records a pushed branch, with its event; `repositories` contain the commit, and `body` describes a change request for it, if
 * there is one. Throws {@link LeaseLost}.
 */
export async function recordPush(
  ctx: RunContext,
  run: Run,
  delivered: { repositories: readonly StoredRepository[]; repositoryId: string; body: string | undefined },
  pushed: Extract<NewEvent, { kind: 'branch_pushed' }>['data'],
): Promise<void> {
  const { repositories, repositoryId, body } = delivered;
  await inFence(
    ctx,
    run,
    { repositories: JSON.stringify(repositories) },
    [{ kind: 'branch_pushed', phase: 'deliver', data: pushed }],
    (trx) => writeDeliveredBody(trx, { sessionId: run.id, repositoryId }, body),
  );
}

/**
 * Keeps the host from merging by itself the open change request of a branch that is about to change, or that has work which may
 * not arrive. Throws ProviderError, and {@link LeaseLost}.
 */
export async function holdAutoMerge(
  ctx: RunContext & Pick<Context, 'sourceControl'>,
  run: Run,
  { repositoryId, branch }: { repositoryId: string; branch: string },
): Promise<void> {
  if (!(await holds(ctx, run))) throw new LeaseLost(run.id);
  await endAutoMergeOn(ctx, { orgId: run.orgId, repositoryId, headRef: branch });
}

/** Returns the address of the run's session in the console. */
export async function sessionAddress(ctx: Pick<Context, 'db' | 'baseUrl'>, { id, orgId }: Run): Promise<string> {
  return `${consoleUrl(ctx, await organizationSlug(ctx.db.kysely, orgId))}/sessions/${id}`;
}

export type Delivery = Omit<OpenChangeRequest, 'orgId' | 'sessionId'> & {
  provider: Provider;
  repo: string;
  body: string;
};

/**
 * Opens the change request of a pushed branch, or updates the open one, with its event. Throws {@link LeaseLost}, and
 * `GuardrailBlocked` if too many are open.
 */
export async function deliverChangeRequest(
  ctx: RunContext & Pick<Context, 'baseUrl' | 'sourceControl'>,
  run: Run,
  input: Delivery,
) {
  // The provider does not check fencing tokens, so a superseded attempt must not call it.
  if (!(await holds(ctx, run))) throw new LeaseLost(run.id);
  const { repositoryId, headRef } = input;
  const repository = { id: repositoryId, provider: input.provider, repo: input.repo };
  return whileOpening(ctx, run.orgId, { repository, headRef }, () => open(ctx, run, input));
}

async function open(ctx: RunContext & Pick<Context, 'baseUrl' | 'sourceControl'>, run: Run, input: Delivery) {
  const opened = await openAtProvider(ctx, { ...input, orgId: run.orgId, sessionId: run.id });
  return record(ctx, run, input, opened);
}

/**
 * Updates the open change request of a pushed branch, with its event. Returns undefined if none is open: another one is not
 * opened. Throws {@link LeaseLost}.
 */
export async function updateDelivered(
  ctx: RunContext & Pick<Context, 'baseUrl' | 'sourceControl'>,
  run: Run,
  input: Delivery,
) {
  if (!(await holds(ctx, run))) throw new LeaseLost(run.id);
  const updated = await updateAtProvider(ctx, { ...input, orgId: run.orgId, sessionId: run.id });
  return updated && record(ctx, run, input, updated);
}

async function record(
  ctx: RunContext & Pick<Context, 'baseUrl'>,
  run: Run,
  input: Delivery,
  opened: OpenedChangeRequest,
) {
  return ctx.db.transaction(async (trx) => {
    // The change request is locked before the session, in the same order as a merge; the event checks the fencing
    // token.
    const row = await recordOpened(trx, opened, ctx.clock.now());
    const slug = await organizationSlug(trx, run.orgId);
    const data = changeRequestNews(ctx, slug, input, row);
    await appendIn(trx, run, [{ kind: 'change_request', phase: 'deliver', data }]);
    await publish(trx, {
      orgId: run.orgId,
      type: opened.created ? 'change_request.opened' : 'change_request.updated',
      resource: { type: 'change_request', id: row.id },
      actor: { type: 'session', id: run.id },
    });
    return { number: row.number, url: data.url, created: opened.created };
  });
}
