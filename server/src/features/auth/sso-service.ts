import type { Transaction } from 'kysely';
import type { RequestFacts } from '../../caller.ts';
import type { OidcConfig } from '../../config/people.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { permissions, type Permission } from '../../lib/scopes.ts';
import { ownerOf, revokeAllKeys } from '../keys/service.ts';
import { findOrganization } from '../organizations/service.ts';
import type { Identity } from './oidc.ts';
import { claimEmail, readOwner } from './address-store.ts';
import { isSameEmail, newPerson, signedInPerson } from './person-service.ts';
import { endSignIns, startSignIn, type NewSignIn } from './sign-in-service.ts';
import {
  deletePassword,
  hasIdentity,
  lockPerson,
  readIdentity,
  readMemberships,
  readPerson,
  writeIdentity,
} from './store.ts';

type SsoContext = Pick<Context, 'db' | 'clock' | 'log'>;

/**
 * Sets a membership to what the identity provider's groups grant; `undefined` removes it. The last administrator is kept:
 * `kept_last_admin`.
 */
export type FollowGroups = (
  trx: Transaction<DB>,
  wanted: { orgId: string; userId: string; permission: Permission | undefined; now: Date },
) => Promise<'done' | 'kept_last_admin'>;

/**
 * Signs in a user by an identity provider: found by issuer and subject first, then by an e-mail that they own, then as the user
 * signed in in this browser with that e-mail, who becomes its owner. Creates a new user if a group maps to an organization.
 * Throws 403 `forbidden` without a verified e-mail, for a user without an organization, and if the e-mail belongs to another
 * account of the same provider.
 */
export async function signInByIdentity(
  ctx: SsoContext,
  config: OidcConfig,
  identity: Identity,
  request: { facts: RequestFacts; replaced: string | undefined },
  followGroups: FollowGroups,
): Promise<NewSignIn> {
  if (identity.email === '' || !identity.emailVerified)
    throw new AppError(
      'forbidden',
      'Your e-mail is not verified at your identity provider. Verify it there, then sign in again.',
    );
  const here = await signedInPerson(ctx, request.replaced);
  // Ended memberships stay ended, even if none is left to sign in to.
  const userId = await ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    const mapped = await mappedOrganizations(ctx, trx, config, identity.groups);
    const found = await recognize(trx, identity, here, now);
    const isWelcome = [...mapped.values()].some((permission) => permission !== undefined);
    if (found === undefined && !isWelcome) return undefined;
    const id = found ?? (await introduce(trx, identity, now));
    for (const [orgId, permission] of mapped)
      if ((await followGroups(trx, { orgId, userId: id, permission, now })) === 'kept_last_admin')
        ctx.log.warn(
          { org: orgId, user: id },
          "kept the last administrator, whom the identity provider's groups would remove",
        );
    return id;
  });
  if (userId === undefined) throw belongsNowhere();
  return ctx.db.transaction(async (trx) => {
    await lockPerson(trx, userId);
    const person = await readPerson(trx, userId);
    if (person === undefined) throw belongsNowhere();
    return startSignIn(trx, { person, method: 'sso', ...request, now: ctx.clock.now() });
  });
}

/** Returns what the groups grant in every organization that a rule names: the highest permission, or undefined for none. */
async function mappedOrganizations(
  ctx: SsoContext,
  trx: Transaction<DB>,
  config: OidcConfig,
  groups: readonly string[],
): Promise<Map<string, Permission | undefined>> {
  const mapped = new Map<string, Permission | undefined>();
  for (const { group, organization, permission } of config.groups) {
    const found = await findOrganization(trx, organization);
    if (found?.state !== 'active') {
      ctx.log.warn({ organization }, 'GUILDHALL_OIDC_GROUPS names an organization that does not exist');
      continue;
    }
    const before = mapped.get(found.id);
    mapped.set(found.id, groups.includes(group) ? higher(before, permission) : before);
  }
  // In one order, so that two concurrent sign-ins cannot deadlock on the organizations.
  return new Map([...mapped].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function higher(one: Permission | undefined, other: Permission): Permission {
  return one !== undefined && permissions.indexOf(one) < permissions.indexOf(other) ? one : other;
}

/**
 * Finds the user of an identity. A user first found by e-mail is later known by the subject. Accounts that merely joined with
 * the e-mail through an invitation do not belong to it.
 */
async function recognize(
  trx: Transaction<DB>,
  identity: Identity,
  here: { id: string; email: string } | undefined,
  now: Date,
): Promise<string | undefined> {
  const { issuer, subject, email } = identity;
  const known = await readIdentity(trx, issuer, subject);
  const owner = known === undefined ? await readOwner(trx, email) : undefined;
  if (owner !== undefined && !isSameEmail(owner.email, email)) throw anotherAccount();
  const claimant = here !== undefined && isSameEmail(here.email, email) ? here.id : undefined;
  const userId = known ?? owner?.id ?? claimant;
  if (userId === undefined) return undefined;
  await lockPerson(trx, userId);
  if (known === undefined) {
    // The provider reassigned the e-mail; the new holder must not inherit the first owner's permissions.
    if (await hasIdentity(trx, issuer, userId)) throw anotherAccount();
    if (owner === undefined) await takeOver(trx, userId, email, now);
  }
  await writeIdentity(trx, { issuer, subject, userId, now });
  return userId;
}

/** Makes an account the owner of its e-mail. Drops passwords and keys from before: someone else may have created them. */
async function takeOver(trx: Transaction<DB>, userId: string, email: string, now: Date): Promise<void> {
  if (!(await claimEmail(trx, userId, email, now))) throw twice();
  await deletePassword(trx, userId);
  await endSignIns(trx, userId);
  for (const { id } of await readMemberships(trx, userId)) await revokeAllKeys(trx, ownerOf(id, 'user', userId), now);
}

function anotherAccount(): AppError {
  return new AppError(
    'forbidden',
    'This e-mail belongs to another account of your identity provider. Ask an administrator for help.',
  );
}

async function introduce(trx: Transaction<DB>, identity: Identity, now: Date): Promise<string> {
  const { issuer, subject, email, name } = identity;
  const id = newId('usr', now.getTime());
  if (!(await newPerson(trx, { id, email, name, hash: undefined, verified: true, now }))) throw twice();
  await writeIdentity(trx, { issuer, subject, userId: id, now });
  return id;
}

function twice(): AppError {
  return new AppError('conflict', 'A concurrent sign-in of yours conflicted with this one. Try again.');
}

function belongsNowhere(): AppError {
  return new AppError(
    'forbidden',
    'You are not a member of any organization. Ask an administrator to invite you. If you have a password here, ' +
      'sign in with it first and then with your provider.',
  );
}
