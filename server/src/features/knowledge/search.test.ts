import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';

const organization = '/v3/organizations/default';
const search = `${organization}/knowledge/search`;

let api: TestApi;
let ada: string;
beforeAll(async () => {
  api = await startTestApi();
  const orgId = String((await api.call('GET', organization)).json['id']);
  ada = await personalKey(api, orgId, await join(api, orgId, 'member'));
  await note({ name: 'Invoices' });
  await note({ name: 'Old invoices', enabled: false });
  await note({ name: 'Invoices of the shop', repo_filter: 'acme/shop', scope: 'repository' });
  await note({ name: 'Kubernetes', trigger: 'Deploying', body: 'Use helm.' });
  await note({ name: 'My invoices', scope: 'user' });
});
afterAll(() => api.close());

async function note(fields: object): Promise<void> {
  const body = { trigger: 'Changing invoices', body: 'Totals of invoices are in cents.', ...fields };
  expect((await api.call('POST', `${organization}/knowledge/notes`, { body })).status).toBe(201);
}

async function ask(body: object, key = api.adminKey) {
  const { status, json, text } = await api.call('POST', search, { body, key });
  expect([status, text]).toEqual([200, text]);
  const names = [json['items']].flat().map((item) => String(Object(item).note.name));
  const rest = [json['not_given']].flat().map((item) => [Object(item).name, Object(item).reason]);
  return { names: names.toSorted(), rest: Object.fromEntries(rest), json };
}

const prompt = 'Round the totals of invoices.';

test('names the notes that a session would get, and for each of the others why not', async () => {
  const { names, rest, json } = await ask({ prompt, repo: 'acme/web' });
  expect(names).toEqual(['Invoices', 'My invoices']);
  expect(rest).toEqual({
    'Old invoices': 'It is disabled.',
    'Invoices of the shop': 'It applies to acme/shop, and the session has no such repository.',
    Kubernetes: 'The prompt shares too few words with it.',
  });
  expect(json['total']).toBe(2);
  expect([json['not_given']].flat().map((item) => Object(item).score > 0)).toEqual([true, false, false]);
});

test('agrees with the search by query, for a repository with or without its git host', async () => {
  for (const repo of ['acme/shop', 'acme/web']) {
    const { json } = await api.call('GET', `${search}?q=${encodeURIComponent(prompt)}&repo=${repo}`);
    expect((await ask({ prompt, repo })).json).toMatchObject({ items: json['items'], total: json['total'] });
  }
  await note({ name: 'Invoices at GitLab', repo_filter: 'gitlab:acme/pay' });
  expect((await ask({ prompt, repo: 'acme/pay', provider: 'gitlab' })).names).toContain('Invoices at GitLab');
  const { names, rest } = await ask({ prompt, repo: 'acme/pay', provider: 'github' });
  expect(names).not.toContain('Invoices at GitLab');
  expect(rest['Invoices at GitLab']).toMatch(/^It applies to gitlab:acme\/pay, /);
  const unknown = await api.call('POST', search, { body: { prompt, repo: 'acme/pay', provider: 'svn' } });
  expect(unknown.status).toBe(400);
});

test('never names another user’s own note', async () => {
  const { names, rest } = await ask({ prompt, repo: 'acme/web' }, ada);
  expect([names, Object.keys(rest)]).toEqual([['Invoices'], expect.not.arrayContaining(['My invoices'])]);
});

test('says that the limit left a note out', async () => {
  const settings = `${organization}/settings/knowledge`;
  await api.call('PUT', settings, { body: { max_notes_per_session: 1 } });
  const { names, rest } = await ask({ prompt, repo: 'acme/web' });
  expect(names).toHaveLength(1);
  expect(Object.values(rest)).toContain('Limit reached: a session gets at most 1 notes, and others match better.');
  await api.call('DELETE', settings);
});

test('takes the longest prompt of a session, and no longer one', async () => {
  const long = `${prompt} ${'x '.repeat(50_000)}`.slice(0, 100_000);
  expect((await ask({ prompt: long, repo: 'acme/web' })).names).toContain('Invoices');
  expect((await api.call('POST', search, { body: { prompt: `${long}x` } })).status).toBe(400);
});

test('explains at most a hundred notes, the best matches first', async () => {
  const orgId = String((await api.call('GET', organization)).json['id']);
  await api.ctx.db.pool.query(
    `insert into knowledge_notes (id, org_id, name, trigger, body, scope, repo_filter, user_id, enabled, revision, source,
       created_by_type, created_by_id, created_at, updated_at)
     select 'note_z' || lpad(n::text, 25, '0'), $1, 'Filler ' || n, 'x', 'x', 'organization', '', null, true, 1, 'user', 'system', '',
       now(), now() from generate_series(1, 300) n`,
    [orgId],
  );
  const { json, rest } = await ask({ prompt, repo: 'acme/web' });
  expect(json['not_given']).toHaveLength(100);
  expect(Object.keys(rest)[0]).toMatch(/^Invoices of the shop|^Invoices at GitLab/);
});
