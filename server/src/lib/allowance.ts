/** Bytes that may be taken at once, and come back with time. */
export interface Allowance {
  /** What is there when nothing was taken. */
  readonly mostBytes: number;
  /** Takes bytes if they are there; else answers the seconds until they are, and takes none. */
  take(bytes: number): { secondsToWait: number };
}

interface Level {
  bytes: number;
  atMs: number;
}

/** How many keys are known before those that lack nothing are forgotten. */
const manyKeys = 1_000;

/** An allowance of this process for each key, e.g. each organization. */
export function createAllowances(
  { mostBytes, bytesPerMinute }: { mostBytes: number; bytesPerMinute: number },
  now: () => Date,
): (key: string) => Allowance {
  const levels = new Map<string, Level>();

  function levelOf(key: string): number {
    const { bytes, atMs } = levels.get(key) ?? { bytes: mostBytes, atMs: 0 };
    return Math.min(mostBytes, bytes + ((now().getTime() - atMs) / 60_000) * bytesPerMinute);
  }

  return (key) => ({
    mostBytes,
    take(bytes) {
      const level = levelOf(key);
      if (level < bytes) return { secondsToWait: Math.ceil(((bytes - level) / bytesPerMinute) * 60) };
      if (levels.size >= manyKeys && !levels.has(key))
        for (const other of levels.keys()) if (levelOf(other) >= mostBytes) levels.delete(other);
      levels.set(key, { bytes: level - bytes, atMs: now().getTime() });
      return { secondsToWait: 0 };
    },
  });
}
