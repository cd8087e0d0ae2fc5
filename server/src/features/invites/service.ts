import type { Transaction } from 'kysely';
import { requireGrantable, type Actor, type AuthenticatedCaller, type Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import type { DB } from '../../db/types.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import type { Permission } from '../../lib/scopes.ts';
import { mutate, type AuditRecorder } from '../../mutation/mutate.ts';
import { hashToken } from '../auth/sign-in-service.ts';
import { endWithin } from '../keys/bounds.ts';
import { holdKey } from '../keys/service.ts';
import type { CreateInvites, InviteResult } from './schemas.ts';
import {
  insertInvite,
  invitesQuery,
  isMemberByEmail,
  listInviteRows,
  lockInvite,
  lockInviting,
  readPendingInvite,
  updateInvite,
} from './store.ts';
import { isEmail } from '../../lib/email.ts';
import { newNonce, tokenOf } from './token.ts';

export type InviteContext = Pick<Context, 'db' | 'clock' | 'keyRing' | 'jobs' | 'baseUrl' | 'mailer'>;

const validMs = 7 * 24 * 3_600_000;

export async function listInvites(ctx: InviteContext, caller: Actor, query: PageQuery) {
  const orgId = caller.organization.id;
  const rows = invitesQuery(ctx.db.kysely, orgId);
  return paginate({
    list: 'invites',
    filters: { orgId },
    query,
    rows: (after, limit) => listInviteRows(rows, ctx.clock.now(), after, limit),
    total: () => countRows(ctx.db, rows),
  });
}

/**
 * Invites by e-mail, each address independently of the others. Throws 403 `forbidden` for a permission with scopes that the
 * caller lacks.
 */
export async function createInvites(ctx: InviteContext, caller: AuthenticatedCaller, input: CreateInvites) {
  const { emails, permission = 'member' } = input;
  requireGrantable(caller, permission);
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      await lockInviting(trx, caller.organization.id);
      const items: InviteResult[] = [];
      for (const email of emails) {
        const item = await invite(ctx, trx, caller, { email, permission });
        if (item.result === 'created')
          audit({
            action: 'invite.create',
            resource: { type: 'invite', id: item.id },
            changes: { email, permission },
          });
        items.push(item);
      }
      return { items, total: items.length };
    },
    ['accept_url'],
  );
}

async function invite(
  ctx: InviteContext,
  trx: Transaction<DB>,
  caller: AuthenticatedCaller,
  { email, permission }: { email: string; permission: Permission },
): Promise<InviteResult> {
  const now = ctx.clock.now();
  const orgId = caller.organization.id;
  const none = { id: '', email, permission, state: '', expires_at: '', accept_url: '' } as const;
  if (!isEmail(email)) return { ...none, result: 'invalid' };
  if (await isMemberByEmail(trx, orgId, email)) return { ...none, result: 'already_member' };
  const pending = await readPendingInvite(trx, orgId, email, now);
  if (pending !== undefined) {
    const { id, state, expires_at } = pending;
    return {
      id,
      email: pending.email,
      permission: pending.permission,
      state,
      expires_at,
      accept_url: '',
      result: 'already_invited',
    };
  }
  const id = newId('inv', now.getTime());
  const link = await newLink(ctx, trx, id);
  const expires_at = endOfLink(caller, now);
  const created_by_key = await holdKey(trx, caller);
  const row = { id, org_id: orgId, email, permission, token_hash: link.hash, mailed: link.mailed, created_by_key };
  await insertInvite(trx, { ...row, created_at: now, expires_at });
  return { id, email, permission, state: 'pending', expires_at, accept_url: link.url, result: 'created' };
}

/** Creates a new link for an invitation: sent by mail if a mail server is configured, else in `url`. */
async function newLink(ctx: InviteContext, trx: Transaction<DB>, inviteId: string) {
  const nonce = newNonce();
  const token = tokenOf(ctx, inviteId, nonce);
  const mailed = ctx.mailer !== undefined;
  if (mailed) await ctx.jobs.enqueue(trx, 'mail', { invite_id: inviteId, nonce });
  return { hash: hashToken(token), mailed, url: mailed ? '' : acceptUrl(ctx, token) };
}

/** Returns when a link expires: after seven days, at the latest with the key that created it. */
function endOfLink(caller: AuthenticatedCaller, now: Date): Date {
  return endWithin(caller, new Date(now.getTime() + validMs));
}

export function acceptUrl(ctx: Pick<Context, 'baseUrl'>, token: string): string {
  return `${ctx.baseUrl()}/invites/${token}`;
}

/**
 * Sends the invitation again, with a new link for seven days; every previous one to the address stops working. Throws like {@link createInvites}.
 */
export async function resendInvite(ctx: InviteContext, caller: AuthenticatedCaller, id: string) {
  const orgId = caller.organization.id;
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      const now = ctx.clock.now();
      await lockInviting(trx, orgId);
      const found = await requireInvite(trx, orgId, id, now);
      if (found.state === 'accepted' || found.state === 'revoked')
        throw new AppError(
          'conflict',
          `The invitation ${id} was ${found.state} and cannot be sent again. Create a new one.`,
        );
      requireGrantable(caller, found.permission);
      // The address may have been invited again after this invitation had expired.
      const other = await readPendingInvite(trx, orgId, found.email, now);
      if (other !== undefined && other.id !== id) await revoke(trx, audit, { ...other, orgId }, now);
      const link = await newLink(ctx, trx, id);
      const expires_at = endOfLink(caller, now);
      const created_by_key = await holdKey(trx, caller);
      await updateInvite(trx, orgId, id, { token_hash: link.hash, expires_at, mailed: link.mailed, created_by_key });
      audit({ action: 'invite.resend', resource: { type: 'invite', id }, changes: { email: found.email } });
      return { ...found, state: 'pending' as const, expires_at, accept_url: link.url };
    },
    ['accept_url'],
  );
}

/** Revokes an invitation: its link stops working at once. Throws 404 `invite_not_found`, 409. */
export async function revokeInvite(ctx: InviteContext, caller: Caller, id: string): Promise<null> {
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const { state, email } = await requireInvite(trx, orgId, id, now);
    if (state === 'revoked') throw new AppError('already_revoked', `The invitation ${id} is already revoked.`);
    if (state === 'accepted')
      throw new AppError('conflict', `The invitation ${id} was already accepted. Remove the member instead.`);
    await revoke(trx, audit, { orgId, id, email }, now);
    return null;
  });
}

async function revoke(
  trx: Transaction<DB>,
  audit: AuditRecorder,
  { orgId, id, email }: { orgId: string; id: string; email: string },
  now: Date,
): Promise<void> {
  await updateInvite(trx, orgId, id, { revoked_at: now });
  audit({ action: 'invite.revoke', resource: { type: 'invite', id }, changes: { email } });
}

async function requireInvite(trx: Transaction<DB>, orgId: string, id: string, now: Date) {
  const found = await lockInvite(trx, orgId, id, now);
  if (found === undefined) throw notFound('invite', id);
  return found;
}
