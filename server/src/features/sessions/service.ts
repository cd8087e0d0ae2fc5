import type { Caller } from '../../caller.ts';
import type { Context } from '../../context.ts';
import { countRows } from '../../db/count.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { filterValues, textValues } from '../../lib/filters.ts';
import { instantOf } from '../../lib/instant.ts';
import { paginate } from '../../lib/paging.ts';
import { mutate } from '../audit-logs/mutate.ts';
import type { SessionQuery, UpdateSession } from './schemas.ts';
import { origins, statusDetails, statuses } from './schemas.ts';
import {
  deleteSessionRow,
  listOpenSessions,
  listSessionRows,
  lockSession,
  notifyControl,
  readOpenTotal,
  readQueue,
  readSession,
  readSessionIn,
  readUsageByModel,
  sessionsQuery,
  updateSessionRow,
  type SessionRow,
} from './store.ts';

export type SessionContext = Pick<Context, 'db' | 'clock' | 'baseUrl'>;

const live: ReadonlySet<string> = new Set(['queued', 'provisioning', 'running', 'waiting']);

export async function listSessions(ctx: SessionContext, caller: Caller, query: SessionQuery) {
  const orgId = caller.organization.id;
  const { first, after, ...given } = query;
  const page = { ...(first === undefined ? {} : { first }), ...(after === undefined ? {} : { after }) };
  const filters = { ...given, orgId, archived: query.archived ?? 'false' };
  const plain = Object.keys(given).length === 0;
  const rows = sessionsQuery(ctx.db.kysely, orgId, parseFilters(query));
  let openTotal: number | undefined;
  const result = await paginate<SessionRow>({
    list: 'sessions',
    filters,
    query: page,
    rows: async (position, limit) => {
      if (!plain) return listSessionRows(rows, position, limit);
      const open = await listOpenSessions(ctx.db, orgId, position, limit);
      openTotal = open[0]?.total;
      return open;
    },
    total: async () => (plain ? 0 : countRows(ctx.db, rows)),
  });
  const total = plain ? (openTotal ?? (await readOpenTotal(ctx.db.kysely, orgId))) : result.total;
  return { ...result, total, items: result.items.map((row) => shapeSession(ctx, caller, row)) };
}

function parseFilters(query: SessionQuery) {
  const { created_after, created_before, search } = query;
  return {
    status: filterValues('status', query.status, statuses),
    status_detail: filterValues('status_detail', query.status_detail, statusDetails),
    origin: filterValues('origin', query.origin, origins),
    tag: textValues('tag', query.tag),
    repo: textValues('repo', query.repo),
    created_by: textValues('created_by', query.created_by),
    automation_id: textValues('automation_id', query.automation_id),
    parent_session_id: textValues('parent_session_id', query.parent_session_id),
    ...(created_after === undefined ? {} : { created_after: instantOf('query.created_after', created_after) }),
    ...(created_before === undefined ? {} : { created_before: instantOf('query.created_before', created_before) }),
    ...(search === undefined ? {} : { search }),
    ...(query.archived === 'any' ? {} : { archived: query.archived === 'true' }),
  };
}

export async function getSession(ctx: SessionContext, caller: Caller, id: string) {
  return shapeSession(ctx, caller, await requireSession(ctx, caller.organization.id, id));
}

export async function updateSession(ctx: SessionContext, caller: Caller, id: string, input: UpdateSession) {
  return mutate(ctx, caller, async (trx, audit) => {
    const locked = await lockSession(trx, caller.organization.id, id);
    if (locked === undefined) throw notFound('session', id);
    const { title, tags, metadata, budget } = input;
    await updateSessionRow(trx, id, {
      ...(title === undefined ? {} : { title }),
      ...(tags === undefined ? {} : { tags }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      ...(budget === undefined ? {} : { budget: JSON.stringify(budget) }),
      updated_at: ctx.clock.now(),
    });
    await notifyControl(trx, id);
    audit({ action: 'session.update', resource: { type: 'session', id }, changes: { fields: Object.keys(input) } });
    return shapeSession(ctx, caller, await requireSession({ db: ctx.db, trx }, caller.organization.id, id));
  });
}

/** Throws 409 `session_active` while it works or waits, unless forced. A worker that holds it loses its fence. */
export async function deleteSession(
  ctx: SessionContext & Pick<Context, 'blobs' | 'log'>,
  caller: Caller,
  id: string,
  force: boolean,
): Promise<null> {
  await mutate(ctx, caller, async (trx, audit) => {
    const locked = await lockSession(trx, caller.organization.id, id);
    if (locked === undefined) throw notFound('session', id);
    if (!force && live.has(locked.status))
      throw new AppError('session_active', `The session is ${locked.status}. Cancel it first, or send force=true.`);
    await deleteSessionRow(trx, id);
    await notifyControl(trx, id);
    audit({ action: 'session.delete', resource: { type: 'session', id } });
    return null;
  });
  await removeBlobs(ctx, caller.organization.id, id);
  return null;
}

/** The rows are gone; blobs that stay behind cost only space. */
async function removeBlobs(ctx: Pick<Context, 'blobs' | 'log'>, orgId: string, id: string): Promise<void> {
  try {
    for (const kind of ['checkpoints', 'artifacts'])
      for await (const { key } of ctx.blobs.list(`${kind}/${orgId}/${id}/`)) await ctx.blobs.delete(key);
  } catch (error) {
    ctx.log.warn({ err: error, session: id }, 'blobs of a deleted session stayed behind');
  }
}

export async function getUsage(ctx: SessionContext, caller: Caller, id: string) {
  const row = await requireSession(ctx, caller.organization.id, id);
  return { ...usageOf(row), by_model: await readUsageByModel(ctx.db.kysely, id) };
}

export async function getQueue(ctx: SessionContext, caller: Caller) {
  return readQueue(ctx.db.kysely, caller.organization.id);
}

/** A session's row; 404 `session_not_found`. Inside a transaction it shows what the transaction did. */
export async function requireSession(
  ctx: Pick<Context, 'db'> & { trx?: Parameters<typeof readSessionIn>[0] },
  orgId: string,
  id: string,
): Promise<SessionRow> {
  const row = ctx.trx === undefined ? await readSession(ctx.db, orgId, id) : await readSessionIn(ctx.trx, orgId, id);
  if (row === undefined) throw notFound('session', id);
  return row;
}

/** The wire shape of a row. */
export function shapeSession(ctx: Pick<Context, 'baseUrl'>, caller: Pick<Caller, 'organization'>, row: SessionRow) {
  const { created_by_type, created_by_id, ...rest } = row;
  const base = `${ctx.baseUrl()}/v3/organizations/${caller.organization.slug}`;
  return {
    ...rest,
    url: `${base}/sessions/${row.id}`,
    change_requests: row.change_requests.map((linked) => ({
      ...linked,
      url: `${base}/repositories/${linked.repository_id}/change-requests/${linked.number}`,
    })),
    created_by: { type: created_by_type, id: created_by_id },
    usage: usageOf(row),
  };
}

function usageOf(row: SessionRow) {
  const { input_tokens, output_tokens, cached_input_tokens, cost_usd, sandbox_seconds } = row;
  return { input_tokens, output_tokens, cached_input_tokens, cost_usd, sandbox_seconds };
}
