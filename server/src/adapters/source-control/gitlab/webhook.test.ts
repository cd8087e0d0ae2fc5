import { expect, test } from 'vitest';
import { newWebhookSecret, webhookHeaders } from '../../../lib/standard-webhooks.ts';
import { verifyDelivery } from './webhook.ts';

const now = new Date('2026-11-24T12:00:00Z');
const body = Buffer.from('{"object_kind":"push"}');

test('a delivery is verified by the secret token', async () => {
  const by = (headers: Record<string, string>, secret = 'right') => verifyDelivery([secret], { headers, body }, now);
  expect(await by({ 'x-gitlab-token': 'right' })).toBe(true);
  for (const wrong of ['wrong', 'righ', 'right ', '']) expect(await by({ 'x-gitlab-token': wrong })).toBe(false);
  expect(await by({})).toBe(false);
  expect(await Promise.all([by({}, ''), by({ 'x-gitlab-token': '' }, '')])).toEqual([false, false]);
});

test('a delivery is verified by the signing token, for five minutes', async () => {
  const secret = newWebhookSecret();
  const headers = webhookHeaders({ id: 'f1', body: body.toString(), at: now }, [newWebhookSecret(), secret]);
  const later = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  expect(await verifyDelivery([secret], { headers, body }, later(4))).toBe(true);
  expect(await verifyDelivery([secret], { headers, body }, later(6))).toBe(false);
  expect(await verifyDelivery([newWebhookSecret()], { headers, body }, now)).toBe(false);
  expect(await verifyDelivery([secret], { headers, body: Buffer.from('{}') }, now)).toBe(false);
  for (const [name, value] of Object.entries({
    'webhook-id': 'f2',
    'webhook-timestamp': '1',
    'webhook-signature': 'v1,',
  }))
    expect(await verifyDelivery([secret], { headers: { ...headers, [name]: value }, body }, now)).toBe(false);
});
