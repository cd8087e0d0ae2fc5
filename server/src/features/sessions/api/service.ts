import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { countRows } from '../../../db/count.ts';
import type { DB } from '../../../db/types.ts';
import { changesNothing } from '../../../lib/changes.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { filterValues, textValues } from '../../../lib/filters.ts';
import { instantOf } from '../../../lib/instant.ts';
import { paginate } from '../../../lib/paging.ts';
import { toMillionth, toThousandth } from '../../../lib/rounded.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { requireMatch } from '../../../mutation/precondition.ts';
import { recordingBlocks } from '../../guardrails/public.ts';
import { settingsReader } from '../../settings/service.ts';
import { checkTags } from '../../settings/tag-policy.ts';
import { budgetWithin } from '../run/budget.ts';
import { appendEvents } from '../store/run-store.ts';
import { budgetUnder, guardrailsOf, requireBudgetAllowed } from './guardrail-service.ts';
import type { Budget, SessionQuery, UpdateSession } from '../schemas/session-schemas.ts';
import { origins, statusDetails, statuses } from '../schemas/session-schemas.ts';
import {
  deleteSessionRow,
  lockSession,
  notifyControl,
  readQueue,
  readSession,
  readUsageByModel,
  sessionsQuery,
  updateSessionRow,
  type SessionRow,
} from '../store/session-store.ts';
import {
  listOpenSessions,
  listSessionTexts,
  readOpenTotal,
  readSessionText,
  readSessionTextIn,
  type SessionText,
} from '../store/wire-store.ts';

export type SessionContext = Pick<Context, 'db' | 'clock' | 'baseUrl'>;

const live: ReadonlySet<string> = new Set(['queued', 'provisioning', 'running', 'waiting']);

/** Returns a page of sessions, as JSON text. */
export async function listSessions(ctx: SessionContext, caller: Actor, query: SessionQuery): Promise<string> {
  const orgId = caller.organization.id;
  const base = organizationUrl(ctx, caller);
  const { first, after, ...given } = query;
  const plain = Object.keys(given).length === 0;
  const rows = sessionsQuery(ctx.db.kysely, orgId, parseFilters(query));
  let openTotal: number | undefined;
  const { items, ...page } = await paginate<SessionText>({
    list: 'sessions',
    filters: { ...given, orgId, archived: query.archived ?? 'false' },
    query: { first, after },
    rows: async (position, limit) => {
      if (!plain) return listSessionTexts(rows, base, position, limit);
      const open = await listOpenSessions(ctx.db, orgId, base, position, limit);
      openTotal = open[0]?.total;
      return open;
    },
    total: async () => (plain ? 0 : countRows(ctx.db, rows)),
  });
  const total = plain ? (openTotal ?? (await readOpenTotal(ctx.db.kysely, orgId))) : page.total;
  return `{"items":[${items.map(({ json }) => json).join(',')}],${JSON.stringify({ ...page, total }).slice(1)}`;
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
    ...(created_after === undefined ? {} : { created_after: instantOf('/created_after', created_after) }),
    ...(created_before === undefined ? {} : { created_before: instantOf('/created_before', created_before) }),
    ...(search === undefined ? {} : { search }),
    ...(query.archived === 'any' ? {} : { archived: query.archived === 'true' }),
  };
}

/** Returns a session, as JSON text. */
export async function getSession(ctx: SessionContext, caller: Actor, id: string): Promise<string> {
  const text = await readSessionText(ctx.db, caller.organization.id, organizationUrl(ctx, caller), id);
  if (text === undefined) throw notFound('session', id);
  return text;
}

/** Returns a session with the changes of a transaction, as JSON text. */
export async function sessionIn(ctx: SessionContext, caller: Actor, trx: Transaction<DB>, id: string): Promise<string> {
  return readSessionTextIn(trx, organizationUrl(ctx, caller), id);
}

function organizationUrl(ctx: Pick<Context, 'baseUrl'>, caller: Actor): string {
  return `${ctx.baseUrl()}/v3/organizations/${caller.organization.slug}`;
}

/** Throws 400 `tag_not_allowed`, 403 `guardrail_blocked`. */
export async function updateSession(ctx: SessionContext, caller: Caller, id: string, input: UpdateSession) {
  return recordingBlocks(ctx, caller, () => update(ctx, caller, id, input), id);
}

