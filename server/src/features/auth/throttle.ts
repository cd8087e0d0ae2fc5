import { createHmac } from 'node:crypto';
import type { Context } from '../../app/context.ts';
import { canonicalAddress, canonicalCidr } from '../../lib/cidr.ts';
import { purgeAttempts, returnAttempt, takeAttempt, type Bucket } from './throttle-store.ts';

type ThrottleContext = Pick<Context, 'db' | 'clock' | 'keyRing'>;

/** The target and the origin of an attempt. */
interface Attempted {
  email: string;
  ip: string;
  /** The user has signed in from there before. */
  isKnown: boolean;
  /** People who join by link set new passwords, many at once from one network, so theirs do not count as failures. */
  by: 'sign_in' | 'link';
}

/** A failure is forgotten after this time. */
const forgetSeconds = 600;

/**
 * Returns the buckets that an attempt counts against. Each address has a low limit per account and a high one for all accounts.
 * An account's own limit, over all addresses, blocks for at most a minute, and never an address where the user has signed in
 * before: guessing strangers cannot lock the user out.
 */
function bucketsOf(ctx: ThrottleContext, { email, ip, isKnown, by }: Attempted): Bucket[] {
  const secret = ctx.keyRing.derive('sign-in attempts');
  const name = (kind: string, what: string): string =>
    createHmac('sha256', secret).update(`${kind} ${what}`).digest('base64url');
  const account = email.toLowerCase();
  const address = networkOf(ip);
  return [
    { name: name('pair', `${address} ${account}`), free: 5, longestSeconds: 900 },
    by === 'link'
      ? { name: name('links', address), free: 300, longestSeconds: 300 }
      : { name: name('address', address), free: 30, longestSeconds: 300 },
    ...(isKnown ? [] : [{ name: name('account', account), free: 10, longestSeconds: 60 }]),
  ];
}

/** Returns the network of an address: the holder of one IPv6 address has its whole /64. */
function networkOf(ip: string): string {
  const address = canonicalAddress(ip);
  return address.includes(':') ? canonicalCidr(`${address}/64`) : address;
}

/** A permitted attempt; it counts as failed until `succeeded`. */
interface Attempt {
  succeeded: () => Promise<void>;
}

/** Permits an attempt at an account, or returns the seconds to wait. */
export async function attempt(ctx: ThrottleContext, who: Attempted): Promise<Attempt | { retryAfterSeconds: number }> {
  const buckets = bucketsOf(ctx, who);
  const now = ctx.clock.now();
  const until = await takeAttempt(ctx.db, buckets, forgetSeconds, now);
  if (until !== null) return { retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)) };
  return { succeeded: () => returnAttempt(ctx.db, buckets) };
}

/** Purges attempts that are a day old. */
export async function deleteOldAttempts(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  await purgeAttempts(ctx.db, new Date(ctx.clock.now().getTime() - 24 * 3_600_000));
}
