import type { Kysely, Transaction } from 'kysely';
import type { AuthenticatedCaller, PrincipalType } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { isCidr } from '../../lib/cidr.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { fieldError } from '../../lib/field-error.ts';
import { filterValues } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { instantOf } from '../../lib/instant.ts';
import { audienceOf, hashKey, newKey } from '../../lib/keys.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { isScope, type Scope } from '../../lib/scopes.ts';
import { mutate, type AuditRecorder } from '../../mutation/mutate.ts';
import { boundsWithin, makerOf, requireBounds } from './bounds.ts';
import { revokeDescendants } from './descent-service.ts';
import { keyStatuses, type CreateKey, type RevokeQuery } from './schemas.ts';
import {
  activeKeyIds,
  countActiveKeys,
  endKeys,
  insertKey,
  keysQuery,
  listKeyRows,
  lockKey,
  lockOwner,
  readKeyEnd,
  shareKey,
  type KeyOwner,
} from './store.ts';

export type { KeyOwner } from './store.ts';

type KeyContext = Pick<Context, 'db' | 'clock'>;

/** Maximum number of active keys of one user, service user or app in an organization. */
const maxActiveKeys = 500;

/** The parameters of a new key; only the response shows its value. */
export interface IssueKey {
  owner: KeyOwner;
  name: string;
  scopes: readonly Scope[];
  expiresAt?: Date | null;
  ipRanges?: string[];
  /** The key that creates it, held by {@link holdKey}. */
  madeBy?: string | null;
  /** The session run that a session's key belongs to. */
  fence?: number;
  now: Date;
}

/** Creates a key in the caller's transaction; its prefix shows its audience. Only its SHA-256 is stored. */
export async function issueKey(trx: Kysely<DB>, issue: IssueKey, key = newKey()) {
  const row = await insertKey(trx, {
    id: newId('key', issue.now.getTime()),
    org_id: issue.owner.orgId,
    principal_type: issue.owner.type,
    principal_id: issue.owner.id,
    name: issue.name,
    scopes: [...issue.scopes],
    hash: hashKey(key),
    audience: audienceOf(key) ?? 'api',
    prefix: key.slice(0, 10),
    last4: key.slice(-4),
    ip_ranges: issue.ipRanges ?? [],
    fence: issue.fence ?? null,
    created_by_key: issue.madeBy ?? null,
    created_at: issue.now,
    expires_at: issue.expiresAt ?? null,
  });
  return { ...row, key };
}

/**
 * Holds the caller's key until the transaction ends, so that what it creates can be revoked with it; returns its id, null for a
 * sign-in. Throws 401 `key_revoked` if it was revoked meanwhile.
 */
export async function holdKey(trx: Transaction<DB>, caller: AuthenticatedCaller): Promise<string | null> {
  const id = makerOf(caller);
  if (id !== null && !(await shareKey(trx, id)))
    throw new AppError('key_revoked', 'This key was revoked. Issue a new one.');
  return id;
}

/** Throws 409 `conflict` if an owner has too many active keys, including the newest one. */
async function requireFewKeys(trx: Transaction<DB>, owner: KeyOwner, now: Date): Promise<void> {
  if ((await countActiveKeys(trx, owner, now)) > maxActiveKeys)
    throw new AppError(
      'conflict',
      `Limit reached: ${owner.id} can have at most ${maxActiveKeys} active keys. Revoke one first.`,
    );
}

export async function listKeys(ctx: KeyContext, owner: KeyOwner, query: PageQuery & { status?: string }) {
  const filters = { orgId: owner.orgId, owner: owner.id, status: query.status };
  const rows = keysQuery(ctx.db.kysely, owner, filterValues('status', query.status, keyStatuses), ctx.clock.now());
  return paginate({
    list: 'keys',
    filters,
    query,
    rows: (after, limit) => listKeyRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/**
 * Returns the parameters of a new key, which cannot exceed the caller's own scopes, end and addresses (403 `forbidden`); 400, or
 * 422 in that envelope, for invalid input.
 */
export function checkNewKey(ctx: KeyContext, caller: AuthenticatedCaller, input: CreateKey) {
  const missing = input.scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0)
    throw new AppError('forbidden', `Your own key lacks ${missing.join(', ')}, so it cannot grant them.`);
  const now = ctx.clock.now();
  const expiresAt = input.expires_at === undefined ? null : instantOf('/expires_at', input.expires_at);
  if (expiresAt !== null && expiresAt <= now) throw fieldError('/expires_at', 'must be in the future');
  const wrong = input.ip_ranges?.findIndex((range) => !isCidr(range)) ?? -1;
  if (wrong >= 0) throw fieldError(`/ip_ranges/${wrong}`, 'must be a CIDR range');
  const bounds = boundsWithin(caller, { expiresAt, ipRanges: input.ip_ranges ?? [] });
  return { name: input.name, scopes: input.scopes, ...bounds, now };
}

/** Creates a key of `owner`; throws like {@link checkNewKey}. */
export async function createKey(ctx: KeyContext, caller: AuthenticatedCaller, owner: KeyOwner, input: CreateKey) {
  const key = checkNewKey(ctx, caller, input);
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      await lockOwner(trx, owner);
      const issued = await issueKey(trx, { owner, ...key, madeBy: await holdKey(trx, caller) });
      await requireFewKeys(trx, owner, key.now);
      const { id, name, scopes } = issued;
      audit({
        action: 'key.create',
        resource: { type: 'key', id },
        changes: { name, scopes, owner: owner.id },
        orgId: owner.orgId,
      });
      return issued;
    },
    ['key'],
  );
}

