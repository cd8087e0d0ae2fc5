import type { Diff } from '../../../git/diff.ts';

/** What is kept of diffs in a process, as they lie in memory: two bytes a character, and what stands around a file. */
const maxBytes = 64 * 1024 * 1024;
const bytesAround = 500;

interface Kept {
  readonly diff: Promise<Diff>;
  /** 0 while it is being made. */
  bytes: number;
}

/** Two commits differ in the same for ever. Each pair is compared once at a time, and what was asked for last is kept. */
export function createDiffCache(limitBytes = maxBytes) {
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function forget(key: string, entry: Kept): void {
    if (kept.get(key) === entry) kept.delete(key);
    bytes -= entry.bytes;
    entry.bytes = 0;
  }

  async function keep(key: string, entry: Kept): Promise<void> {
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
    /** The diff of a key, which names a repository and two commits by their whole ids. */
    get(key: string, compare: () => Promise<Diff>): Promise<Diff> {
      const known = kept.get(key);
      const entry = known ?? { diff: compare(), bytes: 0 };
      // The last in the map was asked for last.
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
