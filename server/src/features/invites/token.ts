import { createHmac, randomBytes } from 'node:crypto';
import type { Context } from '../../app/context.ts';

/** What is random about an invite's token; worth nothing without the key ring, so it may wait in the queue. */
export function newNonce(): string {
  return randomBytes(24).toString('base64url');
}

/**
 * The token of an invite's link, of which only a hash is stored: made of the nonce and the key ring again when the mail is
 * sent, so that it lies nowhere in between.
 */
export function tokenOf(ctx: Pick<Context, 'keyRing'>, inviteId: string, nonce: string): string {
  return createHmac('sha256', ctx.keyRing.derive('invite tokens')).update(`${inviteId} ${nonce}`).digest('base64url');
}
