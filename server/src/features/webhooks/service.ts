import type { Transaction } from 'kysely';
import type { Actor, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { changesNothing } from '../../lib/changes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { newWebhookSecret } from '../../lib/standard-webhooks.ts';
import { mutate } from '../../mutation/mutate.ts';
import { requireMatch } from '../../mutation/precondition.ts';
import { unknownSelector } from '../events/visibility.ts';
import { seal } from '../secrets/envelope.ts';
import { failPending, pullForward } from './delivery-store.ts';
import type { CreateWebhook, UpdateWebhook } from './schemas.ts';
import {
  deleteWebhookRow,
  insertWebhook,
  listWebhookRows,
  lockWebhook,
  lockWebhooks,
  readWebhook,
  updateWebhookRow,
  webhooksQuery,
} from './store.ts';

export type WebhookContext = Pick<Context, 'db' | 'clock' | 'keyRing' | 'jobs'>;

/** Maximum number of webhooks of an organization. */
const maxWebhooks = 20;
const defaultOverlapSeconds = 86_400;

export async function listWebhooks(ctx: Pick<Context, 'db'>, caller: Actor, query: PageQuery) {
  const orgId = caller.organization.id;
  const rows = webhooksQuery(ctx.db.kysely, orgId);
  const page = await paginate({
    list: 'webhooks',
    filters: { orgId },
    query,
    rows: (after, limit) => listWebhookRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map(toApiShape) };
}

/** Throws 404 `webhook_not_found`. */
export async function getWebhook(ctx: Pick<Context, 'db'>, caller: Actor, id: string) {
  return requireWebhook(ctx.db.kysely, caller, id);
}

/** Throws 400 for an invalid address or an unknown event, 409 `conflict` if there are 20 already. */
export async function createWebhook(
  ctx: WebhookContext,
  caller: Caller,
  input: CreateWebhook,
  eventTypes: readonly string[],
) {
  const orgId = caller.organization.id;
  const { name = '', events = [], enabled = true } = input;
  const url = addressOf(input.url);
  requireKnown(events, eventTypes);
  const now = ctx.clock.now();
  const id = newId('whk', now.getTime());
  const secret = newWebhookSecret();
  // Outside of the transaction, because a KMS may be slow.
  const sealed_secret = await seal(ctx, orgId, secretPurpose(id), Buffer.from(secret));
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      if ((await lockWebhooks(trx, orgId)) >= maxWebhooks)
        throw new AppError(
          'conflict',
          `Limit reached: an organization can have at most ${maxWebhooks} webhooks. Delete one first.`,
        );
      await insertWebhook(trx, {
        id,
        org_id: orgId,
        name,
        url,
        events,
        scopes: [...caller.scopes],
        enabled,
        sealed_secret,
        created_by_type: caller.principal.type,
        created_by_id: caller.principal.id,
        created_at: now,
        updated_at: now,
      });
      audit({
        action: 'webhook.create',
        resource: { type: 'webhook', id },
        changes: { name, host: hostOf(url), events, enabled },
      });
      return { ...(await requireWebhook(trx, caller, id)), secret };
    },
    ['secret'],
  );
}

/** Throws 404 `webhook_not_found`, 400 for an invalid address or an unknown event. */
export async function updateWebhook(
  ctx: WebhookContext,
  caller: Caller,
  id: string,
  input: UpdateWebhook,
  eventTypes: readonly string[],
) {
  const { name, events, enabled } = input;
  const url = input.url === undefined ? undefined : addressOf(input.url);
  requireKnown(events ?? [], eventTypes);
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockWebhook(trx, caller.organization.id, id);
    if (before === undefined) throw notFound('webhook', id);
    await requireMatch(caller, () => toApiShape(before));
    const change = { name, url, events, enabled };
    if (changesNothing(before, change)) return toApiShape(before);
    const now = ctx.clock.now();
    const isMoved = !changesNothing(before, { url, events });
    await updateWebhookRow(trx, id, {
      ...change,
      ...(isMoved ? { scopes: [...caller.scopes] } : {}),
      ...(enabled === true ? { disabled_reason: '' } : {}),
      ...(enabled === true || url !== undefined ? { failing_since: null, paused_until: null } : {}),
      updated_at: now,
    });
    const isNarrower = before.scopes.some((scope) => !new Set<string>(caller.scopes).has(scope));
    if (enabled === false || (url !== undefined && isNarrower)) await failPending(trx, id, now);
    else if (url !== undefined) {
      await pullForward(trx, id, now);
      await ctx.jobs.enqueue(trx, 'webhook', { webhook_id: id }, { singletonKey: id });
    }
    const { url: _, ...shown } = input;
    audit({
      action: 'webhook.update',
      resource: { type: 'webhook', id },
      changes: { ...shown, ...(url === undefined ? {} : { host: hostOf(url) }) },
    });
    return requireWebhook(trx, caller, id);
  });
}

