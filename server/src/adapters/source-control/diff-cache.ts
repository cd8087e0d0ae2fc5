import type { Diff } from '../../git/diff.ts';

/** Limits for cached diffs in memory: two bytes per character, and an overhead per file. */
const maxBytes = 64 * 1024 * 1024;
const bytesAround = 500;

interface CacheEntry {
  readonly diff: Promise<Diff>;
  /** 0 while it is being computed. */
  bytes: number;
}

export type DiffCache = ReturnType<typeof createDiffCache>;

/** Caches the most recently used diffs; a diff of two commits never changes. Concurrent requests share one comparison. */
export function createDiffCache(limitBytes = maxBytes) {
  const kept = new Map<string, CacheEntry>();
  let bytes = 0;

  function forget(key: string, entry: CacheEntry): void {
    if (kept.get(key) === entry) kept.delete(key);
    bytes -= entry.bytes;
    entry.bytes = 0;
  }

  async function keep(key: string, entry: CacheEntry): Promise<void> {
    try {
      entry.bytes = sizeOf(await entry.diff);
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
    /** Returns the diff of a key, which has a repository and two full commit ids. */
    get(key: string, compare: () => Promise<Diff>): Promise<Diff> {
      const known = kept.get(key);
      const entry = known ?? { diff: compare(), bytes: 0 };
      // Moves the key to the end of the map: the last one was used most recently.
      kept.delete(key);
      kept.set(key, entry);
      if (known === undefined) void keep(key, entry);
      return entry.diff;
    },
  };
}

function sizeOf({ files }: Diff): number {
  return files.reduce(
    (sum, { path, old_path, patch }) => sum + 2 * (path.length + old_path.length + patch.length) + bytesAround,
    bytesAround,
  );
}
