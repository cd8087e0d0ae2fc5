import type { Actor } from '../../../caller.ts';
import { countEach, countRows } from '../../../db/count.ts';
import { newestFirst } from '../../../db/page.ts';
import { timeIn } from '../../../lib/cursor.ts';
import { filterValues, repositoryValues, textValues } from '../../../lib/filters.ts';
import { instantOf } from '../../../lib/instant.ts';
import { paginate } from '../../../lib/paging.ts';
import { comparableName } from '../../../lib/providers.ts';
import type { SessionCounts, SessionFilters, SessionQuery } from '../schemas/list-schemas.ts';
import { attentions, origins, statusDetails, statuses, verifications } from '../schemas/session-schemas.ts';
import {
  labelQuery,
  sessionsQuery,
  standingQuery,
  unreadQuery,
  type SessionFilter,
  type SessionsQuery,
  type Standing,
} from '../store/list-store.ts';
import {
  listChangedTexts,
  listOpenSessions,
  listSessionTexts,
  readOpenTotal,
  type SessionText,
} from '../store/wire-store.ts';
import { viewerOf, type SessionContext } from './service.ts';

/** Returns a page of sessions, as JSON text. */
export async function listSessions(ctx: SessionContext, caller: Actor, query: SessionQuery): Promise<string> {
  const orgId = caller.organization.id;
  const viewer = viewerOf(ctx, caller);
  const { first, after, sort = 'created_at', view = 'full', ...given } = query;
  const isPlain = Object.keys(given).length === 0;
  const filter = filterOf(caller, given);
  const rows = sessionsQuery(ctx.db.kysely, orgId, filter);
  const ids = labelQuery(ctx.db.kysely, orgId, filter);
  const halves = query.archived === 'any' ? [false, true].map((one) => rows.where('archived', '=', one)) : [rows];
  let openTotal: number | undefined;
  const { items, ...page } = await paginate<SessionText & { position?: string }>({
    list: 'sessions',
    filters: { ...given, orgId, sort, view, archived: query.archived ?? 'false' },
    query: { first, after },
    position: ({ id, position = id }) => position,
    rows: async (position, limit) => {
      if (sort === 'updated_at') {
        const changed = await listChangedTexts(ctx.db.kysely, halves, viewer, { view, after: timeIn(position), limit });
        return changed.map(({ changed_at, ...row }) => ({ ...row, position: `${changed_at}_${row.id}` }));
      }
      if (!isPlain) {
        const matching = ids === undefined ? rows : rows.where('id', 'in', newestFirst(ids, position, limit));
        return listSessionTexts(matching, viewer, { view, after: position, limit });
      }
      const open = await listOpenSessions(ctx.db, orgId, viewer, { view, after: position, limit });
      openTotal = open[0]?.total;
      return open;
    },
    total: async () => (isPlain ? 0 : countRows(ctx.db, ids ?? rows)),
  });
  const total = isPlain ? (openTotal ?? (await readOpenTotal(ctx.db.kysely, orgId))) : page.total;
  return `{"items":[${items.map(({ json }) => json).join(',')}],${JSON.stringify({ ...page, total }).slice(1)}`;
}

/** Counts sessions by how they stand; each count is like the `total` of a list. */
export async function countSessions(ctx: SessionContext, caller: Actor, given: SessionFilters): Promise<SessionCounts> {
  const query = sessionsQuery(ctx.db.kysely, caller.organization.id, filterOf(caller, given));
  const of = (standing: Standing): SessionsQuery => standingQuery(query, standing);
  const [needs_you = 0, working = 0, queued = 0, suspended = 0, done = 0, failed = 0, unread = 0] = await countEach(
    ctx.db,
    [
      of('needs_you'),
      of('working'),
      of('queued'),
      of('suspended'),
      of('done'),
      of('failed'),
      unreadQuery(query, caller.organization.id, viewerOf(ctx, caller).userId),
    ],
  );
  return { needs_you, working, queued, suspended, done, failed, unread };
}

function filterOf({ principal }: Actor, given: SessionFilters): SessionFilter {
  const { created_after, created_before, updated_after, search } = given;
  const creators = textValues('created_by', given.created_by).map((id) => (id === 'me' ? principal.id : id));
  return {
    id: textValues('id', given.id),
    status: filterValues('status', given.status, statuses),
    status_detail: filterValues('status_detail', given.status_detail, statusDetails),
    attention: filterValues('attention', given.attention, attentions),
    verification: filterValues('verification', given.verification, verifications),
    origin: filterValues('origin', given.origin, origins),
    tag: textValues('tag', given.tag),
    repo: repositoryValues('repo', given.repo).map(comparableName),
    created_by: creators,
    automation_id: textValues('automation_id', given.automation_id),
    automation_run_id: textValues('automation_run_id', given.automation_run_id),
    parent_session_id: textValues('parent_session_id', given.parent_session_id),
    ...(created_after === undefined ? {} : { created_after: instantOf('/created_after', created_after) }),
    ...(created_before === undefined ? {} : { created_before: instantOf('/created_before', created_before) }),
    ...(updated_after === undefined ? {} : { updated_after: instantOf('/updated_after', updated_after) }),
    ...(search === undefined ? {} : { search }),
    ...(given.archived === 'any' ? {} : { archived: given.archived === 'true' }),
  };
}
