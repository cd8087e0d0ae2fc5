import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../test/support/api.ts';
import { createRateLimiter } from './rate-limit.ts';
import { takeTokens } from './rate-limit-store.ts';

/** Small, so that a slow machine does not refill an allowance while it sends. */
const perSecond = 2;
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
    message: expect.stringContaining(`more than ${perSecond} requests`),
    request_id: refused?.headers.get('x-request-id'),
  });
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  for (const { headers } of answers) {
    expect(headers.get('ratelimit-limit')).toBe(String(burst));
    expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(burst);
    expect(Number(headers.get('ratelimit-reset'))).toBeLessThanOrEqual(burst / perSecond + 1);
  }
});

async function sharedTokens(key: string): Promise<number> {
  const { rows } = await free.ctx.db.pool.query<{ tokens: number }>(
    'select tokens from rate_limits r join api_keys k on k.id = r.key_id where k.hash = $1',
    [createHash('sha256').update(key).digest('hex')],
  );
  return rows[0]?.tokens ?? burst;
}

test('what a key spent at one process it cannot spend again at another', async () => {
  const key = await free.keyWith(['run']);
  const started = performance.now();
  const first = await fire(key, burst * 2, one);
  expect(allowed(first.answers)).toBeGreaterThanOrEqual(burst);
  // Other processes see tokens spent on credit once they are settled.
  await expect.poll(() => sharedTokens(key), { timeout: 30_000 }).toBeLessThan(1);
  const second = await fire(key, burst, two);
  const seconds = (performance.now() - started) / 1_000;
  expect(allowed(first.answers) + allowed(second.answers)).toBeLessThanOrEqual(burst + perSecond * seconds + 1);
});

describe('after silence', () => {
  const limit = { perSecond: 200, burst: 1_000 };
  let now = 0;
  const looks: Promise<unknown>[] = [];
  /** Creates the limiter of a separate process, with a clock that the test controls. */
  function limiter() {
    return createRateLimiter(
      limit,
      (keyId, want) => {
        const look = takeTokens(free.ctx.db, keyId, limit, want);
        looks.push(look);
        return look;
      },
      () => now,
    );
  }
  async function settled(): Promise<void> {
    for (let seen = -1; seen !== looks.length; await new Promise(setImmediate)) {
      seen = looks.length;
      await Promise.all(looks);
    }
  }
  async function silence(keyId: string, ms: number): Promise<void> {
    await settled();
    now += ms;
    await free.ctx.db.pool.query(
      "update rate_limits set refilled_at = refilled_at - $2 * interval '1 millisecond' where key_id = $1",
      [keyId, ms],
    );
  }
  async function exhausted(process: ReturnType<typeof limiter>, keyId: string) {
    for (let count = 0; count < 20_000; count += 1) {
      const decision = await process.spend(keyId);
      if (!decision.allowed) return decision;
    }
    throw new Error('the key was never refused');
  }
  async function newKeyId(): Promise<string> {
    const answer = await free.call('GET', '/v3/self', { key: await free.keyWith(['run']) });
    return String(Object(answer.json['key']).id);
  }

  test.each([1, 2])('of %d times what retry-after asks for, the next request is let through', async (times) => {
    const [id, process] = [await newKeyId(), limiter()];
    const refused = await exhausted(process, id);
    expect(refused).toMatchObject({ remaining: 0, limit: 1_000, resetSeconds: 5 });
    await silence(id, refused.retryAfterSeconds * times * 1_000);
    const next = await process.spend(id);
    expect(next.allowed).toBe(true);
    expect(next.remaining).toBeGreaterThanOrEqual(200 * times - 1 - limit.perSecond * 0.05);
    expect((await process.spend(id)).allowed).toBe(true);
  });

  test('a clock that is set back by an hour refuses nobody', async () => {
    const [id, process] = [await newKeyId(), limiter()];
    await process.spend(id);
    await settled();
    await free.ctx.db.pool.query(
      "update rate_limits set refilled_at = refilled_at + interval '1 hour' where key_id = $1",
      [id],
    );
    const another = limiter();
    for (let count = 0; count < 3; count += 1) {
      expect(await another.spend(id)).toMatchObject({ allowed: true });
      await settled();
    }
  });

  test('a process does not know better than the database what others spent meanwhile', async () => {
    const [id, process, another] = [await newKeyId(), limiter(), limiter()];
    expect((await process.spend(id)).remaining).toBe(999);
    await silence(id, 10_000);
    await exhausted(another, id);
    await settled();
    expect((await process.spend(id)).remaining).toBeLessThan(500);
  });
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

test('all keys of one principal together send no more than five of them may, and of others nothing is taken', async () => {
  const machine = await free.call('POST', '/v3/organizations/default/service-users', { body: { name: 'many keys' } });
  const path = `/v3/organizations/default/service-users/${String(machine.json['id'])}/keys`;
  const issue = async () =>
    String((await free.call('POST', path, { body: { name: 'k', scopes: ['run'] } })).json['key']);
  const keys = await Promise.all(Array.from({ length: 9 }, issue));
  const started = performance.now();
  const fired = await Promise.all(keys.map((key) => fire(key, burst - 2, one)));
  const seconds = (performance.now() - started) / 1_000;
  const answers = fired.flatMap((each) => each.answers);
  expect(allowed(answers)).toBeGreaterThanOrEqual(burst * 5);
  expect(allowed(answers)).toBeLessThanOrEqual(burst * 5 + perSecond * 5 * (seconds + 1));
  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.json['message']).toMatch(new RegExp(`together sent more than ${5 * perSecond} requests per second`));
  expect(refused?.headers.get('ratelimit-limit')).toBe(String(burst * 5));
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect((await one.call('GET', '/v3/self', { key: await free.keyWith(['run']) })).status).toBe(200);
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
