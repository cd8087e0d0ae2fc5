import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** A message of the Standard Webhooks specification 1.0.0. */
export interface WebhookMessage {
  /** The same for every attempt, so that the receiver recognizes a repetition. */
  readonly id: string;
  readonly body: string;
  /** The time of this attempt; receivers reject old ones. */
  readonly at: Date;
}

/** Creates a secret for signatures: `whsec_` and 32 random bytes in base64. */
export function newWebhookSecret(): string {
  return `${prefix}${randomBytes(32).toString('base64')}`;
}

/** Returns the headers of a signed message, with a signature for each secret. */
export function webhookHeaders(message: WebhookMessage, secrets: readonly string[]): Record<string, string> {
  const { id, body, at } = message;
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64');
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
