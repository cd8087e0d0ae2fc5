interface Bucket {
  /** Tokens taken from the shared bucket and not spent here; negative while this process owes. */
  balance: number;
  /** What the shared bucket held at the last answer; the most this process may owe. */
  remaining: number;
  settling: boolean;
  nextSettleMs: number;
  usedMs: number;
}

export interface RateDecision {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Seconds until the whole burst is available again. */
  resetSeconds: number;
  retryAfterSeconds: number;
}

type Take = (keyId: string, want: number) => Promise<{ granted: number; remaining: number }>;

/**
 * Rate limit per key over all API processes. Tokens come from PostgreSQL in slices of 5 % of a
 * second's allowance and are fetched beside the requests: a process spends on credit up to what the shared bucket
 * held at the last look, and settles. So no request waits for the database, and a burst is not refused by mistake.
 */
export function createRateLimiter(limit: { perSecond: number; burst: number }, take: Take, nowMs: () => number) {
  const buckets = new Map<string, Bucket>();
  const slice = Math.max(1, Math.floor(limit.perSecond * 0.05));
  const sliceMs = (slice / Math.max(1, limit.perSecond)) * 1_000;

  async function settle(keyId: string, bucket: Bucket): Promise<void> {
    bucket.settling = true;
    const want = slice - Math.min(0, bucket.balance);
    try {
      const { granted, remaining } = await take(keyId, want);
      bucket.balance += granted;
      bucket.remaining = remaining;
      // While there is something to take, the next look follows at once: what this process spends on credit, another
      // one cannot see. An empty bucket has nothing to say before it holds a slice again.
      bucket.nextSettleMs = granted > 0 ? 0 : nowMs() + sliceMs;
    } catch {
      // Without a database the request behind this one fails anyway; the bucket stays as it is.
      bucket.nextSettleMs = nowMs() + sliceMs;
    } finally {
      bucket.settling = false;
    }
  }

  function forgetIdle(now: number): void {
    for (const [keyId, bucket] of buckets) if (now - bucket.usedMs > 600_000 && !bucket.settling) buckets.delete(keyId);
  }

  return {
    /** Spends one token of the key. */
    spend(keyId: string): RateDecision {
      const now = nowMs();
      let bucket = buckets.get(keyId);
      if (bucket === undefined) {
        if (buckets.size >= 10_000) forgetIdle(now);
        bucket = { balance: 0, remaining: limit.burst, settling: false, nextSettleMs: 0, usedMs: now };
        buckets.set(keyId, bucket);
      }
      bucket.usedMs = now;
      const allowed = bucket.balance + Math.max(0, bucket.remaining) >= 1;
      if (allowed) bucket.balance -= 1;
      if (bucket.balance <= slice / 2 && !bucket.settling && now >= bucket.nextSettleMs) void settle(keyId, bucket);
      const remaining = Math.max(0, Math.floor(bucket.balance + Math.max(0, bucket.remaining)));
      return {
        allowed,
        limit: limit.perSecond,
        remaining,
        resetSeconds: Math.ceil((limit.burst - Math.min(limit.burst, remaining)) / Math.max(1, limit.perSecond)),
        retryAfterSeconds: Math.max(
          1,
          Math.ceil(-Math.min(0, bucket.balance + bucket.remaining) / Math.max(1, limit.perSecond)),
        ),
      };
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
