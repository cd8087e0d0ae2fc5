import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Context } from '../../../app/context.ts';
import type { PreviewPlace } from '../../../http/authenticate.ts';
import { AppError } from '../../../lib/errors.ts';

type TicketContext = Pick<Context, 'keyRing' | 'clock'>;

const lastsMs = 60 * 60_000;
const purpose = 'preview-ticket';
const ivBytes = 12;
const tagBytes = 16;

/**
 * Issues a ticket for one preview, in the name of a sign-in. A page in a sandbox has no origin, so its requests carry no
 * cookie; its own URL carries the ticket instead. It opens nothing but this preview, and only as long as the sign-in may.
 */
export function issueTicket(ctx: TicketContext, signInId: string, place: PreviewPlace): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv('aes-256-gcm', ctx.keyRing.derive(purpose), iv);
  cipher.setAAD(boundTo(place));
  const expires = ctx.clock.now().getTime() + lastsMs;
  const sealed = Buffer.concat([cipher.update(`${expires} ${signInId}`), cipher.final()]);
  return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Returns the id of the sign-in that a ticket was issued for. Throws 401 `unauthorized`. */
export function readTicket(ctx: TicketContext, ticket: string, place: PreviewPlace): string {
  const [expires = '', id = ''] = unseal(ctx, ticket, place).split(' ');
  if (id === '' || !(Number(expires) > ctx.clock.now().getTime()))
    throw new AppError('unauthorized', 'The preview has expired. Open it again from the session.');
  return id;
}

/** Returns `''` for anything but a ticket of this installation for this preview. */
function unseal(ctx: TicketContext, ticket: string, place: PreviewPlace): string {
  const bytes = Buffer.from(ticket, 'base64url');
  if (bytes.length <= ivBytes + tagBytes) return '';
  try {
    const decipher = createDecipheriv('aes-256-gcm', ctx.keyRing.derive(purpose), bytes.subarray(0, ivBytes));
    decipher.setAAD(boundTo(place));
    decipher.setAuthTag(bytes.subarray(-tagBytes));
    const sealed = bytes.subarray(ivBytes, -tagBytes);
    return `${decipher.update(sealed).toString('utf8')}${decipher.final().toString('utf8')}`;
  } catch {
    return '';
  }
}

function boundTo({ organization, session, port }: PreviewPlace): Buffer {
  return Buffer.from(JSON.stringify([organization, session, port]));
}
