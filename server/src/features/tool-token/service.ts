import type { Actor, AuthenticatedCaller, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError } from '../../lib/errors.ts';
import { newKey } from '../../lib/keys.ts';
import { mutate } from '../../mutation/mutate.ts';
import { boundsOf, endWithin } from '../keys/bounds.ts';
import { holdKey, issueKey, ownerOf, revokeLockedKeys } from '../keys/service.ts';
import type { CreateToolToken } from './schemas.ts';
import { lockActiveToken, lockMembership, lockToken, readActiveToken } from './store.ts';

type TokenContext = Pick<Context, 'db' | 'clock'>;

const dayMs = 86_400_000;

export async function getToolToken(ctx: TokenContext, { organization, principal }: Actor) {
  const row = await readActiveToken(ctx.db.kysely, organization.id, principal.id, ctx.clock.now());
  if (row === undefined) return { active: false, created_at: null, expires_at: null, last_used_at: null };
  const { created_at, expires_at, last_used_at } = row;
  return { active: true, created_at, expires_at, last_used_at };
}

/**
 * Issues the caller's tool token, in place of the previous one. It has the scopes and addresses of the calling key, and
 * expires with it, after 30 days at the latest.
 */
export async function createToolToken(ctx: TokenContext, caller: AuthenticatedCaller, input: CreateToolToken) {
  const owner = ownerOf(caller.organization.id, 'user', caller.principal.id);
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      if (!(await lockMembership(trx, owner.orgId, owner.id)))
        throw new AppError(
          'key_revoked',
          'You are no longer a member of the organization. Ask an administrator to invite you.',
        );
      const now = ctx.clock.now();
      const before = await lockToken(trx, owner.orgId, owner.id);
      if (before !== undefined) await revokeLockedKeys(trx, [before.id], now);
      const expiresAt = endWithin(caller, new Date(now.getTime() + (input.expires_in_days ?? 30) * dayMs));
      const { ipRanges } = boundsOf(caller);
      const scopes = [...caller.scopes];
      const issued = await issueKey(
        trx,
        { owner, name: 'tool token', scopes, expiresAt, ipRanges, madeBy: await holdKey(trx, caller), now },
        newKey('mcp'),
      );
      audit({
        action: 'tool_token.create',
        resource: { type: 'tool_token', id: issued.id },
        changes: { scopes, expires_at: expiresAt.toISOString(), replaces: before?.id ?? '' },
      });
      return { token: issued.key, created_at: issued.created_at, expires_at: expiresAt };
    },
    ['token'],
  );
}

/** Revokes the caller's tool token at once, on every process; false if there was no valid one. */
export async function revokeToolToken(ctx: TokenContext, caller: Caller): Promise<{ revoked: boolean }> {
  return mutate(ctx, caller, async (trx, audit) => {
    const now = ctx.clock.now();
    const row = await lockActiveToken(trx, caller.organization.id, caller.principal.id, now);
    if (row === undefined) return { revoked: false };
    await revokeLockedKeys(trx, [row.id], now);
    audit({ action: 'tool_token.revoke', resource: { type: 'tool_token', id: row.id } });
    return { revoked: true };
  });
}
