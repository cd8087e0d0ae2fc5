import type { Transaction } from 'kysely';
import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError, noMember, notFound } from '../../lib/errors.ts';
import { scopesOfPermission } from '../../lib/scopes.ts';
import { mutate, recordSystemAct, type AuditFact } from '../../mutation/mutate.ts';
import { boundsOf } from '../keys/bounds.ts';
import type { FailureRecorder } from './failures.ts';
import { hashPassword } from './password-hash.ts';
import { checkNewPassword, problemOfPassword } from './password-policy.ts';
import { recordInEachOrganization } from './record.ts';
import { claimEmail, readAccounts, readOwner, type Account } from './address-store.ts';
import { endSignIns, requirePassword, startSignIn, type AuthContext, type NewSignIn } from './sign-in-service.ts';
import { lockPerson, readMemberships, readPerson, writePassword } from './store.ts';
import { verified, wrongCredentials } from './verify-service.ts';

/**
 * Sets or changes the caller's password and ends all of the user's sign-ins; a caller with a cookie gets a new one. Throws 401
 * `invalid_credentials` if the current password is missing or wrong, 400 for an invalid new one, and 403 `forbidden` if a key
 * would gain permissions by setting the first one.
 */
export async function changePassword(
  ctx: AuthContext,
  caller: AuthenticatedCaller,
  input: { current_password?: string; new_password: string },
  failures: FailureRecorder,
): Promise<{ changedAt: Date; signIn: NewSignIn | undefined }> {
  const { principal, request } = caller;
  const person = await readPerson(ctx.db.kysely, principal.id);
  if (person === undefined) throw notFound('user', principal.id);
  if (person.hash === null) await mayOpenEverything(ctx, caller);
  else {
    const password = input.current_password ?? '';
    const given = { email: person.email, accounts: [person], password, facts: request, failures };
    if ((await verified(ctx, { ...given, by: 'sign_in' })) === undefined) throw wrongCredentials();
  }
  checkNewPassword('/new_password', input.new_password, person);
  const hash = await hashPassword(input.new_password);
  return mutate(ctx, caller, async (trx) => {
    const now = ctx.clock.now();
    await requirePassword(trx, person);
    await putPassword(trx, person.id, hash, now);
    const action = person.hash === null ? 'password.set' : 'password.change';
    await recordInEachOrganization(trx, { userId: person.id, facts: request, action, now });
    const start = { person, method: 'password', facts: request, replaced: undefined, now } as const;
    return { changedAt: now, signIn: caller.credential.kind === 'sign_in' ? await startSignIn(trx, start) : undefined };
  });
}

/**
 * Checks that a caller may set the first password, or sign in by key. A password grants everything that its user may do in every organization, so
 * only a sign-in, or a key with the same permissions, may set it.
 */
export async function mayOpenEverything(ctx: AuthContext, caller: AuthenticatedCaller): Promise<void> {
  if (caller.credential.kind === 'sign_in') return;
  const { expiresAt, ipRanges } = boundsOf(caller);
  if (expiresAt !== null || ipRanges.length > 0)
    throw new AppError(
      'forbidden',
      'This key expires or is limited to certain addresses, and a password is not. Use a key without these limits ' +
        'to set the first password or to sign in.',
    );
  const memberships = await readMemberships(ctx.db.kysely, caller.principal.id);
  const wanted = new Set(memberships.flatMap(({ permission }) => scopesOfPermission(permission)));
  const missing = [...wanted].filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0)
    throw new AppError(
      'forbidden',
      `Setting the first password and signing in require a key with all your scopes. This key lacks ${missing.join(', ')}.`,
    );
}

/** Stores a new password in the caller's transaction and ends the user's sign-ins. */
async function putPassword(trx: Transaction<DB>, userId: string, hash: string, now: Date): Promise<void> {
  await writePassword(trx, userId, hash, now);
  await endSignIns(trx, userId);
}

/**
 * Sets a user's password for the operator; `organization` selects one of several users with the e-mail, if none has verified it.
 * Throws 404 `user_not_found`, 400 for an invalid password, 409 `conflict` for several users.
 */
export async function setOperatorPassword(
  ctx: Pick<Context, 'db' | 'clock'>,
  email: string,
  password: string,
  organization?: string,
): Promise<void> {
  const person = await personFor(ctx, email, organization);
  const problem = problemOfPassword(password, person);
  if (problem !== '') throw new AppError('invalid_request', `The password ${problem}`);
  const hash = await hashPassword(password);
  await ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    await lockPerson(trx, person.id);
    await putPassword(trx, person.id, hash, now);
    // The operator is trusted.
    await claimEmail(trx, person.id, person.email, now);
    const fact: AuditFact = { action: 'password.set', resource: { type: 'user', id: person.id } };
    for (const { id } of await readMemberships(trx, person.id)) await recordSystemAct(trx, id, 'operator', fact, now);
  });
}

async function personFor(ctx: Pick<Context, 'db'>, email: string, organization?: string): Promise<Account> {
  const owner = organization === undefined ? await readOwner(ctx.db.kysely, email) : undefined;
  if (owner !== undefined) return owner;
  const [person, other] = await readAccounts(ctx.db.kysely, email, 2, organization);
  if (person === undefined) throw organization === undefined ? notFound('user', email) : noMember(email, organization);
  if (other !== undefined)
    throw new AppError(
      'conflict',
      `Several users have joined as ${email}. Choose one with --org, an organization of theirs.`,
    );
  return person;
}
