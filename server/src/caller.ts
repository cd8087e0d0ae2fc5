import type { Transaction } from 'kysely';
import { AppError } from './lib/errors.ts';
import { scopesOfPermission, type Permission, type Role, type Scope } from './lib/scopes.ts';
import { administrator, type Writer } from './lib/writer.ts';
import type { DB } from './db/types.ts';

export type PrincipalType = 'user' | 'service_user' | 'app' | 'session';
/** The kinds of actors in records; `system` is Guildhall itself. */
export type PrincipalKind = PrincipalType | 'system';

/** `suspended` by the operator; `deleting` until it is purged or restored. */
export type OrganizationState = 'active' | 'suspended' | 'deleting';

/**
 * The actor of an operation in one organization. An automation, or Guildhall itself, acts without a credential and a
 * request.
 */
export interface Actor {
  readonly organization: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly state: OrganizationState;
  };
  readonly principal: {
    readonly type: PrincipalKind;
    readonly id: string;
    readonly name: string;
    readonly email: string;
  };
  /** Limited to what the member's permission allows. */
  readonly scopes: ReadonlySet<Scope>;
  /** `''` for anyone but a user. */
  readonly permission: Permission | '';
  readonly role: Role | '';
}

/** The proof of an actor's identity. */
export type Credential = KeyCredential | SignInCredential;

export interface KeyCredential {
  /**
   * A tool token is valid only for `/mcp`; a session key belongs to one run of a session, a callback token to one attempt
   * of an automation's run.
   */
  readonly kind: 'key' | 'tool_token' | 'session_key' | 'callback_token';
  readonly id: string;
  readonly prefix: string;
  readonly last4: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** CIDR ranges that the key works from; empty allows every address. */
  readonly ipRanges: readonly string[];
  readonly lastUsedAt: Date | null;
}

/** The sign-in behind a browser's cookie. */
export interface SignInCredential {
  readonly kind: 'sign_in';
  readonly id: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly lastUsedAt: Date;
}

/** An actor that changes something, with the credential and the request if they exist. */
export interface Caller extends Actor {
  readonly credential: Credential | undefined;
  readonly request: RequestFacts | undefined;
}

/** The caller of an API request. */
export interface AuthenticatedCaller extends Caller {
  readonly principal: Actor['principal'] & { readonly type: PrincipalType };
  readonly credential: Credential;
  readonly request: RequestFacts;
}

/** Returns the caller for an automation or for Guildhall itself: the audit log names the actor, without a request. */
export function withoutRequest(actor: Actor): Caller {
  return { ...actor, credential: undefined, request: undefined };
}

/**
 * Returns a caller whose mutation does not store its result as the response to an idempotent request: the response is stored
 * when it is sent.
 */
export function withoutReplay(caller: Caller): Caller {
  if (caller.request === undefined) return caller;
  const { complete: _complete, ...request } = caller.request;
  return { ...caller, request };
}

/** The facts of a request in the audit log. */
export interface RequestFacts {
  readonly id: string;
  readonly ip: string;
  readonly userAgent: string;
  /** Method and route; absent if the request matched no route. */
  readonly route?: string;
  /**
   * Set while an `Idempotency-Key` holds this request: called in the mutation's transaction with the response (JSON
   * text, or a value), so that a crash after the commit still replays it.
   */
  complete?: (trx: Transaction<DB>, answer: unknown) => Promise<void>;
  /** Set if the request has an `If-Match`; a mutation must not commit without its check. */
  precondition?: Precondition;
}

/** The `If-Match` of a request. */
export interface Precondition {
  /** Compares the header with a record before its change. */
  check(record: unknown): void;
  /** Throws 412 `revision_conflict` if the header does not name the record, and an error if nothing was compared. */
  settle(): void;
}

/** Throws 403 `forbidden` naming the scope if the caller lacks it. */
export function requireScope(caller: Pick<Caller, 'scopes' | 'credential'>, scope: Scope): void {
  if (caller.scopes.has(scope)) return;
  throw new AppError('forbidden', `${grantOf(caller)} lacks the scope ${scope}.`);
}

/** Names what gives a caller its scopes, as the subject of a sentence. */
export function grantOf({ credential }: Pick<Caller, 'credential'>): string {
  if (credential === undefined) return 'This automation';
  return credential.kind === 'sign_in' ? 'Your permission' : 'This key';
}

/**
 * Returns the author for content that an actor writes into others' sessions. A key without `org:write` does not count
 * as an administrator.
 */
export function writerOf({ scopes, principal }: Pick<Actor, 'scopes' | 'principal'>): Writer {
  return scopes.has('org:write') ? administrator : `${principal.type}:${principal.id}`;
}

/**
 * Throws 403 `forbidden` if the caller would grant a permission with scopes that it lacks itself; `had` is the current
 * permission.
 */
export function requireGrantable(
  caller: Pick<Caller, 'scopes' | 'credential'>,
  permission: Permission,
  had?: Permission,
): void {
  const before = had === undefined ? [] : scopesOfPermission(had);
  const missing = scopesOfPermission(permission).filter(
    (scope) => !before.includes(scope) && !caller.scopes.has(scope),
  );
  if (missing.length === 0) return;
  const { credential } = caller;
  const who = credential === undefined || credential.kind === 'sign_in' ? grantOf(caller) : 'Your own key';
  throw new AppError(
    'forbidden',
    `${who} lacks ${missing.join(', ')}, so you cannot grant the permission ${JSON.stringify(permission)}. Use a credential that has them.`,
  );
}

/** Throws 403 `forbidden` for a suspended organization. */
export function requireNotSuspended({ slug, state }: { slug: string; state: OrganizationState }): void {
  if (state === 'suspended')
    throw new AppError('forbidden', `The organization ${slug} is suspended. Only the operator can resume it.`);
}

/** Throws 409 `organization_deleting`, or 403 `forbidden` for a suspended organization, before a change. */
export function requireActive(organization: { slug: string; state: OrganizationState }): void {
  requireNotSuspended(organization);
  if (organization.state === 'deleting')
    throw new AppError(
      'organization_deleting',
      `The organization ${organization.slug} is being deleted. Restore it before you change or start anything.`,
    );
}
