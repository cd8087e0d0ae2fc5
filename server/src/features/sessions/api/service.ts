import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { DB } from '../../../db/types.ts';
import { changesNothing } from '../../../lib/changes.ts';
import { consoleUrl } from '../../../lib/console-url.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { toMillionth, toThousandth } from '../../../lib/rounded.ts';
import { mutate } from '../../../mutation/mutate.ts';
import { requireMatch } from '../../../mutation/precondition.ts';
import { recordingBlocks } from '../../guardrails/public.ts';
import { settingsReader } from '../../settings/service.ts';
import { checkTags } from '../../settings/tag-policy.ts';
import { budgetWithin } from '../run/budget.ts';
import { appendEvents } from '../store/log-store.ts';
import { budgetUnder, guardrailsOf, requireBudgetAllowed } from './guardrail-service.ts';
import type { Budget, UpdateSession } from '../schemas/session-schemas.ts';
import { maxTags } from '../schemas/tags.ts';
import {
  deleteSessionRow,
  lockSession,
  notifyControl,
  notifyStreams,
  readQueue,
  readSession,
  readUsageByModel,
  updateSessionRow,
  type SessionRow,
} from '../store/session-store.ts';
import { readSessionText, readSessionTextIn, type Viewer } from '../store/wire-store.ts';

export type SessionContext = Pick<Context, 'db' | 'clock' | 'baseUrl'>;

const live: ReadonlySet<string> = new Set(['queued', 'provisioning', 'running', 'waiting']);

/** Returns a session, as JSON text. */
export async function getSession(ctx: SessionContext, caller: Actor, id: string): Promise<string> {
  const text = await readSessionText(ctx.db, caller.organization.id, viewerOf(ctx, caller), id);
  if (text === undefined) throw notFound('session', id);
  return text;
}

/** Returns a session with the changes of a transaction, as JSON text. */
export async function sessionIn(ctx: SessionContext, caller: Actor, trx: Transaction<DB>, id: string): Promise<string> {
  return readSessionTextIn(trx, viewerOf(ctx, caller), id);
}

export function viewerOf(ctx: Pick<Context, 'baseUrl'>, { organization, principal }: Actor): Viewer {
  return { base: consoleUrl(ctx, organization.slug), userId: principal.type === 'user' ? principal.id : '' };
}

/** Throws 400 `tag_not_allowed`, 403 `guardrail_blocked`. */
export async function updateSession(ctx: SessionContext, caller: Caller, id: string, input: UpdateSession) {
  return recordingBlocks(ctx, caller, () => update(ctx, caller, id, input), id);
}

/** Adds tags to those of a session. Throws 400 `invalid_request` for more than 50, 400 `tag_not_allowed`. */
export async function addTags(ctx: SessionContext, caller: Caller, id: string, added: readonly string[]) {
  return update(ctx, caller, id, ({ tags: had }) => {
    const tags = [...new Set([...had, ...added])];
    if (tags.length > maxTags)
      throw fieldError('/tags', `: the session would have ${tags.length} tags, more than ${maxTags}.`);
    return { tags };
  });
}

/** Applies a change, or one that depends on the session. */
async function update(
  ctx: SessionContext,
  caller: Caller,
  id: string,
  wanted: UpdateSession | ((before: SessionRow) => UpdateSession),
) {
  const settings = await settingsReader(ctx.db.kysely, caller.organization.id, ['run_tags', 'sessions', 'budgets']);
  const within = { sessions: settings('sessions'), budgets: settings('budgets') };
  const policy = settings('run_tags');
  // What is wrong with the request comes before what is wrong with the session.
  if (typeof wanted !== 'function' && wanted.tags !== undefined) checkTags(policy, wanted.tags);
  return mutate(ctx, caller, async (trx, audit) => {
    const locked = await lockSession(trx, caller.organization.id, id);
    const before = locked && (await readSession(trx, caller.organization.id, id));
    if (before === undefined) throw notFound('session', id);
    await requireMatch(caller, () => sessionIn(ctx, caller, trx, id));
    const input = typeof wanted === 'function' ? wanted(before) : wanted;
    const { title, tags, metadata } = input;
    const warning = tags === undefined ? '' : checkTags(policy, tags);
    const budget = input.budget && (await allowedBudget(trx, before, input.budget, within));
    if (changesNothing(before, { title, tags, metadata, budget })) return sessionIn(ctx, caller, trx, id);
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
    await notifyStreams(trx, id);
    audit({ action: 'session.delete', resource: { type: 'session', id } });
    return null;
  });
  await removeBlobs(ctx, caller.organization.id, id);
  return null;
}

/** Deletes the blobs of a session that does not exist any more, or not yet; on failure they only take space. */
export async function removeBlobs(ctx: Pick<Context, 'blobs' | 'log'>, orgId: string, id: string): Promise<void> {
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
