import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { notFound } from '../../lib/errors.ts';
import { scopesOfPermission } from '../../lib/scopes.ts';
import type { CreateKey } from '../keys/schemas.ts';
import { groupLimitsOf } from '../groups/service.ts';
import { checkNewKey, createKey, ownerOf, type KeyOwner } from '../keys/service.ts';
import { findMembership, membershipsOf } from '../organizations/service.ts';
import { runningOf } from '../sessions/dispatch/capacity-service.ts';

/** Describes the caller of a request, with the organizations and the limits of a user. */
export async function describeSelf(ctx: Pick<Context, 'db' | 'clock'>, caller: AuthenticatedCaller) {
  const { principal, organization, credential } = caller;
  const { prefix, last4 } = credential.kind === 'sign_in' ? { prefix: '', last4: '' } : credential;
  const userId = principal.type === 'user' ? principal.id : '';
  return {
    principal_type: principal.type,
    principal_id: principal.id,
    name: principal.name,
    email: principal.email,
    organization,
    organizations: await membershipsOf(ctx, caller),
    scopes: [...caller.scopes],
    role: caller.role,
    permission: caller.permission,
    limits: {
      groups: userId === '' ? [] : await groupLimitsOf(ctx, organization.id, userId),
      ...(await runningOf(ctx.db.kysely, organization.id, userId)),
    },
    key: {
      id: credential.id,
      prefix,
      last4,
      created_at: credential.createdAt,
      expires_at: credential.expiresAt,
      last_used_at: credential.lastUsedAt,
    },
    api_version: '3.0.0',
  };
}

/**
 * Creates a personal key, for the caller's organization or another one of the user (404 `organization_not_found`). There its
 * scopes are limited to what the membership allows.
 */
export async function createPersonalKey(
  ctx: Pick<Context, 'db' | 'clock'>,
  caller: AuthenticatedCaller,
  owner: KeyOwner,
  input: CreateKey & { organization_id?: string },
) {
  const { organization_id: wanted, ...key } = input;
  const { id, slug } = caller.organization;
  if (wanted === undefined || wanted === id || wanted === slug) return createKey(ctx, caller, owner, key);
  // Validates the request before looking up the organization.
  checkNewKey(ctx, caller, key);
  const membership = await findMembership(ctx, owner.id, wanted);
  if (membership === undefined) throw notFound('organization', wanted);
  const allowed = new Set(scopesOfPermission(membership.permission));
  const scopes = new Set([...caller.scopes].filter((scope) => allowed.has(scope)));
  return createKey(ctx, { ...caller, scopes }, ownerOf(membership.org_id, 'user', owner.id), key);
}
