import { afterAll, beforeAll, expect, test } from 'vitest';
import { growingDelta, packOf } from '../../git/pack/pack-fixture.ts';
import { encodePkt, flushPkt } from '../../git/pkt-line.ts';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** Pushes 2 GB that compress to a few bytes; returns the host's message. */
async function push(slug: string, key: string): Promise<string> {
  const delta = { base: 'a'.repeat(40), delta: growingDelta(99_000_000, Buffer.from('x')) };
  const commands = encodePkt(`${'0'.repeat(40)} ${'b'.repeat(40)} refs/heads/main\0report-status`);
  const pack = packOf(Array.from({ length: 10 }, () => delta));
  const answer = await fetch(`${api.url}/git/${slug}/acme/app.git/git-receive-pack`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-git-receive-pack-request' },
    body: Buffer.concat([commands, flushPkt, pack]),
  });
  expect([answer.status, pack.length < 1_500]).toEqual([200, true]);
  return answer.text();
}

test('of what becomes much of few bytes an organization pushes no more than its allowance, whichever push it is in', async () => {
  const other = await api.createOrganization('Other');
  const mine = { slug: 'default', key: api.adminKey };
  for (const { slug, key } of [mine, other]) {
    const body = { provider: 'local', repo: 'acme/app' };
    expect((await api.call('POST', `/v3/organizations/${slug}/repositories`, { key, body })).status).toBe(201);
  }
  // Git itself detects the missing base of the deltas.
  const judged = /unpack (?:unpack-objects|index-pack)/;
  expect(await push(mine.slug, mine.key)).toMatch(judged);
  expect(await push(mine.slug, mine.key)).toMatch(
    /ng refs\/heads\/main this pack and earlier ones .* push again in \d+ s/,
  );
  expect(await push(other.slug, other.key)).toMatch(judged);
});
