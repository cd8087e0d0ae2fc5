import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from '../../app/context.ts';

/** Returns the random part of an invitation's token; worthless without the key ring, so it may be stored in the queue. */
export function newNonce(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * Returns the token of an invitation's link. Only its hash is stored: it is derived from the nonce and the key ring again when
 * the mail is sent.
 */
export function tokenOf(ctx: Pick<Context, 'keyRing'>, inviteId: string, nonce: string): string {
  return createHmac('sha256', ctx.keyRing.derive('invite tokens')).update(`${inviteId} ${nonce}`).digest('base64url');
}
