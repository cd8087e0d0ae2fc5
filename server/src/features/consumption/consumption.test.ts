import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { newGroup, newPerson, newSession, type Person } from '../../../test/support/groups.ts';
import { rollUpAll } from '../../../test/support/rollups.ts';
import { dayOf } from '../../lib/days.ts';
import { reserveCall, settleCall } from '../sessions/run/model-service.ts';
import { claim, finish, type Run } from '../sessions/run/run-service.ts';
import { beginTurn } from '../sessions/run/turn-service.ts';
import { rebuildRollups, rollUp } from './rollup-service.ts';

const organization = '/v3/organizations/default';

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', organization)).json['id']);
  await api.call('POST', `${organization}/repositories`, { body: { provider: 'local', repo: 'acme/parser' } });
});
let today: string;
beforeEach(async () => {
  await withinOneDay();
  today = dayOf(new Date());
});
afterAll(() => api.close());

async function runOf(by: Person, body: object = {}): Promise<Run> {
  const run = await claim(api.ctx, await newSession(api, by, body), 'worker-1');
  if (run === undefined) throw new Error('nothing was claimed');
  return run;
}

async function call(run: Run, costUsd: number, model = 'anthropic/some'): Promise<void> {
  const permitted = await reserveCall(api.ctx, run, {
    inputTokens: 100,
    maxOutputTokens: 100,
    price: { input: 1e-6, output: 2e-6 },
  });
  if (permitted.outcome !== 'reserved') throw new Error(permitted.outcome);
  const tokens = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 40, cacheWriteTokens: 10 };
  await settleCall(api.ctx, run, permitted, { ...tokens, model, costUsd, priceSource: 'published' });
}

async function get(path: string, key?: string) {
  return api.call('GET', `${organization}${path}`, key === undefined ? {} : { key });
}

function numberAt(value: unknown, ...path: (string | number)[]): number {
  return Number(path.reduce<unknown>((part, name) => Object(part)[name], value));
}

/** All rollups of an organization. */
async function rollupsOf(id: string): Promise<string> {
  const tables = ['usage_days', 'usage_months', 'metric_days', 'active_users', 'active_user_counts'];
  const rows = await Promise.all(
    tables.map((table) =>
      api.ctx.db.pool.query(`select to_jsonb(t)::text as row from ${table} t where org_id = $1 order by 1`, [id]),
    ),
  );
  return JSON.stringify(rows.map((result, at) => [tables[at], result.rows]));
}

/** Adds calls of any kind to the ledger. */
async function addCalls(id: string, count: number, client: { query: typeof api.ctx.db.pool.query } = api.ctx.db.pool) {
  await client.query(
    `insert into usage_records
     select 'use_' || gen_random_uuid(), $1, 'ses_' || n % 7, case n % 5 when 0 then 'service_user' when 1 then 'app' else 'user' end,
       'one_' || n % 11, 'api', case n % 4 when 0 then '' else 'local:acme/' || n % 4 end, 'p', 'p/m' || n % 3, n, n % 13, n % 5, 0,
       round((random() * 10)::numeric, 6), 'published', now() - n % 90 * interval '1 day', case n % 3 when 0 then 'aut_' || n % 2 else '' end,
       case n % 4 when 1 then array['a'] when 2 then array['a', 'b'] else '{}' end, case n % 6 when 0 then array['grp_x'] else '{}' end
     from generate_series(1, $2::int) n`,
    [id, count],
  );
}

