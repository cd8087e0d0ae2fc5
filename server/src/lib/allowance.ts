import { shareOf } from './machine-share.ts';

/** A token bucket of bytes, refilled over time. */
export interface Allowance {
  /** The size of a full bucket. */
  readonly mostBytes: number;
  /** Takes bytes if available; otherwise takes none and returns the seconds until they are. */
  take(bytes: number): { secondsToWait: number };
}

interface Level {
  bytes: number;
  atMs: number;
}

/** The number of keys above which full buckets are dropped. */
const manyKeys = 1_000;

/** Creates a token bucket per key, e.g. per organization, in this process, which has its share of the rate. */
export function createAllowances(
  { mostBytes, bytesPerMinute }: { mostBytes: number; bytesPerMinute: number },
  now: () => Date,
): (key: string) => Allowance {
  const levels = new Map<string, Level>();

  function levelOf(key: string): number {
    const { bytes, atMs } = levels.get(key) ?? { bytes: mostBytes, atMs: 0 };
    return Math.min(mostBytes, bytes + ((now().getTime() - atMs) / 60_000) * shareOf(bytesPerMinute));
  }

  return (key) => ({
    mostBytes,
    take(bytes) {
      const level = levelOf(key);
      if (level < bytes) return { secondsToWait: Math.ceil(((bytes - level) / shareOf(bytesPerMinute)) * 60) };
      if (levels.size >= manyKeys && !levels.has(key))
        for (const other of levels.keys()) if (levelOf(other) >= mostBytes) levels.delete(other);
      levels.set(key, { bytes: level - bytes, atMs: now().getTime() });
      return { secondsToWait: 0 };
    },
  });
}