/** Throws 404 `webhook_not_found`. */
export async function deleteWebhook(ctx: WebhookContext, caller: Caller, id: string): Promise<null> {
  return mutate(ctx, caller, async (trx, audit) => {
    const before = await lockWebhook(trx, caller.organization.id, id);
    if (before === undefined) throw notFound('webhook', id);
    await requireMatch(caller, () => toApiShape(before));
    await deleteWebhookRow(trx, id);
    audit({ action: 'webhook.delete', resource: { type: 'webhook', id }, changes: { name: before.name } });
    return null;
  });
}

/** Creates a new secret; the old one also signs until the overlap ends. Throws 404 `webhook_not_found`. */
export async function rotateWebhookSecret(
  ctx: WebhookContext,
  caller: Caller,
  id: string,
  overlapSeconds = defaultOverlapSeconds,
) {
  const orgId = caller.organization.id;
  await requireWebhook(ctx.db.kysely, caller, id);
  const secret = newWebhookSecret();
  const sealed_secret = await seal(ctx, orgId, secretPurpose(id), Buffer.from(secret));
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      const before = await lockWebhook(trx, orgId, id);
      if (before === undefined) throw notFound('webhook', id);
      const now = ctx.clock.now();
      await updateWebhookRow(trx, id, {
        sealed_secret,
        sealed_previous_secret: overlapSeconds === 0 ? null : before.sealed_secret,
        previous_until: overlapSeconds === 0 ? null : new Date(now.getTime() + overlapSeconds * 1_000),
        updated_at: now,
      });
      audit({
        action: 'webhook.rotate_secret',
        resource: { type: 'webhook', id },
        changes: { name: before.name, overlap_seconds: overlapSeconds },
      });
      return { ...(await requireWebhook(trx, caller, id)), secret };
    },
    ['secret'],
  );
}

/** Binds a sealed secret to its webhook. */
export function secretPurpose(id: string): string {
  return `webhook ${id}`;
}

async function requireWebhook(db: WebhookContext['db']['kysely'] | Transaction<DB>, caller: Actor, id: string) {
  const row = await readWebhook(db, caller.organization.id, id);
  if (row === undefined) throw notFound('webhook', id);
  return toApiShape(row);
}

/** Returns an address as it is stored. Throws 400 for one that cannot be used. */
function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw fieldError('/url', 'must be an http or https URL.');
  if (url.username !== '' || url.password !== '') throw fieldError('/url', 'must not contain credentials.');
  url.hash = '';
  return url.href;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

function requireKnown(events: readonly string[], eventTypes: readonly string[]): void {
  const unknown = unknownSelector(events, eventTypes);
  if (unknown === undefined) return;
  const at = events.indexOf(unknown);
  throw fieldError(
    `/events/${at}`,
    `: ${JSON.stringify(unknown)} must be a type of events, such as "session.created".`,
  );
}

type WebhookRow = NonNullable<Awaited<ReturnType<typeof readWebhook>>>;

function toApiShape(row: WebhookRow) {
  const { id, name, url, events, enabled, disabled_reason, failing_since, created_by, created_at, updated_at } = row;
  return { id, name, url, events, enabled, disabled_reason, failing_since, created_by, created_at, updated_at };
}
