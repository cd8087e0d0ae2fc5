import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';

const organization = '/v3/organizations/default';
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  await skill('release-notes', { enabled: true });
  await skill('old-notes', { enabled: false });
  await skill('shop-notes', { assignments: [{ scope: 'repository', repo: 'gitlab:acme/shop' }] });
});
afterAll(() => api.close());

async function skill(name: string, more: object): Promise<void> {
  const content = `---\nname: ${name}\ndescription: Writes notes.\n---\nWrite.\n`;
  const body = { files: [{ path: 'SKILL.md', content }], ...more };
  expect((await api.call('POST', `${organization}/skills`, { body })).status).toBe(201);
}

async function ask(body: object) {
  const { status, json, text } = await api.call('POST', `${organization}/skills/resolve`, { body });
  expect([status, text]).toEqual([200, text]);
  const named = (key: string) => [json[key] ?? []].flat().map((item) => [Object(item).name, Object(item).reason]);
  return { given: named('items').map(([name]) => name), rest: Object.fromEntries(named('not_given')), json };
}

test('separates the skills that a session would get from the others, each with its reason', async () => {
  const { given, rest, json } = await ask({ prompt: 'Write the release-notes.', repo: 'acme/web' });
  expect(given).toEqual(['release-notes']);
  expect(rest).toEqual({
    'old-notes': expect.stringMatching(/^It is disabled\./),
    'shop-notes': expect.stringMatching(/^It applies to gitlab:acme\/shop, and the session has no such repository\./),
  });
  const { json: queried } = await api.call(
    'GET',
    `${organization}/skills/resolve?repo=acme/web&prompt=${encodeURIComponent('Write the release-notes.')}`,
  );
  expect([json['items'], json['not_given']].flat()).toEqual(queried['items']);
});

test('compares the git host of a repository, if it is named', async () => {
  expect((await ask({ prompt: '', repo: 'acme/shop', provider: 'gitlab' })).given).toContain('shop-notes');
  expect((await ask({ prompt: '', repo: 'acme/shop' })).given).toContain('shop-notes');
  expect((await ask({ prompt: '', repo: 'acme/shop', provider: 'github' })).given).not.toContain('shop-notes');
});

test('takes the longest prompt of a session, and no longer one', async () => {
  const prompt = `release-notes ${'x'.repeat(100_000)}`.slice(0, 100_000);
  expect((await ask({ prompt })).given).toContain('release-notes');
  const { status } = await api.call('POST', `${organization}/skills/resolve`, { body: { prompt: `${prompt}x` } });
  expect(status).toBe(400);
});
