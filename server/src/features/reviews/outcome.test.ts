import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { newId } from '../../lib/ids.ts';

const org = '/v3/organizations/default';
let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

interface Group {
  name: string;
  posted: number;
}

test('metrics of reviews say what became of posted findings, and which categories to mute', async () => {
  const made = await api.call('POST', `${org}/repositories`, { body: { provider: 'local', repo: 'acme/shop' } });
  const repositoryId = String(made.json['id']);
  const { rows } = await api.ctx.db.pool.query<{ id: string }>("select id from organizations where slug = 'default'");
  const orgId = rows[0]?.id ?? '';
  const now = new Date();
  const changeId = newId('cr');
  await api.ctx.db.pool.query(
    `insert into change_requests (id, org_id, repository_id, number, title, body, state, draft, head_ref, head_sha, base_ref,
       base_sha, author_type, author_id, session_id, created_at, updated_at, provider_updated_at)
     values ($1, $2, $3, 1, 't', '', 'merged', false, 'h', 'a', 'main', 'b', 'system', '', '', $4, $4, $4)`,
    [changeId, orgId, repositoryId, now],
  );
  const reviewId = newId('rev');
  await api.ctx.db.pool.query(
    `insert into reviews (id, org_id, repository_id, change_request_id, number, base_sha, head_sha, trigger, created_by_type,
       created_by_id, created_at, updated_at) values ($1, $2, $3, $4, 1, 'b', 'a', 'request', 'system', '', $5, $5)`,
    [reviewId, orgId, repositoryId, changeId, now],
  );
  const add = async (count: number, category: string, status: string, posting = 'posted'): Promise<void> => {
    for (let added = 0; added < count; added += 1) {
      const id = newId('fnd');
      await api.ctx.db.pool.query(
        `insert into review_findings (id, org_id, repository_id, change_request_id, number, first_review_id, review_id, severity,
           confidence, category, title, body, suggestion, file, side, in_diff, evidence, fingerprint, anchor, status, posting,
           created_at, updated_at)
         values ($1, $2, $3, $4, 1, $5, $5, 'high', 1, $6, 't', '', '', 'f', 'new', true, '', $1, '', $7, $8, $9, $9)`,
        [id, orgId, repositoryId, changeId, reviewId, category, status, posting, now],
      );
    }
  };
  await add(8, 'style', 'resolved');
  await add(12, 'style', 'dismissed');
  await add(10, 'style', 'open');
  await add(29, 'naming', 'dismissed');
  await add(40, 'bug', 'resolved');
  await add(5, 'style', 'open', '');

  const get = async (query = ''): Promise<Record<string, unknown>> =>
    Object((await api.call('GET', `${org}/metrics/reviews${query}`)).json['outcomes']);
  const outcomes = await get();
  expect(outcomes).toMatchObject({
    posted: 99,
    addressed: 48,
    addressed_rate: 0.484848,
    dismissed: 41,
    silent_at_merge: 10,
    silent_at_merge_rate: 0.10101,
    by_severity: [{ name: 'high', posted: 99 }],
    by_repository: [{ name: 'local:acme/shop', posted: 99 }],
    // 8 of 30; `naming` has one too few to tell.
    suggested_mutes: ['style'],
  });
  const categories: Group[] = Object(outcomes['by_category']);
  expect(categories.map(({ name, posted }) => [name, posted])).toEqual([
    ['bug', 40],
    ['style', 30],
    ['naming', 29],
  ]);
  expect(await get('?repo=Acme/Shop')).toMatchObject({ posted: 99 });
  expect(await get('?repo=acme/other')).toMatchObject({ posted: 0, addressed_rate: null });
  expect(await get('?tag=none')).toMatchObject({ posted: 0 });
  expect(await get('?from=2020-01-01&to=2020-01-02')).toMatchObject({ posted: 0 });

  const put = await api.call('PUT', `${org}/settings/reviews`, {
    body: { muted_categories: ['style'], max_comments: 3 },
  });
  expect(put.status, put.text).toBe(200);
  const policy = await api.call('GET', `${org}/reviews/policies/${repositoryId}`);
  expect(policy.json).toMatchObject({ muted_categories: ['style'], max_comments: 3, mode: 'off', updated_at: null });
  const own = await api.call('PUT', `${org}/reviews/policies/${repositoryId}`, { body: { max_comments: 9 } });
  expect(own.json).toMatchObject({ muted_categories: ['style'], max_comments: 9 });
  // What the policy omits follows the settings, also later, and an agent of theirs that was deleted is not in its way.
  const agent = await api.call('POST', '/agents', { body: { name: 'Reviewer' } });
  const later = { muted_categories: ['bug'], max_comments: 3, agent_id: agent.json['id'] };
  expect((await api.call('PUT', `${org}/settings/reviews`, { body: later })).status).toBe(200);
  await api.call('DELETE', `/agents/${String(agent.json['id'])}`);
  const followed = await api.call('GET', `${org}/reviews/policies/${repositoryId}`);
  expect(followed.json).toMatchObject({ ...later, max_comments: 9 });
  for (const body of [{ max_comments: 8 }, { max_comments: 7, agent_id: agent.json['id'] }])
    expect(await api.call('PUT', `${org}/reviews/policies/${repositoryId}`, { body })).toMatchObject({ status: 200 });
  const unknown = await api.call('PUT', `${org}/reviews/policies/${repositoryId}`, { body: { agent_id: 'agt_none' } });
  expect([unknown.status, unknown.json['error']]).toEqual([404, 'agent_not_found']);
  const bad = await api.call('PUT', `${org}/settings/reviews`, { body: { agent_id: 'agt_none' } });
  expect([bad.status, bad.text.includes('agent_id')]).toEqual([400, true]);
});
