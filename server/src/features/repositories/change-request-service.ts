import { setTimeout as delay } from 'node:timers/promises';
import type { RefUpdate } from '../../adapters/source-control/git-host.ts';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { messageOf, notFound } from '../../lib/errors.ts';
import { filterValues, repositoryValues, textValues } from '../../lib/filters.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { fieldError } from '../../lib/field-error.ts';
import { comparableName } from '../../lib/providers.ts';
import { toApiShape } from './change-request-json.ts';
import { followStates } from './change-request-schemas.ts';
import {
  changeRequestsPage,
  changeRequestsQuery,
  lockChangeRequest,
  openOnBranches,
  readChangeRequest,
  updateChangeRequestRow,
  type ChangeRequestFilter,
  type ChangeRequestRow,
} from './change-request-store.ts';
import { extentOf } from './extent.ts';
import { refOf } from './open-change-request.ts';
import { refreshed } from './refresh-service.ts';
import { requireRepository, type RepositoryRow } from './service.ts';
import { settleAbandoned } from './settle-service.ts';
import { repositoryIdsNamed } from './store.ts';
import { diffTurns, trialTurns } from './turns.ts';

export type ChangeRequestContext = Pick<Context, 'db' | 'clock' | 'sourceControl' | 'baseUrl' | 'log'>;
type SourceContext = Pick<Context, 'db' | 'sourceControl'>;

/** The time that a list of all repositories waits for its trial merges. */
const trialsMs = 5_000;
const states = ['open', 'merged', 'closed'] as const;

/** Lists the change requests of a repository or of a session. */
export async function listChangeRequests(
  ctx: ChangeRequestContext,
  caller: Actor,
  filter: { repositoryId?: string; sessionId?: string },
  query: PageQuery & { state?: string },
) {
  const orgId = caller.organization.id;
  if (filter.repositoryId !== undefined) await requireRepository(ctx, orgId, filter.repositoryId);
  const page = await pageOf(ctx, orgId, filter, query, filter);
  return { ...page, items: await Promise.all(page.items.map((row) => shown(ctx, caller, row))) };
}

interface ChangeRequestFilters {
  state?: string;
  repo?: string;
  session_id?: string;
  author?: string;
  follow?: string;
  needs_person?: boolean;
}

/** Lists the change requests of all repositories. */
export async function listAllChangeRequests(
  ctx: ChangeRequestContext,
  caller: Actor,
  query: PageQuery & ChangeRequestFilters,
) {
  const orgId = caller.organization.id;
  const { repo, session_id, author, follow, needs_person } = query;
  const names = repositoryValues('repo', repo).map(comparableName);
  const filter = {
    ...(names.length === 0 ? {} : { repositoryIds: await repositoryIdsNamed(ctx.db.kysely, orgId, names) }),
    sessionIds: textValues('session_id', session_id),
    authorIds: textValues('author', author).map((id) => (id === 'me' ? caller.principal.id : id)),
    follow: needs_person === true ? ['needs_person'] : filterValues('follow', follow, followStates),
  };
  if (needs_person === true && follow !== undefined)
    throw fieldError('/needs_person', (name) => `means the same as ${name('/follow')} and must not be sent with it.`);
  const page = await pageOf(ctx, orgId, filter, query, {
    orgId,
    repo,
    session_id,
    author: filter.authorIds,
    follow: filter.follow,
  });
  const isLate = delay(trialsMs, true, { ref: false });
  return { ...page, items: await Promise.all(page.items.map((row) => shownInTime(ctx, caller, row, isLate))) };
}

async function pageOf(
  ctx: ChangeRequestContext,
  orgId: string,
  filter: ChangeRequestFilter,
  query: PageQuery & { state?: string },
  bound: Record<string, unknown>,
) {
  const rows = changeRequestsQuery(ctx.db.kysely, orgId, {
    ...filter,
    states: filterValues('state', query.state, states),
  });
  await settleAbandoned(ctx, orgId);
  return paginate({
    list: 'change_requests',
    filters: { ...bound, state: query.state },
    query,
    rows: (after, limit) => changeRequestsPage(rows, after, limit).execute(),
    total: () => countRows(ctx.db, rows),
  });
}

export async function getChangeRequest(ctx: ChangeRequestContext, caller: Actor, repositoryId: string, number: number) {
  const orgId = caller.organization.id;
  await settleAbandoned(ctx, orgId);
  return shown(ctx, caller, await requireChangeRequest(ctx, orgId, repositoryId, number));
}

