import type { WebhookDelivery } from '../port.ts';
import { hmacOf, isSame } from '../signatures.ts';

/** Verifies `X-Hub-Signature-256`, the HMAC of a delivery's body with one of the secrets. Header names are in lower case. */
export async function verifySignature(
  secrets: readonly string[],
  { headers, body }: WebhookDelivery,
): Promise<boolean> {
  const given = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '')?.[1];
  if (given === undefined) return false;
  for (const secret of secrets)
    if (secret !== '' && isSame(Buffer.from(given, 'hex'), await hmacOf(secret, body))) return true;
  return false;
}
