import type { AuthenticatedCaller, RequestFacts } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError } from '../../lib/errors.ts';
import { mayOpenEverything } from './password-service.ts';
import { startSignIn, type AuthContext, type NewSignIn } from './sign-in-service.ts';
import { isFirstRun, lockPerson } from './store.ts';
import { attempt } from './throttle.ts';

/** Returns true while no user of the installation has a password. */
export async function hasNoPasswords(ctx: Pick<Context, 'db'>): Promise<boolean> {
  return isFirstRun(ctx.db.kysely);
}

/**
 * Signs a user in by key while nobody has a password, so that the first one can be set in a browser. Throws 401 for an
 * invalid key, 403 `forbidden` once somebody has a password or for a key that could not set one, 429 `rate_limited`
 * after too many failures.
 */
export async function signInByKey(
  ctx: AuthContext,
  key: string,
  request: {
    facts: RequestFacts;
    replaced: string | undefined;
    authenticate: (key: string, facts: RequestFacts) => Promise<AuthenticatedCaller>;
  },
): Promise<NewSignIn> {
  const { facts, replaced, authenticate } = request;
  if (!(await hasNoPasswords(ctx))) throw closed();
  const tried = await attempt(ctx, { email: 'first run', ip: facts.ip, isKnown: false, by: 'sign_in' });
  if ('retryAfterSeconds' in tried)
    throw new AppError('rate_limited', `Too many failed sign-ins. Try again in ${tried.retryAfterSeconds} s.`, {
      retry_after_seconds: tried.retryAfterSeconds,
    });
  const caller = await authenticate(key, facts).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unauthorized') throw error;
    throw new AppError('unauthorized', 'This is not a key of this installation. Send the administrator key.');
  });
  const { principal, credential } = caller;
  if (principal.type !== 'user' || credential.kind !== 'key')
    throw new AppError('forbidden', 'Only the key of a user can sign in. Send the administrator key.');
  await mayOpenEverything(ctx, caller);
  await tried.succeeded();
  return ctx.db.transaction(async (trx) => {
    await lockPerson(trx, principal.id);
    if (!(await isFirstRun(trx))) throw closed();
    return startSignIn(trx, { person: principal, method: 'key', facts, replaced, now: ctx.clock.now() });
  });
}

function closed(): AppError {
  return new AppError('forbidden', 'A key signs in only while nobody has a password. Send e-mail and password.');
}
