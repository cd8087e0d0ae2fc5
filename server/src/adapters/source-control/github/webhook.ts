import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookDelivery } from '../port.ts';

/** Verifies `X-Hub-Signature-256`, the HMAC of a delivery's body with the webhook's secret. Header names are in lower case. */
export function verifySignature(secret: string, { headers, body }: WebhookDelivery): boolean {
  const given = /^sha256=([0-9a-f]{64})$/.exec(headers['x-hub-signature-256'] ?? '')?.[1];
  if (given === undefined || secret === '') return false;
  return timingSafeEqual(Buffer.from(given, 'hex'), createHmac('sha256', secret).update(body).digest());
}