describe('daily consumption', () => {
  test('is the sum of the calls of each user, repository, model and tag, of members of a group and of a session', async () => {
    const [ada, bob] = [await newPerson(api), await newPerson(api)];
    const group = await newGroup(api, [ada], {});
    const body = { repositories: [{ repo: 'acme/parser' }], tags: ['=night', 'core'] };
    const [first, second] = [await runOf(ada, body), await runOf(bob)];
    await call(first, 0.1);
    await call(first, 0.2, 'openai/other');
    await call(second, 1.5);
    await rollUpAll(api.ctx);
    const expected: [string, string, number][] = [
      ['user', ada.id, 0.3],
      ['user', bob.id, 1.5],
      ['repo', 'local:acme/parser', 0.3],
      ['model', 'anthropic/some', 1.6],
      ['model', 'openai/other', 0.2],
      ['tag', '=night', 0.3],
      ['tag', 'core', 0.3],
    ];
    for (const [groupBy, id, cost] of expected) {
      const { json, status } = await get(`/consumption/daily?group_by=${groupBy}`);
      expect(status).toBe(200);
      const groups = Object(json['groups']);
      const found = groups.find((one: { id: string }) => one.id === id);
      expect([groupBy, id, numberAt(found, 'totals', 'cost_usd')]).toEqual([groupBy, id, cost]);
      expect(found.days).toHaveLength(30);
      expect(found.days.at(-1)).toMatchObject({ date: today, cost_usd: cost });
      expect(found.days[0]).toMatchObject({ calls: 0, cost_usd: 0, sandbox_minutes: 0 });
    }
    for (const [path, cost, calls] of [
      [`users/${ada.id}`, 0.3, 2],
      [`groups/${group}`, 0.3, 2],
      [`sessions/${first.id}`, 0.3, 2],
      [`sessions/${second.id}`, 1.5, 1],
    ] as const) {
      const { json } = await get(`/consumption/daily/${path}`);
      expect([path, json['totals']]).toEqual([path, expect.objectContaining({ cost_usd: cost, calls })]);
    }
  });

  test('has the most expensive groups and the rest of them', async () => {
    const { id, slug, key } = await api.createOrganization('Groups');
    await addCalls(id, 300);
    await rollUpAll(api.ctx);
    const path = `/v3/organizations/${slug}/consumption/daily?group_by=user&from=${dayOf(new Date(Date.now() - 100 * 86_400_000))}`;
    const all = (await api.call('GET', `${path}&top=50`, { key })).json;
    const some = (await api.call('GET', `${path}&top=3`, { key })).json;
    const { rows } = await api.ctx.db.pool.query<{ id: string; cost: string }>(
      `select principal_id as id, sum(cost_usd) as cost from usage_records where org_id = $1 and principal_type = 'user'
       group by 1 order by 2 desc`,
      [id],
    );
    const costs = (json: Record<string, unknown>) =>
      Object(json['groups']).map((group: object) => [Object(group).id, numberAt(group, 'totals', 'cost_usd')]);
    expect(costs(all)).toEqual(rows.map((row) => [row.id, Number(row.cost)]));
    expect(costs(some)).toEqual(costs(all).slice(0, 3));
    expect([some['groups_total'], numberAt(all, 'rest', 'totals', 'calls')]).toEqual([rows.length, 0]);
    const rest = rows.slice(3).reduce((sum, row) => sum + Number(row.cost), 0);
    expect(numberAt(some, 'rest', 'totals', 'cost_usd')).toBeCloseTo(rest, 6);
  });

  test('counts the minutes of sandboxes, of sessions without a model too', async () => {
    const eve = await newPerson(api);
    const run = await runOf(eve);
    await beginTurn(api.ctx, run, 1);
    await finish(api.ctx, run, {
      status: 'completed',
      status_detail: 'finished',
      sandbox_state: 'none',
      sandboxSeconds: 90,
    });
    await rollUpAll(api.ctx);
    const { json } = await get(`/consumption/daily/users/${eve.id}`);
    expect(json['totals']).toMatchObject({ calls: 0, cost_usd: 0, sandbox_minutes: 1.5 });
  });

  test('stays when tags change and when the session is deleted', async () => {
    const kim = await newPerson(api);
    const run = await runOf(kim, { tags: ['before'] });
    await call(run, 0.7);
    const path = `/sessions/${run.id}`;
    await api.call('PATCH', `${organization}${path}`, { body: { tags: ['after'] } });
    await api.call('DELETE', `${organization}${path}?force=true`);
    await rollUpAll(api.ctx);
    await rebuildRollups(api.ctx, orgId);
    const { json } = await get('/consumption/daily?group_by=tag&top=50');
    const tags = new Set(Object(json['groups']).map(({ id }: { id: string }) => id));
    expect([tags.has('before'), tags.has('after')]).toEqual([true, false]);
    expect((await get(`/consumption/daily${path}`)).json['totals']).toMatchObject({ cost_usd: 0.7 });
  });

  test.each(['from=2026-1-1', 'from=2025-01-01&to=2026-12-31', 'from=2026-02-01&to=2026-01-01', 'group_by=color'])(
    'refuses ?%s',
    async (query) => {
      expect(await get(`/consumption/daily?${query}`)).toMatchObject({
        status: 400,
        json: { error: 'invalid_request' },
      });
    },
  );

  test.each(['to=0001-01-01', 'to=0000-01-01', 'from=0000-01-01&to=0000-02-28', 'to=9999-12-31'])(
    'says which dates it accepts for ?%s',
    async (query) => {
      const message = expect.stringMatching(
        /^query\.(from|to) must be a date of the form YYYY-MM-DD, from 1970-01-01 to 2999-12-31\.$/,
      );
      for (const path of ['/consumption/daily', '/metrics/usage'])
        expect(await get(`${path}?${query}`)).toMatchObject({ status: 400, json: { message } });
    },
  );

  test('needs analytics:read, and shows nothing of another organization', async () => {
    const key = await api.keyWith(['sessions:read', 'org:read']);
    expect((await get('/consumption/daily', key)).status).toBe(403);
    const other = await api.createOrganization('Stranger');
    const { rows } = await api.ctx.db.pool.query<{ id: string }>('select id from sessions where org_id = $1 limit 1', [
      orgId,
    ]);
    const path = `/v3/organizations/${other.slug}/consumption/daily`;
    const session = await api.call('GET', `${path}/sessions/${rows[0]?.id ?? ''}`, { key: other.key });
    expect(session).toMatchObject({ status: 404, json: { error: 'session_not_found' } });
    const { json } = await api.call('GET', `${path}?group_by=user`, { key: other.key });
    expect([numberAt(json, 'totals', 'calls'), json['groups']]).toEqual([0, []]);
  });
});

