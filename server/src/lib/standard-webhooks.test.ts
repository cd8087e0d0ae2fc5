import { expect, test } from 'vitest';
import { newWebhookSecret, webhookHeaders } from './standard-webhooks.ts';

/** The example of the specification's reference libraries. */
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const message = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  body: '{"test": 2432232314}',
  at: new Date(1_614_265_330_999),
};

test('a message is signed as the reference libraries sign it', () => {
  expect(webhookHeaders(message, [secret])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test('during a rotation, each secret signs', () => {
  const [one, other] = [newWebhookSecret(), newWebhookSecret()];
  const signatureOf = (...secrets: string[]) => webhookHeaders(message, secrets)['webhook-signature'];
  expect(signatureOf(one, other)).toBe(`${signatureOf(one)} ${signatureOf(other)}`);
  expect(one).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(one).not.toBe(other);
});
