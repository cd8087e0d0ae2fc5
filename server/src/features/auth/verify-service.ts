import type { RequestFacts } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError } from '../../lib/errors.ts';
import { readAccountsKnownAt, type Account } from './address-store.ts';
import type { FailureRecorder } from './failures.ts';
import { verifyPassword } from './password-hash.ts';
import { attempt } from './throttle.ts';

/**
 * The number of accounts of one e-mail that a password is checked against: always this many, with a dummy hash for missing ones,
 * so that the time does not reveal their number.
 */
export const accountLimit = 3;

/**
 * Returns the account of an e-mail, of at most {@link accountLimit}, that has the password; undefined for none. Throttled:
 * throws 429 `rate_limited`. Only a success does not slow down the next attempt.
 */
export async function verified<T extends Account>(
  ctx: Pick<Context, 'db' | 'clock' | 'keyRing'>,
  given: {
    email: string;
    accounts: readonly T[];
    password: string;
    facts: RequestFacts;
    failures: FailureRecorder;
    by: 'sign_in' | 'link';
  },
): Promise<(T & { hash: string }) | undefined> {
  const { email, password, facts, failures, by } = given;
  let { accounts } = given;
  let tried = await attempt(ctx, { email, ip: facts.ip, isKnown: false, by });
  if ('retryAfterSeconds' in tried) {
    // While strangers guess, only addresses of earlier sign-ins may proceed, because any other may be a stranger's.
    const ids = accounts.map(({ id }) => id);
    const known = await readAccountsKnownAt(ctx.db.kysely, ids, facts.ip);
    if (known.size === 0) throw tooMany(tried.retryAfterSeconds);
    tried = await attempt(ctx, { email, ip: facts.ip, isKnown: true, by });
    if ('retryAfterSeconds' in tried) throw tooMany(tried.retryAfterSeconds);
    accounts = accounts.filter(({ id }) => known.has(id));
  }
  const found = await accountWith(accounts, password);
  if (found !== undefined) await tried.succeeded();
  else for (const { id } of accounts) failures.note(id, facts);
  return found;
}

async function accountWith<T extends Account>(
  accounts: readonly T[],
  password: string,
): Promise<(T & { hash: string }) | undefined> {
  let found: (T & { hash: string }) | undefined;
  for (let place = 0; place < accountLimit; place += 1) {
    const account = accounts[place];
    const hash = account?.hash ?? undefined;
    const isIt = await verifyPassword(hash, password);
    if (isIt && account !== undefined && hash !== undefined) found ??= { ...account, hash };
  }
  return found;
}

/** Builds the one error for every wrong combination of e-mail and password. */
export function wrongCredentials(): AppError {
  return new AppError('invalid_credentials', 'The e-mail or the password is wrong.');
}

function tooMany(seconds: number): AppError {
  return new AppError('rate_limited', `Too many failed sign-ins. Try again in ${seconds} s.`, {
    retry_after_seconds: seconds,
  });
}
