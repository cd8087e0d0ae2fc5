import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
  const body = { provider: 'local', repo: 'acme/twice' };
  const { json } = await api.call('POST', `${org}/repositories`, { body });
  await api.ctx.db.pool.query(
    `insert into repositories select (jsonb_populate_record(r, '{"id": "repo_other", "provider": "github"}')).*
     from repositories r where id = $1`,
    [json['id']],
  );
});
afterAll(() => api.close());

const org = '/v3/organizations/default';
const choices = 'must name the provider, because several have a repository acme/twice:';

test.each<[string, string, (repo: string) => object | undefined, string]>([
  [
    'POST',
    '/sessions',
    (repo) => ({ prompt: 'x', repositories: [{ repo }] }),
    'body.repositories.0.provider is required',
  ],
  ['POST', '/secrets', (repo) => ({ key: 'A', value: 'x', scope: 'repository', repo }), `body.repo ${choices}`],
  [
    'POST',
    '/mcp-servers',
    (repo) => ({ name: 'x', command: 'x', access: 'repositories', repos: [repo] }),
    `body.repos.0 ${choices}`,
  ],
  ['POST', '/guardrails/evaluate', (repo) => ({ repo }), `body.repo ${choices}`],
  ['GET', '/guardrails/effective?repo=acme/twice', () => undefined, `query.repo ${choices}`],
])('%s %s says where to name the provider of a name that several have', async (method, path, bodyOf, message) => {
  const call = (name: string) => {
    const body = bodyOf(name);
    const url = `${org}${path.replace('=acme/twice', `=${name}`)}`;
    return api.call(method, url, body === undefined ? {} : { body });
  };
  const refused = await call('acme/twice');
  expect([refused.status, refused.json['error']]).toEqual([400, 'invalid_request']);
  expect(refused.json['message']).toContain(message);
  if (path !== '/sessions') expect((await call('local:acme/twice')).status).toBeLessThan(300);
});
