import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPagureClient } from './client.ts';
import { createWebhooks } from './webhook.ts';

const ref = { orgId: 'org_1', connectionId: 'gc_1' };
const tokens: Record<string, string> = { web: 'token of web', 'fork/ada/web': 'token of the fork' };

/** Verifies at a time that the test changes. */
function open() {
  const state: { now: number; asked: string[]; status: number } = { now: 0, asked: [], status: 404 };
  const client = createPagureClient({
    connections: {
      open: async () => ({ ...ref, url: 'https://pagure.example.com', credential: { kind: 'token', token: 't' } }),
    },
    fetch: async (url) => {
      const path = url.replace('https://pagure.example.com/api/0/', '').replace('/webhook/token', '');
      state.asked.push(path);
      const token = tokens[path];
      const body = JSON.stringify(token === undefined ? { error_code: 'ENOPROJECT' } : { webhook: { token } });
      return new Response(body, { status: token === undefined ? state.status : 200 });
    },
  });
  return { state, ...createWebhooks(client, () => new Date(state.now)) };
}

function delivery(fullName: string, { key = tokens['web'] ?? '', about = fullName, text = '' } = {}) {
  const body = Buffer.from(JSON.stringify({ msg: { project_fullname: about, text }, topic: 'git.receive' }));
  const signature = createHmac('sha256', key).update(body).digest('hex');
  return { body, headers: { 'X-Pagure-project': fullName, 'X-Pagure-Signature-256': signature } };
}

test('a delivery is valid if the project that it is about signed it', async () => {
  const { verifyWebhook, state } = open();
  const valid = delivery('web', { text: 'x'.repeat(100_000) });
  expect(await verifyWebhook(ref, valid)).toBe(true);
  expect(await verifyWebhook(ref, delivery('forks/ada/web', { key: 'token of the fork' }))).toBe(true);
  const invalid = [
    { ...valid, body: Buffer.concat([valid.body, Buffer.from(' ')]) },
    { ...valid, headers: { ...valid.headers, 'X-Pagure-Signature-256': '' } },
    { ...valid, headers: { ...valid.headers, 'X-Pagure-Signature-256': 'f'.repeat(63) } },
    { ...valid, headers: { 'X-Pagure-Signature-256': valid.headers['X-Pagure-Signature-256'] } },
    { ...valid, headers: { ...valid.headers, 'X-Pagure-project': '../../-/whoami' } },
    delivery('forks/ada/web'),
    delivery('none'),
    // The project of a signature cannot speak for another one.
    delivery('web', { about: 'forks/ada/web' }),
    delivery('forks/ada/web', { key: 'token of the fork', about: 'web' }),
  ];
  for (const one of invalid) expect(await verifyWebhook(ref, one)).toBe(false);
  expect(state.asked).toEqual(['web', 'fork/ada/web', 'none']);
});

test('tokens are asked for at most once a minute, also those that do not exist', async () => {
  const { verifyWebhook, state } = open();
  for (let count = 0; count < 5; count += 1)
    await Promise.all([verifyWebhook(ref, delivery('web')), verifyWebhook(ref, delivery('none'))]);
  expect(state.asked).toEqual(['web', 'none']);
  state.now += 60_000;
  await verifyWebhook(ref, delivery('web'));
  expect(state.asked).toEqual(['web', 'none', 'web']);
});

test('an outage of the host is no forgery, and is not remembered', async () => {
  const { verifyWebhook, state } = open();
  state.status = 500;
  for (let count = 0; count < 2; count += 1)
    await expect(verifyWebhook(ref, delivery('none'))).rejects.toMatchObject({ retryable: true });
  expect(state.asked).toEqual(['none', 'none']);
});
