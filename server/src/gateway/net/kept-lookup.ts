export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Resolves a name to all its addresses; rejects when there is none. */
export type Lookup = (host: string) => Promise<readonly Address[]>;

/** As long as a resolver would keep a name of a service that moves. */
const keptMs = 30_000;
const mostNames = 256;

interface Kept {
  readonly found: Promise<readonly Address[]>;
  /** Infinity while the lookup is under way. */
  untilMs: number;
}

/**
 * Keeps the addresses of names for 30 s, and shares a lookup under way: an installation of a thousand packages asks for one name
 * a thousand times, the system's resolver answers four at once, and each may take seconds when the network loses its question.
 * Failures are not kept. Only for names that no sandbox chooses, or a sandbox could find out which ones others have used.
 */
export function keepLookups(lookup: Lookup, now: () => number = () => performance.now()): Lookup {
  const names = new Map<string, Kept>();
  return (host) => {
    const known = names.get(host);
    if (known !== undefined && known.untilMs > now()) return known.found;
    const kept: Kept = { found: lookup(host), untilMs: Infinity };
    names.delete(host);
    names.set(host, kept);
    kept.found.then(
      () => (kept.untilMs = now() + keptMs),
      () => names.get(host) === kept && names.delete(host),
    );
    const [oldest] = names.keys();
    if (names.size > mostNames && oldest !== undefined) names.delete(oldest);
    return kept.found;
  };
}
