import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Context } from '../../app/context.ts';

type KeyContext = Pick<Context, 'keyRing'>;

/** Names one secret of a webhook. */
export interface HookKey {
  readonly hookId: string;
  /** Increased by each rotation, from 0. */
  readonly no: number;
}

/** Returns the signing key of a webhook. It is derived, so nothing stores it; another trigger has another one. */
function keyOf({ keyRing }: KeyContext, { hookId, no }: HookKey): Buffer {
  return createHmac('sha256', keyRing.derive('automation hooks'))
    .update(no === 0 ? hookId : `${hookId} ${no}`)
    .digest();
}

/** Returns the secret in the form of Standard Webhooks. */
export function hookSecret(ctx: KeyContext, key: HookKey): string {
  return `whsec_${keyOf(ctx, key).toString('base64')}`;
}

/** The parts of a delivery that are signed. */
export interface SignedDelivery {
  /** Unique per delivery: a repetition has the same one. */
  readonly id: string;
  /** Seconds since 1970, as text. */
  readonly timestamp: string;
  readonly body: string;
}

/** Returns true if one of the signatures, `v1,<base64>` separated by spaces, is that of the delivery. */
export function isSigned(ctx: KeyContext, key: HookKey, delivery: SignedDelivery, signatures: string): boolean {
  const { id, timestamp, body } = delivery;
  const expected = createHmac('sha256', keyOf(ctx, key)).update(`${id}.${timestamp}.${body}`).digest();
  return signatures.split(' ', 10).some((signature) => {
    const [version, value = ''] = signature.split(',', 2);
    const given = Buffer.from(value, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