async function update(ctx: SessionContext, caller: Caller, id: string, input: UpdateSession) {
  const settings = await settingsReader(ctx.db.kysely, caller.organization.id, ['run_tags', 'sessions', 'budgets']);
  const within = { sessions: settings('sessions'), budgets: settings('budgets') };
  const warning = input.tags === undefined ? '' : checkTags(settings('run_tags'), input.tags);
  return mutate(ctx, caller, async (trx, audit) => {
    const locked = await lockSession(trx, caller.organization.id, id);
    if (locked === undefined) throw notFound('session', id);
    await requireMatch(caller, () => sessionIn(ctx, caller, trx, id));
    const { title, tags, metadata } = input;
    const before = await readSession(trx, caller.organization.id, id);
    const budget = before && input.budget && (await allowedBudget(trx, before, input.budget, within));
    if (before !== undefined && changesNothing(before, { title, tags, metadata, budget }))
      return sessionIn(ctx, caller, trx, id);
    await updateSessionRow(trx, id, {
      ...(title === undefined ? {} : { title }),
      ...(tags === undefined ? {} : { tags }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      ...(budget === undefined ? {} : { budget: JSON.stringify(budget) }),
      updated_at: ctx.clock.now(),
    });
    if (warning !== '')
      await appendEvents(trx, id, null, [{ kind: 'warning', data: { code: 'tag_not_allowed', message: warning } }]);
    await notifyControl(trx, id);
    audit({ action: 'session.update', resource: { type: 'session', id }, changes: { fields: Object.keys(input) } });
    return sessionIn(ctx, caller, trx, id);
  });
}

/** Returns a new budget of a session within the settings and guardrails. Throws 403 `guardrail_blocked`. */
async function allowedBudget(
  trx: Transaction<DB>,
  { org_id: orgId, repositories, origin }: SessionRow,
  budget: Budget,
  settings: Parameters<typeof budgetWithin>[0],
): Promise<Budget> {
  const guarded = await guardrailsOf(trx, orgId, repositories);
  requireBudgetAllowed(guarded, origin, budget);
  return budgetUnder(guarded, budgetWithin(settings, budget));
}

/** Throws 409 `session_active` while it runs or waits, unless forced. Its worker loses the lease. */
export async function deleteSession(
  ctx: SessionContext & Pick<Context, 'blobs' | 'log'>,
  caller: Caller,
  id: string,
  force: boolean,
): Promise<null> {
  await mutate(ctx, caller, async (trx, audit) => {
    const locked = await lockSession(trx, caller.organization.id, id);
    if (locked === undefined) throw notFound('session', id);
    await requireMatch(caller, () => sessionIn(ctx, caller, trx, id));
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

/** Deletes the blobs of a deleted session; on failure they only take space. */
async function removeBlobs(ctx: Pick<Context, 'blobs' | 'log'>, orgId: string, id: string): Promise<void> {
  try {
    for (const kind of ['checkpoints', 'artifacts'])
      for await (const { key } of ctx.blobs.list(`${kind}/${orgId}/${id}/`)) await ctx.blobs.delete(key);
  } catch (error) {
    ctx.log.warn({ err: error, session: id }, 'cannot delete the blobs of a deleted session');
  }
}

export async function getUsage(ctx: SessionContext, caller: Actor, id: string) {
  const row = await requireSession(ctx, caller.organization.id, id);
  const { input_tokens, output_tokens, cached_input_tokens, cost_usd, sandbox_seconds } = row;
  const by_model = await readUsageByModel(ctx.db.kysely, id);
  return {
    input_tokens,
    output_tokens,
    cached_input_tokens,
    cost_usd: toMillionth(cost_usd),
    sandbox_seconds: toThousandth(sandbox_seconds),
    by_model: by_model.map((one) => ({ ...one, cost_usd: Number(one.cost_usd) })),
  };
}

export async function getQueue(ctx: SessionContext, caller: Actor) {
  return readQueue(ctx.db.kysely, caller.organization.id);
}

/** Returns a session's row. Throws 404 `session_not_found`. */
export async function requireSession(ctx: Pick<Context, 'db'>, orgId: string, id: string): Promise<SessionRow> {
  const row = await readSession(ctx.db.kysely, orgId, id);
  if (row === undefined) throw notFound('session', id);
  return row;
}
