import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { newId } from '../../lib/ids.ts';

const org = '/v3/organizations/default';
const [hosted, merged] = ['https://git.example/acme/shop/pull/7', 'https://git.example/acme/shop/-/merge_requests/8'];
let api: TestApi;
let repository: string;
beforeAll(async () => {
  api = await startTestApi();
  const made = await api.call('POST', `${org}/repositories`, { body: { provider: 'local', repo: 'acme/shop' } });
  repository = String(made.json['id']);
  for (const [number, url] of Object.entries({ 7: hosted, 8: merged }))
    await api.ctx.db.pool.query(
      `insert into change_requests (id, org_id, repository_id, number, title, body, state, draft, head_ref, head_sha, base_ref,
         base_sha, author_type, author_id, session_id, created_at, updated_at, provider_updated_at, url)
       select $1, org_id, id, $3, 't', '', 'merged', false, 'h', 'a', 'main', 'b', 'system', '', '', now(), now(), now(), $4
       from repositories where id = $2`,
      [newId('cr'), repository, number, url],
    );
});
afterAll(() => api.close());

test.each([
  hosted,
  `${hosted}/`,
  `${hosted}/files`,
  `${hosted}/commits?w=1#diff`,
  `${merged}/diffs`,
  'console/default/change-requests/repo/7',
  'v3/organizations/default/repositories/repo/change-requests/7/diff',
])('a change request is found by the address of any of its pages: %s', async (address) => {
  const url = address.startsWith('https:') ? address : `${api.url}/${address.replace('/repo/', `/${repository}/`)}`;
  const { json } = await api.call('POST', `${org}/reviews`, { body: { url } });
  expect(json['error']).toBe('change_request_closed');
});

test.each([`${hosted}0`, `${hosted}/files/x`, 'https://git.example/acme/shop/pull', 'https://git.example/acme/shop'])(
  'no other address names one: %s',
  async (url) => {
    const { status, json } = await api.call('POST', `${org}/reviews`, { body: { url } });
    expect([status, json['error']]).toEqual([400, 'invalid_request']);
  },
);
