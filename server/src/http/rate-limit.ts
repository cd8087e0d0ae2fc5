import { AppError, statusOf } from '../lib/errors.ts';

interface Bucket {
  /** Tokens taken from the shared bucket and not spent here; negative while this process owes. */
  balance: number;
  /** Number of tokens in the shared bucket at the last request to it. */
  remaining: number;
  /** The time of that request. */
  lookedMs: number;
  /** The running request to the shared bucket. */
  look: Promise<void> | undefined;
  nextLookMs: number;
  usedMs: number;
}

export interface RateDecision {
  allowed: boolean;
  /** The sustained limit per second. */
  perSecond: number;
  /** The maximum burst. */
  limit: number;
  /** The requests left in the burst. */
  remaining: number;
  /** Seconds until the full burst is available again. */
  resetSeconds: number;
  /** Seconds to wait before a retry. */
  retryAfterSeconds: number;
}

type Take = (keyId: string, want: number) => Promise<{ granted: number; remaining: number }>;

/** After this time without requests, other processes may have spent the tokens that this one last saw. */
const staleAfterMs = 1_000;

/**
 * Limits the rate of each key over all API processes. Takes tokens from PostgreSQL in slices of 5 % of a second's
 * allowance, in parallel to the requests: a process spends on credit up to the last known tokens of the shared bucket
 * plus the refill since, and settles afterwards. So a stream of requests never waits for the database, and a burst is
 * not rejected by mistake. Only the first request after a silence waits, to learn what other processes spent.
 */
export function createRateLimiter(limit: { perSecond: number; burst: number }, take: Take, nowMs: () => number) {
  const { perSecond, burst } = limit;
  const buckets = new Map<string, Bucket>();
  const slice = Math.max(1, Math.floor(perSecond * 0.05));
  const sliceMs = (slice / perSecond) * 1_000;

  async function settle(keyId: string, bucket: Bucket): Promise<void> {
    try {
      const { granted, remaining } = await take(keyId, slice - bucket.balance);
      bucket.balance += granted;
      bucket.remaining = remaining;
      bucket.lookedMs = nowMs();
      // While tokens are available, the next request to the bucket follows at once, because other processes cannot see
      // what this one spends on credit. An empty bucket is asked again when it holds a slice.
      bucket.nextLookMs = granted > 0 ? 0 : nowMs() + sliceMs;
    } catch {
      // Without a database the request fails anyway; the bucket stays unchanged.
      bucket.nextLookMs = nowMs() + sliceMs;
    }
    bucket.look = undefined;
    // Tokens spent on credit in the meantime are owed, even if no further request comes.
    if (bucket.balance < 0 && nowMs() >= bucket.nextLookMs) void look(keyId, bucket);
  }

  function look(keyId: string, bucket: Bucket): Promise<void> {
    bucket.look ??= settle(keyId, bucket);
    return bucket.look;
  }

  function bucketOf(keyId: string): Bucket {
    const known = buckets.get(keyId);
    if (known !== undefined) return known;
    if (buckets.size >= 10_000) forgetIdle(nowMs());
    const fresh = { balance: 0, remaining: burst, lookedMs: -Infinity, look: undefined, nextLookMs: 0, usedMs: 0 };
    buckets.set(keyId, fresh);
    return fresh;
  }

  function forgetIdle(now: number): void {
    for (const [keyId, bucket] of buckets)
      if (now - bucket.usedMs > 600_000 && bucket.look === undefined) buckets.delete(keyId);
  }

  return {
    /** Spends one token of the key. */
    async spend(keyId: string): Promise<RateDecision> {
      const bucket = bucketOf(keyId);
      bucket.usedMs = nowMs();
      const isStale = bucket.usedMs - bucket.lookedMs > staleAfterMs;
      if (isStale && bucket.usedMs >= bucket.nextLookMs) await look(keyId, bucket);
      const now = nowMs();
      const refilled = ((now - bucket.lookedMs) / 1_000) * perSecond;
      const held = Math.min(burst, bucket.balance + bucket.remaining + refilled);
      const allowed = held >= 1;
      if (allowed) bucket.balance -= 1;
      if (bucket.balance <= slice / 2 && now >= bucket.nextLookMs) void look(keyId, bucket);
      const left = Math.max(0, allowed ? held - 1 : held);
      return {
        allowed,
        perSecond,
        limit: burst,
        remaining: Math.floor(left),
        resetSeconds: Math.ceil((burst - left) / perSecond),
        retryAfterSeconds: Math.max(1, Math.ceil((1 - held) / perSecond)),
      };
    },
  };
}

/** The requests of one principal with all its keys and sign-ins, as a multiple of the limit of a key. */
const keysOfOne = 5;

export type CallerLimiter = ReturnType<typeof createCallerLimiter>;

/**
 * Limits each key, and all keys of one principal. Requests that a key's own limit rejects do not count against the
 * principal, so one flooded key does not block the others.
 */
export function createCallerLimiter(
  limit: { perSecond: number; burst: number },
  take: (bucket: string, limit: { perSecond: number; burst: number }, want: number) => ReturnType<Take>,
  nowMs: () => number,
) {
  const whole = { perSecond: limit.perSecond * keysOfOne, burst: limit.burst * keysOfOne };
  const keys = createRateLimiter(limit, (id, want) => take(id, limit, want), nowMs);
  const principals = createRateLimiter(whole, (id, want) => take(id, whole, want), nowMs);
  return {
    /** Returns the stricter of the two limits. */
    async spend(keyId: string, principalId: string): Promise<RateDecision & { of: 'key' | 'principal' }> {
      const own = await keys.spend(keyId);
      if (!own.allowed) return { ...own, of: 'key' };
      const all = await principals.spend(principalId);
      return all.allowed && own.remaining <= all.remaining ? { ...own, of: 'key' } : { ...all, of: 'principal' };
    },
  };
}

/** Failed attempts of an address: sustained, and at once. */
const failuresPerSecond = 20;
const failuresAtOnce = 1_000;

/**
 * Limits failed attempts per address: further ones answer 429 `rate_limited` instead of 401. One that succeeds always
 * passes, so nobody can lock out others behind the same address.
 */
export function createFailureLimiter(message: string, nowMs: () => number) {
  const failures = new Map<string, { left: number; atMs: number }>();
  const fail = (address: string): boolean => {
    const now = nowMs();
    if (failures.size > 50_000) failures.clear();
    const entry = failures.get(address) ?? { left: failuresAtOnce, atMs: now };
    entry.left = Math.min(failuresAtOnce, entry.left + ((now - entry.atMs) / 1_000) * failuresPerSecond) - 1;
    entry.atMs = now;
    failures.set(address, entry);
    return entry.left >= 0;
  };
  return async <T>(address: string, attempt: () => Promise<T>): Promise<T> => {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof AppError && statusOf(error.code) === 401 && !fail(address))
        throw new AppError('rate_limited', message);
      throw error;
    }
  };
}
