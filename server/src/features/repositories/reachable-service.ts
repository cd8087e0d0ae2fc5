import type { ReachableRepository } from '../../adapters/source-control/port.ts';
import type { Actor } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { decodeCursor, encodeCursor } from '../../lib/cursor.ts';
import { fieldError } from '../../lib/field-error.ts';
import type { Page, PageQuery } from '../../lib/paging.ts';
import { getConnection } from '../git-connections/service.ts';
import { hostTurns } from './at-host.ts';
import { listRepositories, toApiShape } from './service.ts';
import { repositoriesOfConnection } from './store.ts';

type ReachableContext = Pick<Context, 'db' | 'clock' | 'baseUrl' | 'sourceControl'>;
type Query = PageQuery & { search?: string };

/** Lists the repositories that a connection can reach: as its host says, or else those that are connected. */
export async function listConnectionRepositories(ctx: ReachableContext, caller: Actor, id: string, query: Query) {
  const orgId = caller.organization.id;
  const { provider } = await getConnection(ctx, caller, id);
  const { reachable } = ctx.sourceControl.of(provider);
  if (reachable === undefined) {
    const page = await listRepositories(ctx, caller, query, id);
    const items = page.items.map((one) => ({ ...one, private: true, url: '', repository_id: one.id }));
    return { ...page, items };
  }
  const { search = '', first: limit = 50, after = '' } = query;
  const filters = { orgId, id, search };
  const [seen, page] = placeIn(after === '' ? undefined : decodeCursor('reachable_repositories', filters, after));
  const found = await hostTurns.run(orgId, () => reachable({ orgId, connectionId: id }, { search, page, limit }));
  const items = await withRecords(ctx, caller, id, found.items);
  const count = seen + items.length;
  const isMore = found.next !== '';
  const next = isMore ? `${count}_${Buffer.from(found.next).toString('hex')}` : '';
  const answer: Page<(typeof items)[number]> = {
    items,
    end_cursor: isMore ? encodeCursor('reachable_repositories', filters, next) : '',
    has_next_page: isMore,
    total: isMore ? count + 1 : count,
  };
  return answer;
}

async function withRecords(ctx: ReachableContext, caller: Actor, id: string, items: readonly ReachableRepository[]) {
  const names = items.map(({ repo }) => repo);
  const rows = await repositoriesOfConnection(ctx.db.kysely, caller.organization.id, id, names);
  const byName = new Map(rows.map((row) => [row.repo.toLowerCase(), toApiShape(ctx, caller, row)]));
  return items.map(({ repo, defaultBranch, private: isPrivate, url }) => {
    const record = byName.get(repo.toLowerCase());
    const said = { repo, default_branch: defaultBranch, private: isPrivate, url };
    return { ...record, ...said, repository_id: record?.id ?? '' };
  });
}

/** Returns the number of items before a page, and the host's name for the page. */
function placeIn(position: string | undefined): [seen: number, page: string] {
  if (position === undefined) return [0, ''];
  const [, seen, page] = /^(\d{1,9})_([0-9a-f]+)$/.exec(position) ?? [];
  if (seen === undefined || page === undefined)
    throw fieldError('/after', 'is invalid for this list. Start again without a cursor.', { code: 'invalid_cursor' });
  return [Number(seen), Buffer.from(page, 'hex').toString('utf8')];
}
