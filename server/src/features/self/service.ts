import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { notFound } from '../../lib/errors.ts';
import { scopesOfPermission } from '../../lib/scopes.ts';
import type { CreateKey } from '../keys/schemas.ts';
import { checkNewKey, createKey, ownerOf, type KeyOwner } from '../keys/service.ts';
import { findMembership } from '../organizations/service.ts';

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
