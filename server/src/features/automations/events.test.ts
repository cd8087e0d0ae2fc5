import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';

const org = '/v3/organizations/default';
const shop = [{ path: '/repo', operator: 'equals', value: 'acme/shop' }];

let api: TestApi;
let user: GitUser;
let url: string;
beforeAll(async () => {
  api = await startTestApi();
  user = await createGitUser();
  const made = await api.call('POST', `${org}/repositories`, { body: { provider: 'local', repo: 'acme/shop' } });
  url = withKey(String(made.json['clone_url']), api.adminKey);
});
afterAll(async () => {
  await user.close();
  await api.close();
});

async function create(trigger: object): Promise<string> {
  const body = {
    name: 'x',
    triggers: [trigger],
    action: { prompt_template: 'Do it.' },
    executor: 'external',
    concurrency: 'queue',
  };
  return String((await api.call('POST', `${org}/automations`, { body })).json['id']);
}

async function payloadsOf(id: string): Promise<unknown[]> {
  const { rows } = await api.ctx.db.pool.query(
    'select payload from automation_runs where automation_id = $1 order by id',
    [id],
  );
  return rows.map(({ payload }) => payload);
}

test('a push starts the automations whose conditions it meets, once per ref', async () => {
  const all = await create({ type: 'push', conditions: shop });
  const main = await create({
    type: 'push',
    conditions: [...shop, { path: '/branch', operator: 'equals', value: 'main' }],
  });
  const elsewhere = await create({
    type: 'push',
    conditions: [{ path: '/repo', operator: 'equals', value: 'acme/other' }],
  });
  const paused = await create({ type: 'push' });
  await api.call('POST', `${org}/automations/${paused}/pause`);
  const work = await user.start({ 'a.txt': 'a' });
  await user.git(work, 'push', '-q', url, 'main', 'main:refs/heads/topic');
  await expect.poll(() => payloadsOf(all), { timeout: 15_000 }).toHaveLength(2);
  const after = await user.git(work, 'rev-parse', 'main');
  expect(await payloadsOf(main)).toMatchObject([
    { provider: 'local', repo: 'acme/shop', branch: 'main', after, created: true },
  ]);
  expect(await payloadsOf(elsewhere)).toEqual([]);
  expect(await payloadsOf(paused)).toEqual([]);
});

test('an automation is not started by its own sessions', async () => {
  const id = await create({ type: 'push', conditions: shop });
  const other = await create({ type: 'push', conditions: shop });
  const session = await api.call('POST', `${org}/sessions`, { body: { prompt: 'x', repositories: [] } });
  const sessionId = String(session.json['id']);
  await api.ctx.db.pool.query('update sessions set automation_id = $2 where id = $1', [sessionId, id]);
  const { rows } = await api.ctx.db.pool.query(`select id, org_id from repositories where repo = 'acme/shop'`);
  const data = { refs: [{ ref: 'refs/heads/fix', old: '0'.repeat(40), new: 'a'.repeat(40) }] };
  await api.ctx.db.pool.query(
    `insert into outbox_pending (org_id, type, resource_type, resource_id, actor_type, actor_id, data)
     values ($1, 'repository.pushed', 'repository', $2, 'session', $3, $4)`,
    [rows[0].org_id, rows[0].id, sessionId, JSON.stringify(data)],
  );
  await expect.poll(() => payloadsOf(other), { timeout: 15_000 }).toHaveLength(1);
  expect(await payloadsOf(id)).toEqual([]);
});
