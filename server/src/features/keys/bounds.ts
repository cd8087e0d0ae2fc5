import type { AuthenticatedCaller } from '../../caller.ts';
import { isWithin } from '../../lib/cidr.ts';
import { AppError } from '../../lib/errors.ts';

/** The lifetime of a key, and the addresses it works from. */
export interface KeyBounds {
  /** Null: until it is revoked. */
  expiresAt: Date | null;
  /** CIDR ranges; empty allows every address. */
  ipRanges: string[];
}

type Maker = Pick<AuthenticatedCaller, 'credential'>;

/** Returns the bounds for keys that a caller creates. A sign-in has none: its user's keys outlive it. */
export function boundsOf({ credential }: Maker): KeyBounds {
  if (credential.kind === 'sign_in') return { expiresAt: null, ipRanges: [] };
  return { expiresAt: credential.expiresAt, ipRanges: [...credential.ipRanges] };
}

/** Returns the key that creates what a caller creates; null for a sign-in. */
export function makerOf({ credential }: Maker): string | null {
  return credential.kind === 'sign_in' ? null : credential.id;
}

/** Caps an end at the end of the caller's key. */
export function endWithin(caller: Maker, wanted: Date): Date {
  const { expiresAt } = boundsOf(caller);
  return expiresAt !== null && expiresAt < wanted ? expiresAt : wanted;
}

/** Returns the bounds of a new key: omitted ones are the caller's own. Throws 403 `forbidden` for wider ones. */
export function boundsWithin(caller: Maker, wanted: KeyBounds): KeyBounds {
  const own = boundsOf(caller);
  const expiresAt = wanted.expiresAt ?? own.expiresAt;
  const ipRanges = wanted.ipRanges.length === 0 ? own.ipRanges : wanted.ipRanges;
  requireWithin(own, { expiresAt, ipRanges });
  return { expiresAt, ipRanges };
}

/** Throws 403 `forbidden` for a key that lives longer than the caller's own, or works from other addresses. */
export function requireBounds(caller: Maker, key: KeyBounds): void {
  requireWithin(boundsOf(caller), key);
}

function requireWithin(own: KeyBounds, { expiresAt, ipRanges }: KeyBounds): void {
  if (own.expiresAt !== null && (expiresAt === null || expiresAt > own.expiresAt))
    throw new AppError(
      'forbidden',
      `Your own key expires at ${own.expiresAt.toISOString()}, so you cannot create one that lives longer.`,
    );
  if (own.ipRanges.length === 0) return;
  const outside = ipRanges.find((range) => !isWithin(range, own.ipRanges));
  if (outside === undefined && ipRanges.length > 0) return;
  throw new AppError(
    'forbidden',
    `Your own key works only from ${own.ipRanges.join(', ')}, so you cannot create one that works from ` +
      `${outside ?? 'everywhere'}.`,
  );
}
