import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { start } from '../../../test/support/session-states.ts';
import { issueSessionKey } from '../sessions/run/session-key-service.ts';
import { startAutomationEvents } from './event-service.ts';
import { createGitUser, withKey, type GitUser } from '../../../test/support/git.ts';

const org = '/v3/organizations/default';
const shop = [{ path: '/repo', operator: 'equals', value: 'acme/shop' }];

let api: TestApi;
let user: GitUser;
let url: string;
beforeAll(async () => {
  api = await startTestApi();
  startAutomationEvents(api.ctx);
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

/** Publishes a push by a session. */
async function pushBy(sessionId: string, branch: string): Promise<void> {
  const { rows } = await api.ctx.db.pool.query(`select id, org_id from repositories where repo = 'acme/shop'`);
  const data = { refs: [{ ref: `refs/heads/${branch}`, old: '0'.repeat(40), new: 'a'.repeat(40) }] };
  await api.ctx.db.pool.query(
    `insert into outbox_pending (org_id, type, resource_type, resource_id, actor_type, actor_id, data)
     values ($1, 'repository.pushed', 'repository', $2, 'session', $3, $4)`,
    [rows[0].org_id, rows[0].id, sessionId, JSON.stringify(data)],
  );
}

/** Creates a session of an automation, or a child of another session. */
async function sessionOf(automationId: string, parentId?: string): Promise<string> {
  const key = parentId === undefined ? undefined : (await issueSessionKey(api.ctx, await start(api, parentId))).key;
  const body = { prompt: 'x', repositories: [] };
  const { status, text, json } = await api.call(
    'POST',
    `${org}/sessions`,
    key === undefined ? { body } : { body, key },
  );
  if (status !== 201) throw new Error(text);
  await api.ctx.db.pool.query('update sessions set automation_id = $2 where id = $1', [json['id'], automationId]);
  return String(json['id']);
}

test('an automation is not started by its own sessions, nor by their children', async () => {
  const id = await create({ type: 'push', conditions: shop });
  const other = await create({ type: 'push', conditions: shop });
  const sessionId = await sessionOf(id);
  await pushBy(sessionId, 'fix');
  await expect.poll(() => payloadsOf(other), { timeout: 15_000 }).toHaveLength(1);
  const childId = await sessionOf('', sessionId);
  await pushBy(childId, 'child');
  await expect.poll(() => payloadsOf(other), { timeout: 15_000 }).toHaveLength(2);
  expect(await payloadsOf(id)).toEqual([]);
  const { rows } = await api.ctx.db.pool.query('select automation_id from session_account($1)', [childId]);
  expect(rows).toEqual([{ automation_id: id }]);
});

test('two automations that start one another by pushes stop after a few runs', async () => {
  const pair = [await create({ type: 'push' }), await create({ type: 'push' })];
  const runs = async () =>
    (
      await api.ctx.db.pool.query(
        'select id, automation_id, status, skip_reason from automation_runs where automation_id = any($1) order by id',
        [pair],
      )
    ).rows;
  await pushBy(await sessionOf(pair[0] ?? ''), 'start');
  for (let length = 1; length <= 6; length += 1) {
    await expect.poll(runs, { timeout: 15_000 }).toHaveLength(length);
    const last = (await runs()).at(-1);
    expect([length, last.status]).toEqual([length, length < 6 ? 'pending' : 'skipped']);
    if (length === 6) expect(last.skip_reason).toBe('The sessions of 5 runs before it started one another.');
    const sessionId = await sessionOf(last.automation_id);
    await api.ctx.db.pool.query('update automation_runs set session_id = $2 where id = $1', [last.id, sessionId]);
    if (length < 6) await pushBy(sessionId, `turn-${length}`);
  }
});

test('an event reaches every automation that listens, in steps of their own', async () => {
  const template = await create({ type: 'push', conditions: [{ path: '/branch', operator: 'equals', value: 'many' }] });
  const count = 1_050;
  await api.ctx.db.pool.query(
    `insert into automations (id, org_id, name, enabled, triggers, action, executor, run_as, concurrency, missed_runs,
       max_attempts, backoff_seconds, timeout_minutes, created_by_type, created_by_id)
     select 'aut_many' || n, org_id, name, true,
       jsonb_build_array(triggers -> 0 || jsonb_build_object('id', 'hook_many' || n)), action, executor, run_as, concurrency,
       missed_runs, max_attempts, backoff_seconds, timeout_minutes, created_by_type, created_by_id
     from automations, generate_series(1, $2::int) as n where id = $1`,
    [template, count],
  );
  await api.ctx.db.pool.query(
    `insert into automation_triggers (id, org_id, automation_id, type)
     select replace(id, 'aut_', 'hook_'), org_id, id, 'push' from automations where id like 'aut_many%'`,
  );
  const cause = await create({ type: 'push', conditions: [{ path: '/branch', operator: 'equals', value: 'none' }] });
  await pushBy(await sessionOf(cause), 'many');
  const started = async (): Promise<{ automations: number; runs: number }> => {
    const { rows } = await api.ctx.db.pool.query(
      `select count(distinct automation_id)::int as automations, count(*)::int as runs from automation_runs
       where payload ->> 'branch' = 'many'`,
    );
    return rows[0];
  };
  await expect
    .poll(started, { timeout: 90_000, interval: 500 })
    .toMatchObject({ automations: expect.toSatisfy((found: number) => found >= count + 1) });
  const { automations, runs } = await started();
  expect(runs).toBe(automations);
  await api.ctx.db.pool.query(`delete from automations where id like 'aut_many%'`);
}, 120_000);
