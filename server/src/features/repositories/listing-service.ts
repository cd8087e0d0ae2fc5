import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { Found, PathPlace } from '../../git/listings.ts';
import { isObjectId } from '../../git/names.ts';
import { decodeCursor, encodeCursor } from '../../lib/cursor.ts';
import { fieldError } from '../../lib/field-error.ts';
import type { Page, PageQuery } from '../../lib/paging.ts';
import { refOf } from './open-change-request.ts';
import { requireRepository, type RepositoryRow } from './service.ts';
import { listingTurns } from './turns.ts';

type ListingContext = Pick<Context, 'db' | 'sourceControl'>;

/** Lists the branches of a repository by name. */
export async function listBranches(
  ctx: ListingContext,
  caller: Actor,
  id: string,
  query: PageQuery & { search?: string },
) {
  const { repository, source, ref } = await opened(ctx, caller, id);
  const { search = '', first: limit = 50 } = query;
  const cursor = cursorOf('branches', { id, search }, query);
  const after = cursor.position === undefined ? undefined : Buffer.from(cursor.position, 'hex').toString('utf8');
  const found = await listingTurns.run(caller.organization.id, () =>
    source.findBranches(ref, { search, after, limit }),
  );
  return cursor.page(
    found,
    ({ name, sha }) => ({ name, commit: sha, is_default: name === repository.default_branch }),
    ({ name }) => Buffer.from(name).toString('hex'),
  );
}

/** Lists the paths of the files at a ref, by default of the default branch. All pages are of the first one's commit. */
export async function listFiles(
  ctx: ListingContext,
  caller: Actor,
  id: string,
  query: PageQuery & { q?: string; ref?: string },
) {
  const { repository, source, ref } = await opened(ctx, caller, id);
  const { q: search = '', first: limit = 50 } = query;
  const cursor = cursorOf('repository_files', { id, search, ref: query.ref }, query);
  const [from, after] = cursor.position === undefined ? [undefined, undefined] : placeIn(cursor.position);
  const found = await listingTurns.run(caller.organization.id, async () => {
    const commit = await source.resolve(ref, from ?? query.ref ?? `refs/heads/${repository.default_branch}`);
    return commit === undefined
      ? undefined
      : { commit, ...(await source.findPaths(ref, commit, { search, after, limit })) };
  });
  if (found === undefined) {
    if (from !== undefined) throw stale();
    // The repository is empty, or its default branch was deleted.
    if (query.ref === undefined) return { items: [], end_cursor: '', has_next_page: false, total: 0 };
    throw fieldError('/ref', `: the repository has no branch, tag or commit ${JSON.stringify(query.ref)}.`);
  }
  return cursor.page(
    found,
    ({ path }) => ({ path }),
    ({ place: { rank, index } }) => `${found.commit}_${rank}_${index}`,
  );
}

async function opened(ctx: ListingContext, caller: Actor, id: string) {
  const orgId = caller.organization.id;
  const repository: RepositoryRow = await requireRepository(ctx, orgId, id);
  return { repository, source: ctx.sourceControl.of(repository.provider), ref: refOf(orgId, repository) };
}

/** Reads and writes the cursors of a list that git provides, for which {@link paginate} would run git twice. */
function cursorOf(list: string, filters: Record<string, unknown>, { after = '' }: PageQuery) {
  return {
    position: after === '' ? undefined : decodeCursor(list, filters, after),
    page<T, R>({ items, isMore, total }: Found<T>, show: (item: T) => R, position: (item: T) => string): Page<R> {
      const last = items.at(-1);
      return {
        items: items.map(show),
        end_cursor: last === undefined ? '' : encodeCursor(list, filters, position(last)),
        has_next_page: isMore,
        total,
      };
    },
  };
}

function placeIn(position: string): [commit: string, place: PathPlace] {
  const [commit = '', rank, index = ''] = position.split('_');
  if (!isObjectId(commit) || !/^[01]$/.test(rank ?? '') || !/^\d{1,9}$/.test(index)) throw stale();
  return [commit, { rank: rank === '0' ? 0 : 1, index: Number(index) }];
}

function stale() {
  return fieldError('/after', 'belongs to a commit that does not exist. Start again without a cursor.', {
    code: 'invalid_cursor',
  });
}
