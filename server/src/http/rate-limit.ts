interface Bucket {
  /** Tokens taken from the shared bucket and not spent here; negative while this process owes. */
  balance: number;
  /** What the shared bucket held at the last look. */
  remaining: number;
  /** When that was. */
  lookedMs: number;
  /** The look under way. */
  look: Promise<void> | undefined;
  nextLookMs: number;
  usedMs: number;
}

export interface RateDecision {
  allowed: boolean;
  /** What the limit allows a second, for good. */
  perSecond: number;
  /** The most that may be sent at once. */
  limit: number;
  /** What may still be sent at once. */
  remaining: number;
  /** Seconds until the whole limit is available again. */
  resetSeconds: number;
  /** Seconds of silence after which a request is let through. */
  retryAfterSeconds: number;
}

type Take = (keyId: string, want: number) => Promise<{ granted: number; remaining: number }>;

/** After so much silence others may have spent what this process last saw. */
const staleAfterMs = 1_000;

/**
 * Rate limit per key over all API processes. Tokens come from PostgreSQL in slices of 5 % of a
 * second's allowance and are fetched beside the requests: a process spends on credit up to what the shared bucket
 * held at the last look and has refilled since, and settles. So no request of a stream waits for the database, and a
 * burst is not refused by mistake. Only the first one after silence waits, for a look at what others spent meanwhile.
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
      // While there is something to take, the next look follows at once: what this process spends on credit, another
      // one cannot see. An empty bucket has nothing to say before it holds a slice again.
      bucket.nextLookMs = granted > 0 ? 0 : nowMs() + sliceMs;
    } catch {
      // Without a database the request behind this one fails anyway; the bucket stays as it is.
      bucket.nextLookMs = nowMs() + sliceMs;
    }
    bucket.look = undefined;
    // What was spent on credit beside this look is owed, whether or not another request comes.
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

/** How many keys' worth of requests one principal may send by all its keys and sign-ins together. */
const keysOfOne = 5;

export type CallerLimiter = ReturnType<typeof createCallerLimiter>;

/**
 * Limits each key, and all that one principal holds. What its own key refuses is not counted against the principal: one
 * that is hammered takes nothing from the others.
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
    /** Answers the limit that is nearer. */
    async spend(keyId: string, principalId: string): Promise<RateDecision & { of: 'key' | 'principal' }> {
      const own = await keys.spend(keyId);
      if (!own.allowed) return { ...own, of: 'key' };
      const all = await principals.spend(principalId);
      return all.allowed && own.remaining <= all.remaining ? { ...own, of: 'key' } : { ...all, of: 'principal' };
    },
  };
}

/** Counts failures per address in a window that refills at `perSecond`; false when the address has none left. */
export function createFailureLimiter(perSecond: number, burst: number, nowMs: () => number) {
  const failures = new Map<string, { left: number; atMs: number }>();
  return {
    fail(address: string): boolean {
      const now = nowMs();
      if (failures.size > 50_000) failures.clear();
      const entry = failures.get(address) ?? { left: burst, atMs: now };
      entry.left = Math.min(burst, entry.left + ((now - entry.atMs) / 1_000) * perSecond) - 1;
      entry.atMs = now;
      failures.set(address, entry);
      return entry.left >= 0;
    },
  };
}
