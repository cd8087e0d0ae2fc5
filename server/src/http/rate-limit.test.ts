import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../test/support/api.ts';

const perSecond = 10;
const burst = 40;
let free: TestApi;
let one: TestApi;
let two: TestApi;
beforeAll(async () => {
  free = await startTestApi();
  const limited = { GUILDHALL_RATE_LIMIT: `${perSecond}:${burst}` };
  [one, two] = await Promise.all([free.another(limited), free.another(limited)]);
});
afterAll(async () => {
  await Promise.all([one.close(), two.close()]);
  await free.close();
});

async function fire(key: string, times: number, ...apis: TestApi[]): Promise<{ answers: Answer[]; seconds: number }> {
  const started = performance.now();
  const calls = apis.flatMap((api) =>
    Array.from({ length: times / apis.length }, () => api.call('GET', '/v3/self', { key })),
  );
  const answers = await Promise.all(calls);
  return { answers, seconds: (performance.now() - started) / 1_000 };
}

function allowed(answers: Answer[]): number {
  return answers.filter(({ status }) => status === 200).length;
}

test('a burst fired at once is allowed whole, and what exceeds it is 429', async () => {
  const { answers, seconds } = await fire(await free.keyWith(['run']), 100, one);
  expect(allowed(answers)).toBeGreaterThanOrEqual(burst);
  expect(allowed(answers)).toBeLessThanOrEqual(burst + perSecond * (seconds + 1));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.json).toEqual({
    error: 'rate_limited',
    message: expect.stringContaining('10'),
    request_id: refused?.headers.get('x-request-id'),
  });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  for (const { headers } of answers) {
    expect(headers.get('ratelimit-limit')).toBe(String(perSecond));
    expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(burst);
    expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(burst / perSecond + 1);
  }
});

/** How many requests, one after the other, a process answers before it refuses the key. */
async function untilRefused(key: string, api: TestApi): Promise<number> {
  for (let count = 0; count < 500; count += 1) {
    if ((await api.call('GET', '/v3/self', { key })).status === 429) return count;
  }
  throw new Error('the key was never refused');
}

test('what a key spent at one process it cannot spend again at another', async () => {
  const key = await free.keyWith(['run']);
  expect(await untilRefused(key, one)).toBeGreaterThanOrEqual(burst);
  // The other process answers on credit until its first look at the shared bucket is back.
  expect(await untilRefused(key, two)).toBeLessThan(burst / 2);
});

test('an allowance refills', async () => {
  const key = await free.keyWith(['run']);
  await fire(key, 60, one);
  const deadline = performance.now() + 10_000;
  let answer = await one.call('GET', '/v3/self', { key });
  while (answer.status !== 200 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    answer = await one.call('GET', '/v3/self', { key });
  }
  expect(answer.status).toBe(200);
});

test('other keys are not concerned', async () => {
  await fire(await free.keyWith(['run']), 60, one);
  expect((await one.call('GET', '/v3/self', { key: await free.keyWith(['run']) })).status).toBe(200);
});

test.each([
  ['GET', '/v3/organizations/nowhere/sessions', 404, ['error', 'message', 'request_id']],
  ['POST', '/v3/organizations', 403, ['error', 'message', 'request_id']],
  ['GET', '/agents', 403, ['error', 'message']],
])('%s %s: 429 comes before its %d', async (method, path, later, keys) => {
  const key = await free.keyWith(['run']);
  const answers = await Promise.all(Array.from({ length: 100 }, () => one.call(method, path, { key })));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { json } of refused) expect(Object.keys(json)).toEqual(keys);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([later, 429]));
});

test('429 comes after an address that is refused', async () => {
  const far = { name: 'far', scopes: ['run'], ip_ranges: ['203.0.113.0/24'] };
  const { json } = await free.call('POST', '/v3/self/keys', { body: far });
  const { answers } = await fire(String(json['key']), 60, one);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([403]));
});

test('0 is off, and then no header speaks of a limit', async () => {
  const answer = await free.call('GET', '/v3/self');
  expect([answer.status, answer.headers.get('ratelimit-limit')]).toEqual([200, null]);
});

test('failed authentication is limited per address, and a valid key from there still works', async () => {
  let limited: Answer | undefined;
  for (let round = 0; round < 30 && limited === undefined; round += 1)
    limited = (await fire('guild_wrong', 100, free)).answers.find(({ status }) => status === 429);
  expect(limited?.json).toMatchObject({ error: 'rate_limited' });
  expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await free.call('GET', '/v3/self')).status).toBe(200);
});
