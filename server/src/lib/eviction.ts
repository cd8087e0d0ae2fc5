/** A mirror or a base layer on this host. */
export interface CacheEntry {
  readonly path: string;
  readonly orgId: string;
  readonly bytes: number;
  readonly usedMs: number;
  /** In use, so it must stay. */
  readonly isInUse: boolean;
}

/**
 * Chooses the entries to remove: all that were not used since `unusedBeforeMs`, and so many that the rest fits into `maxBytes` and `missingBytes` become free: repeatedly the least
 * recently used one of the organization that takes most. For `maxBytes`, an organization within its equal share loses
 * nothing, so that no organization can evict the entries of others. For `missingBytes` it can: without free disk no
 * session starts at all.
 */
export function chooseEvicted<T extends CacheEntry>(
  copies: readonly T[],
  { maxBytes, missingBytes, unusedBeforeMs }: { maxBytes: number; missingBytes: number; unusedBeforeMs: number },
): T[] {
  const isUnused = ({ isInUse, usedMs }: T): boolean => !isInUse && usedMs < unusedBeforeMs;
  const chosen = copies.filter(isUnused);
  const kept = copies.filter((copy) => !isUnused(copy));
  const byOrganization = Map.groupBy(kept, ({ orgId }) => orgId);
  const partBytes = maxBytes / byOrganization.size;
  const shares = [...byOrganization.values()].map((own) => ({
    bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
    idle: own.filter(({ isInUse }) => !isInUse).toSorted((a, b) => a.usedMs - b.usedMs),
  }));
  let total = shares.reduce((sum, { bytes }) => sum + bytes, 0);
  let missing = missingBytes - chosen.reduce((sum, { bytes }) => sum + bytes, 0);
  while (total > maxBytes || missing > 0) {
    const [most] = shares
      .filter(({ bytes, idle }) => idle.length > 0 && (missing > 0 || bytes > partBytes))
      .toSorted((a, b) => b.bytes - a.bytes);
    const copy = most?.idle.shift();
    if (most === undefined || copy === undefined) return chosen;
    chosen.push(copy);
    most.bytes -= copy.bytes;
    total -= copy.bytes;
    missing -= copy.bytes;
  }
  return chosen;
}
