interface CacheEntry<T> {
  readonly value: Promise<T>;
  /** 0 while it is being read. */
  bytes: number;
}

export interface CommitCache<T> {
  /** Returns what was read by a key, which has a repository and full commit ids, or reads it. It must not be changed. */
  get(key: string, read: () => Promise<T>): Promise<T>;
}

/** Caches what was read of commits, which never change, and was used most recently. Concurrent requests share one read. */
export function createCommitCache<T>(limitBytes: number, sizeOf: (value: T) => number): CommitCache<T> {
  const kept = new Map<string, CacheEntry<T>>();
  let bytes = 0;

  function forget(key: string, entry: CacheEntry<T>): void {
    if (kept.get(key) === entry) kept.delete(key);
    bytes -= entry.bytes;
    entry.bytes = 0;
  }

  async function keep(key: string, entry: CacheEntry<T>): Promise<void> {
    try {
      entry.bytes = sizeOf(await entry.value);
      bytes += entry.bytes;
    } catch {
      forget(key, entry);
    }
    for (const [oldest, other] of kept) {
      if (bytes <= limitBytes) return;
      if (other.bytes > 0) forget(oldest, other);
    }
  }

  return {
    get(key, read) {
      const known = kept.get(key);
      const entry = known ?? { value: read(), bytes: 0 };
      // Moves the key to the end of the map: the last one was used most recently.
      kept.delete(key);
      kept.set(key, entry);
      if (known === undefined) void keep(key, entry);
      return entry.value;
    },
  };
}
