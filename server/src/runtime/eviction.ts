/** A mirror or a base layer on this host. */
export interface Copy {
  readonly path: string;
  readonly orgId: string;
  readonly bytes: number;
  readonly usedMs: number;
  /** In use, and not to be removed. */
  readonly isHeld: boolean;
}

/**
 * What is to go for `maxBytes` to hold, and for `missingBytes` to become free: again and again what was not used for longest
 * of the organization that takes most. For the first none loses anything whose copies take no more than its part, so that
 * one organization cannot drive out the copies of others; for the second, without which nobody's sessions begin, it can.
 */
export function chooseEvicted<T extends Copy>(
  copies: readonly T[],
  { maxBytes, missingBytes }: { maxBytes: number; missingBytes: number },
): T[] {
  const byOrganization = Map.groupBy(copies, ({ orgId }) => orgId);
  const partBytes = maxBytes / byOrganization.size;
  const shares = [...byOrganization.values()].map((own) => ({
    bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
    idle: own.filter(({ isHeld }) => !isHeld).toSorted((a, b) => a.usedMs - b.usedMs),
  }));
  const chosen: T[] = [];
  let total = shares.reduce((sum, { bytes }) => sum + bytes, 0);
  let missing = missingBytes;
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