describe('rollups', () => {
  test('rebuilt from the ledgers are those that were kept, to the last digit', async () => {
    const { id } = await api.createOrganization('Rebuilt');
    // Writers, a roller and a rebuild at the same time.
    await Promise.all([
      ...Array.from({ length: 6 }, async (_, at) => addCalls(id, 50 + at)),
      rollUp(api.ctx),
      rebuildRollups(api.ctx, id),
      ...Array.from({ length: 6 }, async (_, at) => addCalls(id, 70 + at)),
      rollUp(api.ctx),
    ]);
    await rollUpAll(api.ctx);
    const kept = await rollupsOf(id);
    await rebuildRollups(api.ctx, id);
    expect(await rollupsOf(id)).toBe(kept);
    const { rows } = await api.ctx.db.pool.query(
      `select (select sum(cost_usd) from usage_records where org_id = $1) as ledger,
        (select sum(cost_usd) from usage_days where org_id = $1 and dimension = 'organization') as days,
        (select sum(cost_usd) from usage_months where org_id = $1 and dimension = 'organization') as months,
        (select count(*) from usage_records where org_id = $1) as records,
        (select sum(calls)::bigint from usage_days where org_id = $1 and dimension = 'organization') as calls`,
      [id],
    );
    const { ledger, days, months, records, calls } = Object(rows[0]);
    expect([days, months, calls]).toEqual([ledger, ledger, records]);
  });

  test('have a call whose transaction committed after later ones', async () => {
    const { id } = await api.createOrganization('Late');
    const client = await api.ctx.db.pool.connect();
    await client.query('begin');
    await addCalls(id, 3, client);
    await addCalls(id, 5);
    await rollUpAll(api.ctx);
    await client.query('commit');
    client.release();
    await rollUpAll(api.ctx);
    const { rows } = await api.ctx.db.pool.query(
      "select sum(calls)::int as calls from usage_days where org_id = $1 and dimension = 'organization'",
      [id],
    );
    expect(rows).toEqual([{ calls: 8 }]);
  });

  test('count each call once, with two processes', async () => {
    const { id } = await api.createOrganization('Twice');
    await addCalls(id, 1_000);
    await Promise.all([rollUp(api.ctx), rollUp(api.ctx), rollUp(api.ctx)]);
    await rollUpAll(api.ctx);
    const { rows } = await api.ctx.db.pool.query(
      "select sum(calls)::int as calls from usage_days where org_id = $1 and dimension = 'organization'",
      [id],
    );
    expect(rows).toEqual([{ calls: 1_000 }]);
  });

  test('rest on measurements that nobody can change', async () => {
    const { pool } = api.ctx.db;
    await expect(pool.query('update measurements set amount = 1 where org_id = $1', [orgId])).rejects.toThrow(
      'measurements is append-only',
    );
    await expect(pool.query('delete from measurements where org_id = $1', [orgId])).rejects.toThrow(
      'measurements is append-only',
    );
  });
});

