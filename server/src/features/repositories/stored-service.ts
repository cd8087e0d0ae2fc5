import type { ProviderChangeRequest } from '../../adapters/source-control/port.ts';
import type { Context } from '../../app/context.ts';
import { publish } from '../../outbox/publish.ts';
import { organizationSlug } from '../../db/organization-slug.ts';
import { builtInProvider } from '../../lib/providers.ts';
import { openOnBranches, readChangeRequest, type ChangeRequestRow } from './change-request-store.ts';
import { extentOf } from './extent.ts';
import { changeRequestNews, recordOpened, refOf } from './open-change-request.ts';
import { isReviewed } from './reviewed-store.ts';
import { refresh, type RefreshContext } from './refresh-service.ts';
import { repositoryById, type RepositoryRow } from './service.ts';

export type StoredContext = RefreshContext & Pick<Context, 'clock'>;

/**
 * Records what the host of a change request says now, and publishes `change_request.updated` for a new head commit. One that is
 * not recorded yet is recorded if the repository's change requests are reviewed.
 */
export async function refreshStored(
  ctx: StoredContext,
  orgId: string,
  repositoryId: string,
  number: number,
): Promise<void> {
  const repository = await repositoryById(ctx, orgId, repositoryId);
  if (repository === undefined || repository.provider === builtInProvider) return;
  const before = await readChangeRequest(ctx.db.kysely, orgId, repositoryId, number);
  if (before === undefined) return adopt(ctx, orgId, repository, number);
  const slug = await organizationSlug(ctx.db.kysely, orgId);
  const row = await refresh(ctx, { id: orgId, slug }, repository, before);
  if (row.head_sha !== before.head_sha && row.state === 'open')
    await announce(ctx, orgId, repository, row, 'change_request.updated');
}

/** Records a change request that somebody opened at the host. */
async function adopt(ctx: StoredContext, orgId: string, repository: RepositoryRow, number: number): Promise<void> {
  if (!(await isReviewed(ctx.db.kysely, orgId, repository.id))) return;
  const said = await ctx.sourceControl.of(repository.provider).changeRequest(refOf(orgId, repository), number);
  if (said?.state !== 'open') return;
  // The same branch name in a fork.
  const others = await openOnBranches(ctx.db.kysely, orgId, repository.id, [said.headRef]);
  if (others.length > 0) return;
  await recordForeign(ctx, orgId, repository, said);
}

/** Records a change request that no session opened, and publishes `change_request.opened`. */
export async function recordForeign(
  ctx: StoredContext,
  orgId: string,
  repository: RepositoryRow,
  said: ProviderChangeRequest,
): Promise<ChangeRequestRow> {
  const extent = await extentOf(ctx, orgId, repository, said.baseRef, said.headSha);
  const input = {
    orgId,
    repositoryId: repository.id,
    headRef: said.headRef,
    headSha: said.headSha,
    baseRef: said.baseRef,
    baseSha: extent.base_sha,
    additions: extent.additions,
    deletions: extent.deletions,
    changedFiles: extent.changed_files,
    title: said.title,
    body: said.body,
    draft: said.draft,
    author: { type: 'system' as const, id: '' },
    sessionId: '',
  };
  const row = await ctx.db.transaction((trx) =>
    recordOpened(trx, { input: { ...input, evidence: [] }, said, created: true }, ctx.clock.now()),
  );
  await announce(ctx, orgId, repository, row, 'change_request.opened');
  return row;
}

async function announce(
  ctx: StoredContext,
  orgId: string,
  repository: RepositoryRow,
  row: ChangeRequestRow,
  type: 'change_request.opened' | 'change_request.updated',
): Promise<void> {
  const slug = await organizationSlug(ctx.db.kysely, orgId);
  const data = { ...changeRequestNews(ctx, slug, repository, row), session_id: row.session_id };
  const resource = { type: 'change_request', id: row.id };
  await ctx.db.transaction((trx) => publish(trx, { orgId, type, resource, actor: { type: 'system', id: '' }, data }));
}
