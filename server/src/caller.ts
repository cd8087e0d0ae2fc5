import type { Transaction } from 'kysely';
import { AppError } from './lib/errors.ts';
import { scopesOfPermission, type Permission, type Scope } from './lib/scopes.ts';
import { administrator, type Writer } from './lib/writer.ts';
import type { DB } from './db/types.ts';

export type PrincipalType = 'user' | 'service_user' | 'app' | 'session';
/** Who did something that is on record; `system` is Guildhall itself. */
export type PrincipalKind = PrincipalType | 'system';

/** `suspended` by the operator; `deleting` until it is purged or restored. */
export type OrganizationState = 'active' | 'suspended' | 'deleting';

/** Who asks: an authenticated principal within one organization, and the request it asks with. */
export interface Caller {
  readonly organization: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly state: OrganizationState;
  };
  readonly principal: {
    readonly type: PrincipalType;
    readonly id: string;
    readonly name: string;
    readonly email: string;
  };
  /** What it asks with: a key, or the sign-in behind a cookie, which has no characters to show. */
  readonly key: {
    readonly id: string;
    readonly prefix: string;
    readonly last4: string;
    readonly createdAt: Date;
    readonly expiresAt: Date | null;
    /** CIDR ranges that the key works from; none is everywhere. */
    readonly ipRanges: readonly string[];
    readonly lastUsedAt: Date | null;
  };
  /** Asks by the cookie of a sign-in. */
  readonly isSignIn?: boolean;
  /** Already cut to what the member's permission allows. */
  readonly scopes: ReadonlySet<Scope>;
  /** `''` for anyone but a person. */
  readonly permission: Permission | '';
  readonly role: 'pro' | 'regular' | '';
  readonly request: RequestFacts;
}

/** What the audit trail keeps of a request. */
export interface RequestFacts {
  readonly id: string;
  readonly ip: string;
  readonly userAgent: string;
  /** Method and route; absent where the request did not come to a route. */
  readonly route?: string;
  /**
   * Set while an `Idempotency-Key` holds this request: called inside the mutation's own transaction with what will be
   * answered (JSON text, or a value of it), so that a crash after the commit still replays it.
   */
  complete?: (trx: Transaction<DB>, answer: unknown) => Promise<void>;
}

/** Throws 403 `forbidden` naming the scope when the caller lacks it. */
export function requireScope(caller: Pick<Caller, 'scopes' | 'isSignIn'>, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  const who = caller.isSignIn === true ? 'Your permission' : 'This key';
  throw new AppError('forbidden', `${who} lacks the scope ${scope}.`);
}

/** Who a caller is to those in whose sessions runs what it writes. A key without `org:write` does not speak for an administrator. */
export function writerOf({ scopes, principal }: Pick<Caller, 'scopes' | 'principal'>): Writer {
  return scopes.has('org:write') ? administrator : `${principal.type}:${principal.id}`;
}

/**
 * Throws 403 `forbidden` when the caller would give somebody a permission with scopes that it lacks itself; `had` is the
 * permission they have already.
 */
export function requireGrantable(
  caller: Pick<Caller, 'scopes' | 'isSignIn'>,
  permission: Permission,
  had?: Permission,
): void {
  const before = had === undefined ? [] : scopesOfPermission(had);
  const missing = scopesOfPermission(permission).filter(
    (scope) => !before.includes(scope) && !caller.scopes.has(scope),
  );
  if (missing.length === 0) return;
  const who = caller.isSignIn === true ? 'Your permission' : 'Your own key';
  throw new AppError(
    'forbidden',
    `${who} lacks ${missing.join(', ')}, so you cannot give the permission ${JSON.stringify(permission)}. Ask with one that has them.`,
  );
}

/** Throws 403 `forbidden` for a suspended organization. */
export function requireNotSuspended({ slug, state }: { slug: string; state: OrganizationState }): void {
  if (state === 'suspended')
    throw new AppError('forbidden', `The organization ${slug} is suspended. Only the operator can resume it.`);
}

/** Throws 409 `organization_deleting`, or 403 `forbidden` for a suspended organization, where something is to change. */
export function requireActive(organization: { slug: string; state: OrganizationState }): void {
  requireNotSuspended(organization);
  if (organization.state === 'deleting')
    throw new AppError(
      'organization_deleting',
      `The organization ${organization.slug} is being deleted. Restore it before you change or start anything.`,
    );
}