describe('billing cycles', () => {
  test('are months from the first use to now', async () => {
    const { id, slug, key } = await api.createOrganization('Cycles');
    await addCalls(id, 90);
    await rollUpAll(api.ctx);
    const path = `/v3/organizations/${slug}/consumption/cycles`;
    const { json } = await api.call('GET', path, { key });
    const items = Object(json['items']);
    expect(items[0]).toMatchObject({ state: 'open', start: `${today.slice(0, 8)}01` });
    expect(items.slice(1).every(({ state }: { state: string }) => state === 'closed')).toBe(true);
    expect(items.reduce((sum: number, one: object) => sum + numberAt(one, 'calls'), 0)).toBe(90);
    const first = await api.call('GET', `${path}?first=2`, { key });
    const second = await api.call('GET', `${path}?first=2&after=${String(first.json['end_cursor'])}`, { key });
    expect([...Object(first.json['items']), ...Object(second.json['items'])]).toEqual(items.slice(0, 4));
  });

  test('are exported as CSV that adds up, without formulas', async () => {
    const { id, slug, key } = await api.createOrganization('Exported');
    await addCalls(id, 40);
    await api.ctx.db.pool.query(
      `insert into usage_records select 'use_' || $2, $1, 'ses_x', 'user', 'usr_x', 'api', '', 'p', '=cmd|''x''!A1', 1, 1, 0, 0, 0.000001,
       'published', now(), '', array['@evil,"tag"'], '{}'`,
      [id, randomUUID()],
    );
    await rollUpAll(api.ctx);
    const path = `/v3/organizations/${slug}/consumption/cycles`;
    const [cycle] = Object((await api.call('GET', path, { key })).json['items']);
    const answer = await api.call('GET', `${path}/${cycle.id}/export`, { key });
    expect(answer.headers.get('content-type')).toContain('text/csv');
    const [head = '', ...lines] = answer.text.trimEnd().split('\r\n');
    const column = head.split(',').indexOf('cost_usd');
    const sum = lines.reduce((total, line) => total + Number(line.split(',')[column]), 0);
    expect(sum).toBeCloseTo(cycle.cost_usd, 6);
    expect((await api.call('GET', `${path}/${cycle.id}/export?group_by=model`, { key })).text).toContain(
      ",'=cmd|'x'!A1,",
    );
    expect((await api.call('GET', `${path}/${cycle.id}/export?group_by=tag`, { key })).text).toContain(
      `,"'@evil,""tag""",`,
    );
    for (const unknown of ['cyc_199901', 'cyc_209901', 'cyc_202613', 'x'])
      expect(await api.call('GET', `${path}/${unknown}/export`, { key })).toMatchObject({
        status: 404,
        json: { error: 'billing_cycle_not_found' },
      });
  });
});

describe('prices', () => {
  test('have a history, and a change leaves the cost of earlier calls', async () => {
    const { slug, key } = await api.createOrganization('Prices');
    const put = async (prices: object) =>
      api.call('PUT', `/v3/organizations/${slug}/settings/models`, { key, body: { prices } });
    const list = async () => {
      const { json } = await api.call('GET', `/v3/organizations/${slug}/consumption/prices`, { key });
      return Object(json['items']).map((one: Record<string, unknown>) => [
        one['model'],
        one['input_per_mtok'],
        one['effective_until'] === null,
      ]);
    };
    const [cheap, dear] = [
      { input_per_mtok: 1, output_per_mtok: 2 },
      { input_per_mtok: 3, output_per_mtok: 4 },
    ];
    expect((await put({ 'p/a': cheap, 'p/b': cheap })).status).toBe(200);
    await put({ 'p/a': cheap, 'p/b': cheap });
    expect((await list()).toSorted()).toEqual([
      ['p/a', 1, true],
      ['p/b', 1, true],
    ]);
    await put({ 'p/a': dear, 'p/b': cheap });
    expect((await list()).toSorted()).toEqual([
      ['p/a', 1, false],
      ['p/a', 3, true],
      ['p/b', 1, true],
    ]);
    await api.call('DELETE', `/v3/organizations/${slug}/settings/models`, { key });
    expect((await list()).filter(([, , isCurrent]: boolean[]) => isCurrent)).toEqual([]);
  });
});
