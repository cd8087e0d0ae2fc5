import type { SourceControl } from '../../../adapters/source-control/port.ts';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { grep } from '../../../git/grep.ts';
import { AppError, ProviderError } from '../../../lib/errors.ts';
import { symbolKinds } from '../../../symbols/queries.ts';
import { refOf } from '../open-change-request.ts';
import { requireRepository, type RepositoryRow } from '../service.ts';
import { listingTurns } from '../turns.ts';
import type { SearchKind, SearchQuery } from './schemas.ts';
import { findSymbolRows } from './store.ts';

type SearchContext = Pick<Context, 'db' | 'sourceControl'>;

export interface Found {
  commit: string;
  items: { path: string; line: number; text: string; symbol: FoundSymbol | null }[];
  has_more: boolean;
}

interface FoundSymbol {
  name: string;
  kind: (typeof symbolKinds)[number];
  container: string;
  end_line: number;
}

interface Search {
  orgId: string;
  repository: RepositoryRow;
  wanted: string;
  limit: number;
}

const searches: Record<SearchKind, (ctx: SearchContext, search: Search) => Promise<Found>> = {
  text: searchText,
  path: searchPaths,
  symbol: searchSymbols,
};

/** Finds lines, paths or symbols at the indexed commit, or without an index, but for symbols, at the default branch's tip. */
export async function searchRepository(
  ctx: SearchContext,
  caller: Actor,
  id: string,
  query: SearchQuery,
): Promise<Found> {
  const orgId = caller.organization.id;
  const repository = await requireRepository(ctx, orgId, id);
  return searches[query.kind ?? 'text'](ctx, { orgId, repository, wanted: query.q, limit: query.first ?? 50 });
}

async function searchText(ctx: SearchContext, search: Search): Promise<Found> {
  return atCommit(ctx, search, async (directory, commit) => {
    const { items, isMore } = await grep(directory, commit, search.wanted, search.limit);
    return { commit, items: items.map((item) => ({ ...item, symbol: null })), has_more: isMore };
  });
}

async function searchPaths(ctx: SearchContext, search: Search): Promise<Found> {
  const source = ctx.sourceControl.of(search.repository.provider);
  const ref = refOf(search.orgId, search.repository);
  return atCommit(ctx, search, async (_directory, commit) => {
    const { items, isMore } = await source.findPaths(ref, commit, { search: search.wanted, limit: search.limit });
    const shown = items.map(({ path }) => ({ path, line: 0, text: '', symbol: null }));
    return { commit, items: shown, has_more: isMore };
  });
}

/** Runs git at the commit to search, when it is the organization's turn. */
async function atCommit(
  ctx: SearchContext,
  { orgId, repository }: Search,
  work: (directory: string, commit: string) => Promise<Found>,
): Promise<Found> {
  const source = ctx.sourceControl.of(repository.provider);
  const find = (ref: string): Promise<Found | undefined> => withDirectory(source)(refOf(orgId, repository), ref, work);
  return listingTurns.run(orgId, async () => {
    const indexed = repository.index_commit === '' ? undefined : await find(repository.index_commit);
    // The host may have removed the indexed commit.
    const found = indexed ?? (await find(`refs/heads/${repository.default_branch}`));
    return found ?? { commit: '', items: [], has_more: false };
  });
}

function withDirectory(source: SourceControl): NonNullable<SourceControl['withGitDirectory']> {
  if (source.withGitDirectory !== undefined) return source.withGitDirectory;
  throw new ProviderError(`Repositories of ${source.provider} cannot be searched.`, { retryable: false });
}

/** Finds definitions in a repository's index. Throws 409 `conflict` without one. */
export async function searchSymbols(
  ctx: Pick<Context, 'db'>,
  { repository, wanted, limit }: Omit<Search, 'orgId'>,
): Promise<Found> {
  const { id, index_commit: commit } = repository;
  if (commit === '')
    throw new AppError(
      'conflict',
      'The repository has no index of symbols yet. Create it with PUT …/index, or wait for it.',
    );
  const dot = wanted.lastIndexOf('.');
  const name = likeText(wanted.slice(dot + 1));
  const container = dot < 1 ? '' : `%${likeText(wanted.slice(0, dot))}`;
  const find = (pattern: string) => findSymbolRows(ctx.db.kysely, id, { pattern, container, limit: limit + 1 });
  const first = await find(`${name}%`);
  const rows = first.length > limit ? first : distinct([...first, ...(await find(`%${name}%`))]);
  const items = rows.slice(0, limit).map((row) => ({
    path: row.path,
    line: row.line,
    text: row.signature,
    symbol: {
      name: row.name,
      kind: symbolKinds.find((kind) => kind === row.kind) ?? 'function',
      container: row.container,
      end_line: row.end_line,
    },
  }));
  return { commit, items, has_more: rows.length > limit };
}

type SymbolRows = Awaited<ReturnType<typeof findSymbolRows>>;

function distinct(rows: SymbolRows): SymbolRows {
  return [...new Map(rows.map((row) => [`${row.path}\0${row.line}\0${row.name}`, row])).values()];
}

/** Writes results for a model, one a line. */
export function foundText({
  items,
  has_more,
}: {
  items: readonly Pick<Found['items'][number], 'path' | 'line' | 'text'>[];
  has_more: boolean;
}): string {
  if (items.length === 0) return 'Nothing found.';
  const lines = items.map(({ path, line, text }) => (line === 0 ? path : `${path}:${line}: ${text}`));
  return [...lines, ...(has_more ? ['There are more results; search for something more exact.'] : [])].join('\n');
}

/** Escapes a pattern of LIKE. */
function likeText(text: string): string {
  return text.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`);
}
