import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import type { RefUpdate } from '../../adapters/source-control/port.ts';
import { mostChanges, TooManyChanges } from '../../git/change-reader.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues } from '../../lib/filters.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import {
  changeRequestsQuery,
  listChangeRequestRows,
  lockChangeRequest,
  openOnBranches,
  readChangeRequest,
  updateChangeRequestRow,
  type ChangeRequestRow,
} from './change-request-store.ts';
import { changeRequestNews, changeRequestUrl } from './open-change-request.ts';
import { requireRepository } from './service.ts';
import { diffTurns, trialTurns } from './turns.ts';

/** What a session hears of a change request that it made. */
interface ChangeRequestNews {
  kind: 'change_request';
  data: ReturnType<typeof changeRequestNews>;
}
/** Tells a session what happened to what it made, in the transaction in which that happens. */
export type TellSession = (trx: Transaction<DB>, sessionId: string, news: ChangeRequestNews) => Promise<void>;

type ChangeRequestContext = Pick<Context, 'db' | 'clock' | 'gitHost' | 'baseUrl'>;

const states = ['open', 'merged', 'closed'] as const;

export async function listChangeRequests(
  ctx: ChangeRequestContext,
  caller: Actor,
  filter: { repositoryId?: string; sessionId?: string },
  query: PageQuery & { state?: string },
) {
  const orgId = caller.organization.id;
  if (filter.repositoryId !== undefined) await requireRepository(ctx, orgId, filter.repositoryId);
  const rows = changeRequestsQuery(ctx.db.kysely, orgId, {
    ...filter,
    states: filterValues('state', query.state, states),
  });
  const page = await paginate({
    list: 'change_requests',
    filters: { ...filter, state: query.state },
    query,
    rows: (after, limit) => listChangeRequestRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: await Promise.all(page.items.map((row) => shape(ctx, caller, row))) };
}

export async function getChangeRequest(ctx: ChangeRequestContext, caller: Actor, repositoryId: string, number: number) {
  return shape(ctx, caller, await requireChangeRequest(ctx, caller.organization.id, repositoryId, number));
}

export async function diffChangeRequest(
  ctx: ChangeRequestContext,
  caller: Actor,
  repositoryId: string,
  number: number,
) {
  const orgId = caller.organization.id;
  const row = await requireChangeRequest(ctx, orgId, repositoryId, number);
  return diffTurns.run(orgId, () => ctx.gitHost.open(orgId, repositoryId).diff(row.base_sha, row.head_sha));
}

/**
 * Merges into the base branch. Throws 409 `change_request_closed` unless it is open, 409 `merge_conflict`. The row is
 * locked while git moves the branch, so two merges of one change request cannot both happen.
 */
export async function mergeChangeRequest(
  ctx: ChangeRequestContext,
  caller: Caller,
  repositoryId: string,
  number: number,
  method: 'merge' | 'squash',
  tellSession: TellSession,
) {
  const orgId = caller.organization.id;
  const repository = await requireRepository(ctx, orgId, repositoryId);
  // The turn comes first: nothing waits for one inside a transaction.
  return diffTurns.run(orgId, () =>
    mutate(ctx, caller, async (trx, audit) => {
      const row = await requireOpen(trx, orgId, repositoryId, number);
      const { principal } = caller;
      const { commit } = await ctx.gitHost.open(orgId, repositoryId).merge({
        baseBranch: row.base_ref,
        headSha: row.head_sha,
        method,
        message: `${row.title} (#${row.number})\n\n${row.body}`.trim(),
        author: { name: principal.name || 'Guildhall', email: principal.email || `${principal.id}@guildhall.invalid` },
      });
      const now = ctx.clock.now();
      const merged = await updateChangeRequestRow(trx, row.id, { state: 'merged', merged_at: now, updated_at: now });
      await tellMaker(merged, changeRequestNews(ctx, caller.organization.slug, repository, merged), trx, tellSession);
      audit({
        action: 'change_request.merge',
        resource: { type: 'change_request', id: row.id },
        changes: { method, commit },
      });
      return shape(ctx, caller, merged);
    }),
  );
}

export async function closeChangeRequest(
  ctx: ChangeRequestContext,
  caller: Caller,
  repositoryId: string,
  number: number,
  tellSession: TellSession,
) {
  const orgId = caller.organization.id;
  const repository = await requireRepository(ctx, orgId, repositoryId);
  return mutate(ctx, caller, async (trx, audit) => {
    const row = await requireOpen(trx, orgId, repositoryId, number);
    const closed = await updateChangeRequestRow(trx, row.id, { state: 'closed', updated_at: ctx.clock.now() });
    await tellMaker(closed, changeRequestNews(ctx, caller.organization.slug, repository, closed), trx, tellSession);
    audit({ action: 'change_request.close', resource: { type: 'change_request', id: row.id } });
    return shape(ctx, caller, closed);
  });
}

/** Tells the session that made a change request how it stands now; its stream is open also when the session has ended. */
async function tellMaker(
  row: ChangeRequestRow,
  data: ChangeRequestNews['data'],
  trx: Transaction<DB>,
  tellSession: TellSession,
): Promise<void> {
  if (row.session_id !== '') await tellSession(trx, row.session_id, { kind: 'change_request', data });
}

/** Brings the open change requests of branches that were just pushed up to date. */
export async function branchesPushed(
  ctx: ChangeRequestContext,
  orgId: string,
  repositoryId: string,
  updates: RefUpdate[],
): Promise<void> {
  const prefix = 'refs/heads/';
  const moved = updates.filter(({ ref, new: sha }) => ref.startsWith(prefix) && !/^0+$/.test(sha));
  if (moved.length === 0) return;
  const hosted = ctx.gitHost.open(orgId, repositoryId);
  const branches = moved.map(({ ref }) => ref.slice(prefix.length));
  for (const { number, head_ref, head_sha, base_ref } of await openOnBranches(
    ctx.db.kysely,
    orgId,
    repositoryId,
    branches,
  )) {
    const head = await hosted.resolve(head_ref);
    if (head === undefined || head === head_sha) continue;
    const extent = await extentOf(hosted, base_ref, head);
    await ctx.db.transaction(async (trx) => {
      // A later push may have been quicker, and it may have been merged meanwhile.
      const row = await lockChangeRequest(trx, orgId, repositoryId, number);
      if (row?.state !== 'open' || (await hosted.resolve(head_ref)) !== head) return;
      await updateChangeRequestRow(trx, row.id, { ...extent, head_sha: head, updated_at: ctx.clock.now() });
    });
  }
}

/** From where to where a change goes, and how large it is. */
export async function extentOf(hosted: ReturnType<Context['gitHost']['open']>, baseRef: string, head: string) {
  const tip = await hosted.resolve(baseRef);
  const base = (tip === undefined ? undefined : await hosted.mergeBase(tip, head)) ?? tip ?? head;
  try {
    const { additions, deletions, files } = await hosted.diff(base, head);
    return { base_sha: base, additions, deletions, changed_files: files.length };
  } catch (error) {
    // The push has happened, and its change request has to say what it is about.
    if (!(error instanceof TooManyChanges)) throw error;
    return { base_sha: base, additions: 0, deletions: 0, changed_files: mostChanges };
  }
}

async function requireOpen(
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
  number: number,
): Promise<ChangeRequestRow> {
  const row = await lockChangeRequest(trx, orgId, repositoryId, number);
  if (row === undefined) throw notFound('change_request', String(number));
  if (row.state !== 'open') throw new AppError('change_request_closed', `Change request ${number} is ${row.state}.`);
  return row;
}

/** Throws 404 `repository_not_found`, `change_request_not_found`. */
export async function requireChangeRequest(
  ctx: Pick<Context, 'db'>,
  orgId: string,
  repositoryId: string,
  number: number,
) {
  await requireRepository(ctx, orgId, repositoryId);
  const row = await readChangeRequest(ctx.db.kysely, orgId, repositoryId, number);
  if (row === undefined) throw notFound('change_request', String(number));
  return row;
}

/** The wire shape of a row. */
export async function shape(ctx: ChangeRequestContext, caller: Pick<Actor, 'organization'>, row: ChangeRequestRow) {
  const { author_type, author_id, repository_id: _, ...rest } = row;
  const { id: orgId, slug } = caller.organization;
  return {
    ...rest,
    author: { type: author_type, id: author_id },
    mergeable: row.state === 'open' && (await merges(ctx, orgId, row)),
    url: changeRequestUrl(ctx, slug, row),
  };
}

/** A merge of two commits has the same outcome for ever, so what was found once is kept. */
const outcomes = new Map<string, Promise<boolean>>();

/** Whether a change would merge into its base as that is now. */
export async function merges(
  ctx: Pick<Context, 'gitHost'>,
  orgId: string,
  row: Pick<ChangeRequestRow, 'repository_id' | 'base_ref' | 'head_sha'>,
): Promise<boolean> {
  const hosted = ctx.gitHost.open(orgId, row.repository_id);
  const base = await hosted.resolve(row.base_ref);
  if (base === undefined) return false;
  const name = `${row.repository_id} ${base} ${row.head_sha}`;
  const known = outcomes.get(name);
  if (known !== undefined) return known;
  const outcome = trialTurns.run(orgId, async () => (await hosted.mergeability(base, row.head_sha)) === 'clean');
  if (outcomes.size >= 10_000) outcomes.clear();
  outcomes.set(name, outcome);
  outcome.catch(() => outcomes.delete(name));
  return outcome;
}