export async function diffChangeRequest(ctx: SourceContext, caller: Actor, repositoryId: string, number: number) {
  const orgId = caller.organization.id;
  const repository = await requireRepository(ctx, orgId, repositoryId);
  const row = await requireChangeRequest(ctx, orgId, repositoryId, number);
  const source = ctx.sourceControl.of(repository.provider);
  return diffTurns.run(orgId, () => source.compare(refOf(orgId, repository), row.base_sha, row.head_sha));
}

/** Updates the open change requests of branches that were just pushed. */
export async function branchesPushed(
  ctx: SourceContext & Pick<Context, 'clock'>,
  orgId: string,
  repositoryId: string,
  updates: RefUpdate[],
): Promise<void> {
  const prefix = 'refs/heads/';
  const moved = updates.filter(({ ref, new: sha }) => ref.startsWith(prefix) && !/^0+$/.test(sha));
  if (moved.length === 0) return;
  const branches = moved.map(({ ref }) => ref.slice(prefix.length));
  const open = await openOnBranches(ctx.db.kysely, orgId, repositoryId, branches);
  if (open.length === 0) return;
  const repository = await requireRepository(ctx, orgId, repositoryId);
  for (const { number } of open) await followBranch(ctx, orgId, repository, number);
}

/** Records the current head of an open change request's branch. Repeats this if another push overtook it. */
async function followBranch(
  ctx: SourceContext & Pick<Context, 'clock'>,
  orgId: string,
  repository: RepositoryRow,
  number: number,
): Promise<void> {
  const source = ctx.sourceControl.of(repository.provider);
  for (;;) {
    const row = await readChangeRequest(ctx.db.kysely, orgId, repository.id, number);
    if (row?.state !== 'open') return;
    const head = await source.branchHead(refOf(orgId, repository), row.head_ref);
    if (head === undefined || head === row.head_sha) return;
    const extent = await extentOf(ctx, orgId, repository, row.base_ref, head);
    await ctx.db.transaction(async (trx) => {
      const locked = await lockChangeRequest(trx, orgId, repository.id, number);
      if (locked?.state !== 'open' || locked.head_sha !== row.head_sha) return;
      await updateChangeRequestRow(trx, orgId, row.id, { ...extent, head_sha: head, updated_at: ctx.clock.now() });
    });
  }
}

/** Throws 404 `repository_not_found`, `change_request_not_found`. */
export async function requireChangeRequest(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  repositoryId: string,
  number: number,
): Promise<ChangeRequestRow> {
  await requireRepository(ctx, orgId, repositoryId);
  const row = await readChangeRequest(ctx.db.kysely, orgId, repositoryId, number);
  if (row === undefined) throw notFound('change_request', String(number));
  return row;
}

async function shown(ctx: ChangeRequestContext, caller: Actor, row: ChangeRequestRow) {
  const orgId = caller.organization.id;
  if (row.state !== 'open') return toApiShape(ctx, caller, row, false);
  const repository = await requireRepository(ctx, orgId, row.repository_id);
  const current = await refreshed(ctx, caller, repository, row);
  if (current.state !== 'open') return toApiShape(ctx, caller, current, false);
  return toApiShape(ctx, caller, current, await merges(ctx, orgId, repository, current));
}

/**
 * Like {@link shown}, but neither a repository that fails nor many trial merges hold up the list: a trial merge continues in
 * the background, and the next request has its outcome.
 */
async function shownInTime(ctx: ChangeRequestContext, caller: Actor, row: ChangeRequestRow, isLate: Promise<boolean>) {
  const known = toApiShape(ctx, caller, row, row.mergeable ?? false);
  const now = shown(ctx, caller, row).catch((error: unknown) => {
    ctx.log.warn({ id: row.id, reason: messageOf(error) }, 'a trial merge failed');
    return known;
  });
  return Promise.race([now, isLate.then(() => known)]);
}

/** Returns true if a change can be merged: as of now if the provider answers at once, else as last reported. */
export async function merges(
  ctx: Pick<Context, 'sourceControl'>,
  orgId: string,
  repository: Pick<RepositoryRow, 'id' | 'connection_id' | 'repo' | 'provider'>,
  row: Pick<ChangeRequestRow, 'base_ref' | 'head_sha' | 'mergeable'>,
): Promise<boolean> {
  const { wouldMerge } = ctx.sourceControl.of(repository.provider);
  if (wouldMerge === undefined) return row.mergeable ?? false;
  return trialTurns.run(orgId, () => wouldMerge(refOf(orgId, repository), row.base_ref, row.head_sha));
}