/**
 * Revokes a key at once, on every process, and what it created unless `made` is `keep`. Throws 404 `key_not_found`, 409
 * `already_revoked`.
 */
export async function revokeKey(
  ctx: KeyContext,
  caller: AuthenticatedCaller,
  owner: KeyOwner,
  id: string,
  { made }: RevokeQuery,
): Promise<null> {
  await mutate(ctx, caller, async (trx, audit) => {
    await requireActive(trx, owner, id);
    return endKey(trx, audit, caller, { owner, id, made, now: ctx.clock.now() });
  });
  return null;
}

/**
 * Revokes a key in APIs where a revoked key no longer exists: 404 `key_not_found` the second time. Returns when it was revoked.
 */
export async function removeKey(
  ctx: KeyContext,
  caller: AuthenticatedCaller,
  owner: KeyOwner,
  id: string,
  { made }: RevokeQuery,
): Promise<Date> {
  return mutate(ctx, caller, async (trx, audit) => {
    const key = await lockKey(trx, owner, id);
    if (key === undefined || key.revoked_at !== null) throw notFound('key', id);
    return endKey(trx, audit, caller, { owner, id, made, now: ctx.clock.now() });
  });
}

async function endKey(
  trx: Transaction<DB>,
  audit: AuditRecorder,
  caller: AuthenticatedCaller,
  { owner, id, made, now }: { owner: KeyOwner; id: string; now: Date } & RevokeQuery,
): Promise<Date> {
  await endKeys(trx, [id], { revoked_at: now });
  audit({ action: 'key.revoke', resource: { type: 'key', id }, orgId: owner.orgId });
  if (made !== 'keep') await revokeDescendants(trx, audit, caller, { id, orgId: owner.orgId }, now);
  return now;
}

/** Creates the successor of a key; the old one works for `overlapSeconds` more. Throws 409 `conflict` for an expired one. */
export async function rotateKey(
  ctx: KeyContext,
  caller: AuthenticatedCaller,
  owner: KeyOwner,
  id: string,
  overlapSeconds: number,
) {
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      const now = ctx.clock.now();
      const old = await requireActive(trx, owner, id);
      if (old.expires_at !== null && old.expires_at <= now)
        throw new AppError('conflict', `The key ${id} has expired. Create a new one.`);
      const scopes = old.scopes.filter(isScope).filter((scope) => caller.scopes.has(scope));
      if (scopes.length < old.scopes.length)
        throw new AppError('forbidden', 'This key has scopes that yours lacks, so you cannot rotate it.');
      const bounds = { expiresAt: old.expires_at, ipRanges: old.ip_ranges };
      requireBounds(caller, bounds);
      await lockOwner(trx, owner);
      const madeBy = await holdKey(trx, caller);
      const issued = await issueKey(trx, { owner, name: old.name, scopes, ...bounds, madeBy, now });
      const end = new Date(now.getTime() + overlapSeconds * 1_000);
      await endKeys(trx, [id], { expires_at: old.expires_at !== null && old.expires_at < end ? old.expires_at : end });
      await requireFewKeys(trx, owner, now);
      audit({
        action: 'key.rotate',
        resource: { type: 'key', id },
        changes: { successor: issued.id, overlap_seconds: overlapSeconds },
        orgId: owner.orgId,
      });
      return issued;
    },
    ['key'],
  );
}

async function requireActive(trx: Transaction<DB>, owner: KeyOwner, id: string) {
  const key = await lockKey(trx, owner, id);
  if (key === undefined) throw notFound('key', id);
  if (key.revoked_at !== null) throw new AppError('already_revoked', `The key ${id} is already revoked.`);
  return key;
}

/** Revokes locked keys in the caller's transaction. */
export async function revokeLockedKeys(trx: Transaction<DB>, ids: string[], now: Date): Promise<void> {
  await endKeys(trx, ids, { revoked_at: now });
}

/** Revokes every key of a principal, in the transaction that disables it. */
export async function revokeAllKeys(trx: Transaction<DB>, owner: KeyOwner, now: Date): Promise<void> {
  await endKeys(trx, await activeKeyIds(trx, owner), { revoked_at: now });
}

export function ownerOf(orgId: string, type: PrincipalType, id: string): KeyOwner {
  return { orgId, type, id };
}

/** Returns when a key expires or ended; undefined if it does not exist. */
export async function keyEnd(db: Kysely<DB>, orgId: string, id: string) {
  return readKeyEnd(db, orgId, id);
}
