import { createHmac } from 'node:crypto';
import type { Context } from '../../app/context.ts';
import { canonicalAddress, canonicalCidr } from '../../lib/cidr.ts';
import { purgeAttempts, returnAttempt, takeAttempt, type Bucket } from './throttle-store.ts';

type ThrottleContext = Pick<Context, 'db' | 'clock' | 'keyRing'>;

/** Who tries to be whom, from where. */
interface Attempted {
  email: string;
  ip: string;
  /** The person has signed in from there before. */
  isKnown: boolean;
  /** Those who join by links choose new passwords, many at once from one network, and none of them is a failure of theirs. */
  by: 'sign_in' | 'link';
}

/** A failure is forgotten in this time. */
const forgetSeconds = 600;

/**
 * Who an attempt is counted against. Each address has a short patience with one account and a long one with all of them.
 * An account's own patience, over all addresses, ends in a minute's wait at most, and not at all where the person has signed
 * in from before: a stranger who keeps guessing cannot keep them out.
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

/** Whoever has one IPv6 address has the rest of its /64. */
function networkOf(ip: string): string {
  const address = canonicalAddress(ip);
  return address.includes(':') ? canonicalCidr(`${address}/64`) : address;
}

/** An attempt that may go on; it counts as failed until `succeeded`. */
interface Attempt {
  succeeded: () => Promise<void>;
}

/** Lets an attempt at an account through, or answers in how many seconds it may come back. */
export async function attempt(ctx: ThrottleContext, who: Attempted): Promise<Attempt | { retryAfterSeconds: number }> {
  const buckets = bucketsOf(ctx, who);
  const now = ctx.clock.now();
  const until = await takeAttempt(ctx.db, buckets, forgetSeconds, now);
  if (until !== null) return { retryAfterSeconds: Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1_000)) };
  return { succeeded: () => returnAttempt(ctx.db, buckets) };
}

/** Forgets what is a day old. */
export async function forgetAttempts(ctx: Pick<Context, 'db' | 'clock'>): Promise<void> {
  await purgeAttempts(ctx.db, new Date(ctx.clock.now().getTime() - 24 * 3_600_000));
}
