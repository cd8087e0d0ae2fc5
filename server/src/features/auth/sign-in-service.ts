import { createHash, randomBytes } from 'node:crypto';
import type { Kysely, Transaction } from 'kysely';
import type { AuthenticatedCaller, RequestFacts } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { mutate } from '../../mutation/mutate.ts';
import type { FailureRecorder } from './failures.ts';
import { readAccounts } from './address-store.ts';
import { hashPassword, isOutdated } from './password-hash.ts';
import { recordInEachOrganization } from './record.ts';
import type { PasswordSignIn } from './schemas.ts';
import {
  deleteSignIns,
  insertSignIn,
  lockPerson,
  purgeSignIns,
  readMemberships,
  readPerson,
  readSignInEnd,
  rewriteHash,
  notifySignIns,
} from './store.ts';
import { deleteOldAttempts } from './throttle.ts';
import { accountLimit, verified, wrongCredentials } from './verify-service.ts';

export type AuthContext = Pick<Context, 'db' | 'clock' | 'keyRing'>;

const hourMs = 3_600_000;
/** An unused sign-in expires after this, … */
export const idleMs = 7 * 24 * hourMs;
/** … and every sign-in after this. */
const absoluteMs = 30 * 24 * hourMs;

/** The signed-in user, for the response, and the content of the cookie. */
export type NewSignIn = Awaited<ReturnType<typeof startSignIn>>;

/**
 * Signs a user in by e-mail and password; of several accounts with this e-mail, into the first that has the password. Throws 401
 * `invalid_credentials`, indistinguishable in text and time for a wrong e-mail, password or organization; 429 `rate_limited`
 * after too many failures; 403 `forbidden` for a user without an organization. Ends `replaced`, the browser's previous cookie.
 */
export async function signIn(
  ctx: AuthContext,
  { email, password, organization }: PasswordSignIn,
  request: { facts: RequestFacts; failures: FailureRecorder; replaced: string | undefined },
): Promise<NewSignIn> {
  const { facts, failures, replaced } = request;
  const accounts = await readAccounts(ctx.db.kysely, email, accountLimit, organization);
  const person = await verified(ctx, { email, accounts, password, facts, failures, by: 'sign_in' });
  if (person === undefined) throw wrongCredentials();
  const { hash } = person;
  const renewed = (await isOutdated(hash)) ? await hashPassword(password) : undefined;
  return ctx.db.transaction(async (trx) => {
    await requirePassword(trx, person);
    if (renewed !== undefined) await rewriteHash(trx, person.id, hash, renewed);
    return startSignIn(trx, { person, method: 'password', facts, replaced, now: ctx.clock.now() });
  });
}

/**
 * Locks a user whose password was verified. A concurrent change of the password ended every sign-in: then throws 401
 * `invalid_credentials`.
 */
export async function requirePassword(trx: Transaction<DB>, { id, hash }: { id: string; hash: string | null }) {
  await lockPerson(trx, id);
  if ((await readPerson(trx, id))?.hash !== hash) throw wrongCredentials();
}

/**
 * Starts a sign-in in the caller's transaction; returns the token, which is never readable again. Throws 403 `forbidden` for a
 * user without an organization.
 */
export async function startSignIn(
  trx: Transaction<DB>,
  start: {
    person: { id: string; email: string; name: string };
    method: 'password' | 'sso' | 'key';
    facts: RequestFacts;
    replaced: string | undefined;
    now: Date;
  },
) {
  const { person, method, facts, replaced, now } = start;
  const organizations = await readMemberships(trx, person.id);
  if (organizations.length === 0)
    throw new AppError('forbidden', 'You are not a member of any organization. Ask an administrator to invite you.');
  if (replaced !== undefined) await deleteSignIns(trx, { hash: hashToken(replaced) });
  const token = randomBytes(32).toString('base64url');
  const expires = new Date(now.getTime() + absoluteMs);
  await insertSignIn(trx, {
    id: newId('sgn', now.getTime()),
    user_id: person.id,
    hash: hashToken(token),
    method,
    ip: facts.ip,
    user_agent: facts.userAgent,
    created_at: now,
    last_used_at: now,
    expires_at: expires,
  });
  await recordInEachOrganization(trx, {
    userId: person.id,
    facts,
    action: 'sign_in.create',
    changes: { method },
    now,
  });
  const { id, email, name } = person;
  return { token, expires, signedIn: { user_id: id, email, name, organizations, expires_at: expires } };
}

/** Ends the sign-in of a cookie; harmless if it already ended. */
export async function signOut(ctx: Pick<Context, 'db' | 'clock'>, token: string, facts: RequestFacts): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const now = ctx.clock.now();
    const [ended] = await deleteSignIns(trx, { hash: hashToken(token) });
    if (ended === undefined) return;
    await recordInEachOrganization(trx, { userId: ended.user_id, facts, action: 'sign_in.delete', now });
  });
}

/** Ends all sign-ins of the caller, a user, on every device. Keys keep working. */
export async function signOutEverywhere(ctx: Pick<Context, 'db' | 'clock'>, caller: AuthenticatedCaller) {
  return mutate(ctx, caller, async (trx) => {
    const userId = caller.principal.id;
    const ended = await endSignIns(trx, userId);
    const changes = { ended };
    const now = ctx.clock.now();
    await recordInEachOrganization(trx, {
      userId,
      facts: caller.request,
      action: 'sign_in.delete_all',
      changes,
      now,
    });
    return { ended };
  });
}

/** Ends all sign-ins of a user at once, on every process; returns their number. */
export async function endSignIns(trx: Transaction<DB>, userId: string): Promise<number> {
  return (await deleteSignIns(trx, { userId })).length;
}

/** Call when a user left an organization: ends the sign-ins if it was the last one, and streams there in any case. */
export async function endSignInsAfterRemoval(trx: Transaction<DB>, userId: string): Promise<void> {
  const left = await readMemberships(trx, userId);
  if (left.length === 0) await endSignIns(trx, userId);
  else await notifySignIns(trx, userId);
}

/** Returns when a sign-in expires; undefined if it ended, or its user left the organization. */
export async function signInEnd(db: Kysely<DB>, orgId: string, id: string): Promise<Date | undefined> {
  return readSignInEnd(db, orgId, id);
}

/** Purges expired sign-ins and failed attempts. */
export async function deleteExpiredSignIns(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const now = ctx.clock.now();
  await purgeSignIns(ctx.db, now, new Date(now.getTime() - idleMs));
  await deleteOldAttempts(ctx);
}

/** Returns the stored form of a token. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
