import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectGithub } from '../../../../test/hosts/github/connected.ts';

let connected: Awaited<ReturnType<typeof connectGithub>>;
beforeAll(async () => {
  connected = await connectGithub();
  await connected.source.find(connected.repository);
});
afterAll(() => connected.close());

const nothing = { title: 'T', body: '', draft: false, headRef: 'none', headSha: '', baseRef: 'main' };

test('at the primary rate limit no call reaches GitHub until it ends', async () => {
  const { fake, source, repository } = connected;
  fake.budget = 0;
  const limited = {
    retryable: true,
    message: expect.stringMatching(/^The rate limit of 127\.0\.0\.1:\d+ is reached\. .*Z\.$/),
  };
  await expect(source.find(repository)).rejects.toMatchObject(limited);
  fake.budget = undefined;
  const before = fake.requests.length;
  await expect(source.changeRequest(repository, 1)).rejects.toMatchObject(limited);
  expect(fake.requests.length).toBe(before);
  fake.aheadMs += 31 * 60_000;
  expect(await source.find(repository)).toEqual({ defaultBranch: 'main' });
});

test.each([
  ['with the time to wait', { 'retry-after': '90' }],
  ['without it', {}],
])('a secondary rate limit %s is kept too', async (_, headers) => {
  const { fake, source, repository } = connected;
  const body = JSON.stringify({ message: 'You have exceeded a secondary rate limit. Please wait a few minutes.' });
  fake.fail({ path: /^\/repos\/acme\/app$/, answer: { status: 403, headers, body } });
  await expect(source.find(repository)).rejects.toMatchObject({ retryable: true });
  fake.aheadMs += 50_000;
  await expect(source.find(repository)).rejects.toThrow('rate limit');
  fake.aheadMs += 50_000;
  expect(await source.find(repository)).toEqual({ defaultBranch: 'main' });
});

test('a read is repeated after a failure that passes, a change is not', async () => {
  const { fake, source, repository } = connected;
  const answer = { status: 502, body: '<html>Unicorn!</html>' };
  fake.fail({ path: /^\/repos\/acme\/app$/, times: 2, answer });
  expect(await source.find(repository)).toEqual({ defaultBranch: 'main' });
  fake.fail({ method: 'POST', path: /\/pulls$/, answer });
  const before = fake.requests.filter(({ method }) => method === 'POST').length;
  await expect(source.openChangeRequest(repository, nothing)).rejects.toMatchObject({ retryable: true, status: 502 });
  expect(fake.requests.filter(({ method }) => method === 'POST').length).toBe(before + 1);
});

test.each([
  ['9 MiB of JSON', { body: JSON.stringify({ pad: 'x'.repeat(9 * 1_024 * 1_024) }) }, 'has more than 8388608 bytes'],
  ['a million values', { body: `[${'0,'.repeat(1_000_000)}0]` }, 'contains more than 200000 values'],
  ['deep nesting', { body: '['.repeat(100_000) }, 'is nested deeper than 40 levels'],
  ['something else than JSON', { body: '<html>' }, 'unexpected response'],
  ['other types', { body: '{"full_name":[],"default_branch":7}' }, 'unexpected response'],
  ['a name with a path', { body: '{"full_name":"../../app","default_branch":"main"}' }, 'unexpected response'],
  [
    'a redirect to another host',
    { status: 302, body: '', headers: { location: 'http://127.0.0.2:1/' } },
    'redirects to another address',
  ],
])('a response with %s is refused', async (_, answer, message) => {
  const { fake, source, repository } = connected;
  fake.fail({ path: /^\/repos\/acme\/app$/, answer: { status: 200, ...answer } });
  await expect(source.find(repository)).rejects.toMatchObject({
    retryable: false,
    message: expect.stringContaining(message),
  });
});

test('repositories are listed page by page, and an endless list costs five requests a call', async () => {
  const { fake, source, repository } = connected;
  const { bare } = fake.repository('acme/app');
  for (let number = 0; number < 250; number += 1) await fake.create(`acme/r${String(number).padStart(3, '0')}`, bare);
  const list = async (search: string, page: string) => source.reachable?.(repository, { search, page, limit: 100 });
  const found: string[] = [];
  let page = '';
  do {
    const listed = await list('R', page);
    found.push(...(listed?.items ?? []).map(({ repo }) => repo));
    page = listed?.next ?? '';
  } while (page !== '');
  expect([found.length, new Set(found).size]).toEqual([250, 250]);
  expect(await list('r24', '')).toMatchObject({ items: { length: 10 }, next: '' });

  const endless = {
    status: 200,
    headers: { link: '<https://evil.example/?page=2>; rel="next"' },
    body: '{"repositories":[]}',
  };
  fake.fail({ path: /^\/installation\/repositories$/, times: 20, answer: endless });
  const before = fake.requests.length;
  expect(await list('x', '')).toEqual({ items: [], next: '6.0' });
  expect(fake.requests.length).toBe(before + 5);
});
