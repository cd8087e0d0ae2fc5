import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookDelivery } from '../port.ts';

/** The accepted difference between the time of a signed delivery and now; the Standard Webhooks specification's libraries have it. */
const toleranceMs = 5 * 60_000;

/**
 * Verifies a delivery by GitLab's secret token (`X-Gitlab-Token`), or by its signing token, `whsec_` and a key in base64: an
 * HMAC by the Standard Webhooks specification. Header names are in lower case.
 */
export function verifyDelivery(secret: string, { headers, body }: WebhookDelivery, now: Date): boolean {
  if (secret === '') return false;
  return isSame(headers['x-gitlab-token'] ?? '', secret) || isSigned(secret, { headers, body }, now);
}

function isSigned(secret: string, { headers, body }: WebhookDelivery, now: Date): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers;
  const isRecent = Math.abs(now.getTime() - Number(timestamp) * 1_000) <= toleranceMs;
  if (!secret.startsWith('whsec_') || !/^\d{1,12}$/.test(timestamp) || !isRecent) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return signatures.split(' ', 10).some((signature) => isSame(signature, `v1,${signed}`));
}

/** Compares in a time that does not depend on the texts' content. */
function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
