import type { AuthenticatedCaller } from '../../caller.ts';
import { isWithin } from '../../lib/cidr.ts';
import { AppError } from '../../lib/errors.ts';

/** For how long and from where a key works. */
export interface KeyBounds {
  /** Null: until it is revoked. */
  expiresAt: Date | null;
  /** CIDR ranges; none is everywhere. */
  ipRanges: string[];
}

type Maker = Pick<AuthenticatedCaller, 'credential'>;

/** The bounds that what a caller makes must keep within. A sign-in is its person, whose keys outlive it. */
export function boundsOf({ credential }: Maker): KeyBounds {
  if (credential.kind === 'sign_in') return { expiresAt: null, ipRanges: [] };
  return { expiresAt: credential.expiresAt, ipRanges: [...credential.ipRanges] };
}

/** The key that makes what a caller makes; null for a sign-in, which is its person. */
export function makerOf({ credential }: Maker): string | null {
  return credential.kind === 'sign_in' ? null : credential.id;
}

/** The end of something that would last until `wanted`, made by a caller: with its key at the latest. */
export function endWithin(caller: Maker, wanted: Date): Date {
  const { expiresAt } = boundsOf(caller);
  return expiresAt !== null && expiresAt < wanted ? expiresAt : wanted;
}

/** The bounds of a new key: what is not told is the caller's own. Throws 403 `forbidden` for wider ones. */
export function boundsWithin(caller: Maker, wanted: KeyBounds): KeyBounds {
  const own = boundsOf(caller);
  const expiresAt = wanted.expiresAt ?? own.expiresAt;
  const ipRanges = wanted.ipRanges.length === 0 ? own.ipRanges : wanted.ipRanges;
  requireWithin(own, { expiresAt, ipRanges });
  return { expiresAt, ipRanges };
}

/** Throws 403 `forbidden` where a key lives longer than the caller's own, or works from elsewhere. */
export function requireBounds(caller: Maker, key: KeyBounds): void {
  requireWithin(boundsOf(caller), key);
}

function requireWithin(own: KeyBounds, { expiresAt, ipRanges }: KeyBounds): void {
  if (own.expiresAt !== null && (expiresAt === null || expiresAt > own.expiresAt))
    throw new AppError(
      'forbidden',
      `Your own key ends at ${own.expiresAt.toISOString()}, so you cannot issue one that works longer.`,
    );
  if (own.ipRanges.length === 0) return;
  const outside = ipRanges.find((range) => !isWithin(range, own.ipRanges));
  if (outside === undefined && ipRanges.length > 0) return;
  throw new AppError(
    'forbidden',
    `Your own key works from ${own.ipRanges.join(', ')} alone, so you cannot issue one that works from ${outside ?? 'everywhere'}.`,
  );
}
