import type { Kysely, Transaction } from 'kysely';
import type { AuthenticatedCaller, PrincipalType } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { isCidr } from '../../lib/cidr.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { invalidField } from '../../lib/field-error.ts';
import { filterValues } from '../../lib/filters.ts';
import { newId } from '../../lib/ids.ts';
import { doorOf, hashKey, newKey } from '../../lib/keys.ts';
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

/** How many keys that work one person, service user or app may have in an organization. */
const maxActiveKeys = 500;

/** What a key is issued with; the value in the answer is the only time it is seen. */
export interface IssueKey {
  owner: KeyOwner;
  name: string;
  scopes: readonly Scope[];
  expiresAt?: Date | null;
  ipRanges?: string[];
  /** The key that makes it, held by {@link holdKey}. */
  madeBy?: string | null;
  /** Of a session's key: the run that it is for. */
  fence?: number;
  now: Date;
}

/** Issues a key inside a transaction of the caller's; its form says what it opens. Only its SHA-256 is stored. */
export async function issueKey(trx: Kysely<DB>, issue: IssueKey, key = newKey()) {
  const row = await insertKey(trx, {
    id: newId('key', issue.now.getTime()),
    org_id: issue.owner.orgId,
    principal_type: issue.owner.type,
    principal_id: issue.owner.id,
    name: issue.name,
    scopes: [...issue.scopes],
    hash: hashKey(key),
    door: doorOf(key) ?? 'api',
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
 * Holds the key of a caller who makes what goes with it, until the transaction ends; answers its id, null for a sign-in.
 * Throws 401 `key_revoked` where it was revoked meanwhile.
 */
export async function holdKey(trx: Transaction<DB>, caller: AuthenticatedCaller): Promise<string | null> {
  const id = makerOf(caller);
  if (id !== null && !(await shareKey(trx, id)))
    throw new AppError('key_revoked', 'This key was revoked. Issue a new one.');
  return id;
}

/** Throws 409 `conflict` where an owner has more keys that work than it may, the newest one with them. */
async function requireFewKeys(trx: Transaction<DB>, owner: KeyOwner, now: Date): Promise<void> {
  if ((await countActiveKeys(trx, owner, now)) > maxActiveKeys)
    throw new AppError(
      'conflict',
      `${owner.id} has ${maxActiveKeys} keys that work, the most there may be. Revoke one.`,
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
 * What a new key is to be, for a caller whose own scopes, end and addresses it cannot exceed (403 `forbidden`); 400, or
 * 422 where that is the envelope, for what cannot be.
 */
export function checkNewKey(ctx: KeyContext, caller: AuthenticatedCaller, input: CreateKey) {
  const missing = input.scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0)
    throw new AppError('forbidden', `Your own key lacks ${missing.join(', ')}, so a new one cannot have it.`);
  const now = ctx.clock.now();
  const expiresAt = input.expires_at === undefined ? null : new Date(input.expires_at);
  // A leap second has the form of an instant, and is none that a calendar here has.
  if (expiresAt !== null && Number.isNaN(expiresAt.getTime())) throw invalidField('/expires_at', 'is no instant');
  if (expiresAt !== null && expiresAt <= now) throw invalidField('/expires_at', 'lies in the past');
  const wrong = input.ip_ranges?.findIndex((range) => !isCidr(range)) ?? -1;
  if (wrong >= 0) throw invalidField(`/ip_ranges/${wrong}`, 'is no CIDR range');
  const bounds = boundsWithin(caller, { expiresAt, ipRanges: input.ip_ranges ?? [] });
  return { name: input.name, scopes: input.scopes, ...bounds, now };
}

/** Issues a key of `owner`; throws as {@link checkNewKey} does. */
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
 * Revokes a key at once, on every process, and what it made unless that is to be kept. Throws 404 `key_not_found`, 409
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

/** The same where a revoked key is gone for good: 404 `key_not_found` the second time. Answers when it was revoked. */
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

/** Issues the successor of a key; the old one works for `overlapSeconds` more. Throws 409 `conflict` for an expired one. */
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
        throw new AppError('conflict', `The key ${id} expired; issue a new one.`);
      const scopes = old.scopes.filter(isScope).filter((scope) => caller.scopes.has(scope));
      if (scopes.length < old.scopes.length)
        throw new AppError('forbidden', 'This key has scopes that yours lacks, so you cannot issue its successor.');
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
  if (key.revoked_at !== null) throw new AppError('already_revoked', `The key ${id} was revoked before.`);
  return key;
}

/** Revokes keys that the caller has locked, inside its transaction. */
export async function revokeLockedKeys(trx: Transaction<DB>, ids: string[], now: Date): Promise<void> {
  await endKeys(trx, ids, { revoked_at: now });
}

/** Revokes every key of a principal, inside the transaction that disables it. */
export async function revokeAllKeys(trx: Transaction<DB>, owner: KeyOwner, now: Date): Promise<void> {
  await endKeys(trx, await activeKeyIds(trx, owner), { revoked_at: now });
}

export function ownerOf(orgId: string, type: PrincipalType, id: string): KeyOwner {
  return { orgId, type, id };
}

/** When a key of an organization ends, or ended; undefined when it is gone. */
export async function keyEnd(db: Kysely<DB>, orgId: string, id: string) {
  return readKeyEnd(db, orgId, id);
}
