import type { WebhookDelivery } from '../port.ts';
import { hmacOf, isSame } from '../signatures.ts';

/** The accepted difference between the time of a signed delivery and now; the Standard Webhooks specification's libraries have it. */
const toleranceMs = 5 * 60_000;

/**
 * Verifies a delivery by GitLab's secret token (`X-Gitlab-Token`), or by its signing token, `whsec_` and a key in base64: an
 * HMAC by the Standard Webhooks specification. One of the secrets must match. Header names are in lower case.
 */
export async function verifyDelivery(
  secrets: readonly string[],
  delivery: WebhookDelivery,
  now: Date,
): Promise<boolean> {
  const token = delivery.headers['x-gitlab-token'] ?? '';
  for (const secret of secrets)
    if (secret !== '' && (isSame(token, secret) || (await isSigned(secret, delivery, now)))) return true;
  return false;
}

async function isSigned(secret: string, { headers, body }: WebhookDelivery, now: Date): Promise<boolean> {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers;
  const isRecent = Math.abs(now.getTime() - Number(timestamp) * 1_000) <= toleranceMs;
  if (!secret.startsWith('whsec_') || !/^\d{1,12}$/.test(timestamp) || !isRecent) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = (await hmacOf(key, body, `${id}.${timestamp}.`)).toString('base64');
  return signatures.split(' ', 10).some((signature) => isSame(signature, `v1,${signed}`));
}
