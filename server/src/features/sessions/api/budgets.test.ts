import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { withinOneDay } from '../../../../test/support/day.ts';
import { newGroup, newPerson, newSession } from '../../../../test/support/groups.ts';
import { sessionIn, take } from '../../../../test/support/session-states.ts';
import { settleLostCalls, sumSpent } from '../run/lost-call-service.ts';
import { reserveCall, settleCall, type PermittedCall } from '../run/model-service.ts';
import { claim, type Run } from '../run/run-service.ts';
import { issueSessionKey } from '../run/session-key-service.ts';

/** Every call reserves 100 × 1e-4 + 900 × 1e-4 = 0.1 USD. */
const request = {
  model: 'anthropic/some',
  inputTokens: 100,
  maxOutputTokens: 900,
  price: { input: 1e-4, output: 1e-4 },
};

let api: TestApi;
let org: string;
let key: string;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
/** An organization of its own for each test: a budget is the whole organization's. */
beforeEach(async () => {
  await withinOneDay();
  const { json } = await api.call('POST', '/v3/organizations', { body: { name: 'Spender' } });
  org = `/v3/organizations/${String(json['id'])}`;
  key = String(Object(json['key']).key ?? json['key']);
});

async function budgets(value: object): Promise<void> {
  const answer = await api.call('PUT', `${org}/settings/budgets`, { key, body: value });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

function create(body: object = {}, by = key) {
  return api.call('POST', `${org}/sessions`, { key: by, body: { prompt: 'x', repositories: [], ...body } });
}

async function started(body: object = {}): Promise<Run> {
  const answer = await create(body);
  expect(answer.text).toContain('"ses_');
  return claimed(String(answer.json['id']));
}

async function claimed(id: string): Promise<Run> {
  const run = await claim(api.ctx, id, 'worker-1');
  if (run === undefined) throw new Error('nothing was claimed');
  return run;
}

async function permitted(run: Run): Promise<PermittedCall> {
  const decision = await reserveCall(api.ctx, run, request);
  if (decision.outcome !== 'reserved') throw new Error(JSON.stringify(decision));
  return decision;
}

/** Makes 64 calls at once, and returns those that were permitted, with their runs. */
async function callMany(runs: readonly Run[]): Promise<[run: Run, call: PermittedCall][]> {
  const decisions = await Promise.all(
    Array.from({ length: 64 }, async (_, at) => {
      const run = runs[at % runs.length];
      if (run === undefined) throw new Error('nothing runs');
      return { run, decision: await reserveCall(api.ctx, run, request) };
    }),
  );
  for (const { decision } of decisions) expect(['reserved', 'budget']).toContain(decision.outcome);
  return decisions.flatMap(({ run, decision }) => (decision.outcome === 'reserved' ? [[run, decision]] : []));
}

function used(costUsd: number) {
  const tokens = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0, cacheWriteTokens: 0 };
  return { ...tokens, model: 'anthropic/some', costUsd, priceSource: 'published' } as const;
}

function many(count: number, body: object = {}): Promise<Run[]> {
  return Promise.all(Array.from({ length: count }, () => started(body)));
}

async function spent(): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ cost_usd: string }>(
    `select sum(cost_usd)::float8::text as cost_usd from spent_days
     where $1 like '%' || org_id and repository_id = '*' group by day`,
    [org],
  );
  return rows.map((row) => row.cost_usd);
}

describe('of 64 model calls at once, exactly as many are permitted as fit into', () => {
  test.each(['per_day_usd', 'per_cycle_usd'])('the organization’s %s', async (limit) => {
    const runs = await many(8);
    await budgets({ [limit]: 1 });
    const calls = await callMany(runs);
    expect(calls).toHaveLength(10);
    await Promise.all(calls.map(([run, call]) => settleCall(api.ctx, run, call, used(0.05))));
    expect(await spent()).toEqual(['0.5']);
    await Promise.all([sumSpent(api.ctx), sumSpent(api.ctx)]);
    expect(await spent()).toEqual(['0.5']);
    // Half of each reservation came back: 0.5 of 1 are left.
    expect(await callMany(runs)).toHaveLength(5);
  });

  test('the budget of a session', async () => {
    expect(await callMany([await started({ budget: { max_cost_usd: 1 } })])).toHaveLength(10);
  });

  test('the organization’s per_session_usd', async () => {
    await budgets({ per_session_usd: 1 });
    expect(await callMany([await started()])).toHaveLength(10);
  });

  test('the budget of a session that gave some of it to a child', async () => {
    const parent = await started({ budget: { max_cost_usd: 1 } });
    const by = await issueSessionKey(api.ctx, parent);
    const child = await create({ budget: { max_cost_usd: 0.4 } }, by.key);
    expect(child.status).toBe(201);
    const ofChild = await claimed(String(child.json['id']));
    const calls = await callMany([parent, ofChild]);
    expect(calls.filter(([run]) => run.id === parent.id)).toHaveLength(6);
    expect(calls.filter(([run]) => run.id === ofChild.id)).toHaveLength(4);
  });

  test('a guardrail’s max_cost_per_day_usd, which holds for each repository', async () => {
    const repos = await Promise.all(
      ['acme/one', 'acme/other'].map((repo) =>
        api.call('POST', `${org}/repositories`, { key, body: { provider: 'local', repo } }),
      ),
    );
    expect(repos.map(({ status }) => status)).toEqual([201, 201]);
    const one = await many(4, { repositories: [{ repo: 'acme/one' }] });
    const both = await many(4, { repositories: [{ repo: 'acme/one' }, { repo: 'acme/other' }] });
    const other = await started({ repositories: [{ repo: 'acme/other' }] });
    await api.call('PUT', `${org}/guardrails/default`, { key, body: { max_cost_per_day_usd: 1 } });
    const calls = await callMany([...one, ...both]);
    expect(calls).toHaveLength(10);
    const shared = calls.filter(([run]) => both.some(({ id }) => id === run.id)).length;
    expect(await callMany([other])).toHaveLength(10 - shared);
  });
});

test('a group’s day and the organization’s hold together', async () => {
  const organization = '/v3/organizations/default';
  const ada = await newPerson(api);
  await newGroup(api, [ada], { per_day: { cost_usd: 1 } });
  const runs = await Promise.all(Array.from({ length: 4 }, async () => claimed(await newSession(api, ada))));
  await api.call('PUT', `${organization}/settings/budgets`, { body: { per_day_usd: 0.5 } });
  expect(await callMany(runs)).toHaveLength(5);
  await api.call('PUT', `${organization}/settings/budgets`, { body: { per_day_usd: 100 } });
  expect(await callMany(runs)).toHaveLength(5);
  await api.call('DELETE', `${organization}/settings/budgets`);
});

describe('a new session', () => {
  test.each(['per_day_usd', 'per_cycle_usd'])(
    'of 64 at once, as many call a model as fit into %s, whatever they may cost; and then none is created',
    async (limit) => {
      await budgets({ [limit]: 1, per_session_usd: 1 });
      const answers = await Promise.all(Array.from({ length: 64 }, () => create()));
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(64);
      const runs = await Promise.all(answers.map(({ json }) => claimed(String(json['id']))));
      const calls = await callMany(runs);
      expect(calls).toHaveLength(10);
      await Promise.all(calls.map(([run, call]) => settleCall(api.ctx, run, call, used(0.1))));
      expect(await spent()).toEqual(['1']);
      const late = await Promise.all(Array.from({ length: 64 }, () => create()));
      for (const { status, json } of late) expect([status, json['error']]).toEqual([402, 'budget_exceeded']);
    },
  );

  test('of 64 children at once, exactly as many are created as fit into the budget of their parent', async () => {
    const parent = await started({ budget: { max_cost_usd: 1 } });
    const { key: by } = await issueSessionKey(api.ctx, parent);
    const answers = await Promise.all(Array.from({ length: 64 }, () => create({ budget: { max_cost_usd: 0.1 } }, by)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(54);
    for (const { status, json } of refused) expect([status, json['error']]).toEqual([402, 'budget_exceeded']);
    expect(await callMany([parent])).toEqual([]);
  });

  test('gets the cost of a session as its budget, and not more', async () => {
    await budgets({ per_session_usd: 2 });
    expect((await create()).json['budget']).toEqual({ max_cost_usd: 2 });
    expect((await create({ budget: { max_cost_usd: 1 } })).json['budget']).toEqual({ max_cost_usd: 1 });
    const { json } = await create({ budget: { max_cost_usd: 9 } });
    expect(json['budget']).toEqual({ max_cost_usd: 2 });
    const path = `${org}/sessions/${String(json['id'])}`;
    const raised = await api.call('PATCH', path, { key, body: { budget: { max_cost_usd: 9 } } });
    expect(raised.json['budget']).toEqual({ max_cost_usd: 2 });
  });

  test('is rejected when the day is spent, and says why', async () => {
    await budgets({ per_day_usd: 0.1 });
    const run = await started();
    await settleCall(api.ctx, run, await permitted(run), used(0.1));
    expect((await create()).json).toMatchObject({
      error: 'budget_exceeded',
      message: expect.stringContaining('0.1 of 0.1 USD'),
      details: { limit: 'organization_day_usd', used: 0.1, allowed: 0.1 },
    });
    await budgets({ per_day_usd: 0.1, hard: false });
    expect((await create()).status).toBe(201);
  });
});

test('budgets that are not hard permit every call, and name the exceeded limits', async () => {
  await budgets({ per_day_usd: 0.2, per_session_usd: 0.1, hard: false });
  const run = await started();
  expect(await callMany([run])).toHaveLength(64);
  const call = await permitted(run);
  await settleCall(api.ctx, run, call, used(0.3));
  expect((await permitted(run)).exceeded).toMatchObject([
    { limit: 'organization_day_usd', allowed: 0.2 },
    { limit: 'organization_session_usd', allowed: 0.1 },
  ]);
});

describe('a call of a lost process', () => {
  async function age(id: string, minutes: number): Promise<void> {
    await api.ctx.db.pool.query(
      `update reserved_calls set created_at = now() - make_interval(mins => $2) where session_id = $1`,
      [id, minutes],
    );
  }

  test('counts as what it can have used, once its run is over, and is counted once', async () => {
    await budgets({ per_day_usd: 0.25 });
    const run = await started({ budget: { max_cost_usd: 0.25 } });
    const call = await permitted(run);
    await age(run.id, 20);
    // The run goes on: nothing is lost.
    await settleLostCalls(api.ctx);
    expect(await spent()).toEqual([]);
    await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 second' where id = $1`, [
      run.id,
    ]);
    const next = await take(api, run.id, 'worker-2');
    await settleLostCalls(api.ctx);
    expect(await spent()).toEqual(['0.1']);
    const { json } = await api.call('GET', `${org}/sessions/${run.id}`, { key });
    expect(json['usage']).toMatchObject({ input_tokens: 100, output_tokens: 900, cost_usd: 0.1 });
    const { rows } = await api.ctx.db.pool.query(
      'select reserved_tokens, reserved_cost_usd from sessions where id = $1',
      [run.id],
    );
    expect(rows).toEqual([{ reserved_tokens: 0, reserved_cost_usd: 0 }]);
    // Its process lives after all.
    await settleCall(api.ctx, run, call, used(0.05));
    await settleLostCalls(api.ctx);
    expect(await spent()).toEqual(['0.1']);
    // 0.15 are left: one whole call, and one that may answer less.
    const sum = (await callMany([next])).reduce((total, [, { reserved }]) => total + reserved.costUsd, 0);
    expect(sum).toBeGreaterThan(0.149);
    expect(sum).toBeLessThanOrEqual(0.15 + 1e-9);
  });

  test('counts also if the session is gone', async () => {
    await budgets({ per_day_usd: 1 });
    const run = await started();
    await permitted(run);
    await age(run.id, 20);
    await api.call('DELETE', `${org}/sessions/${run.id}?force=true`, { key });
    await settleLostCalls(api.ctx);
    expect(await spent()).toEqual(['0.1']);
  });

  test('counts without any limit, too, and is marked; one that is settled leaves nothing', async () => {
    const run = await started();
    const settled = await permitted(run);
    await settleCall(api.ctx, run, settled, used(0.05));
    await permitted(run);
    const unpriced = await reserveCall(api.ctx, run, { ...request, maxOutputTokens: undefined, price: undefined });
    expect(unpriced).toMatchObject({ outcome: 'reserved', maxOutputTokens: Infinity });
    await age(run.id, 20);
    expect(await settleLostCalls(api.ctx)).toBe(0);
    await api.call('POST', `${org}/sessions/${run.id}/cancel`, { key });
    expect(await settleLostCalls(api.ctx)).toBe(2);
    const { rows } = await api.ctx.db.pool.query(
      `select price_source, input_tokens, output_tokens, cost_usd::float8 from usage_records where session_id = $1 order by id`,
      [run.id],
    );
    expect(rows).toEqual([
      { price_source: 'published', input_tokens: 100, output_tokens: 20, cost_usd: 0.05 },
      { price_source: 'reserved', input_tokens: 100, output_tokens: 900, cost_usd: 0.1 },
      { price_source: 'reserved', input_tokens: 100, output_tokens: 32_000, cost_usd: 0 },
    ]);
    const { json } = await api.call('GET', `${org}/sessions/${run.id}/usage`, { key });
    expect(json).toMatchObject({ input_tokens: 300, output_tokens: 32_920, cost_usd: 0.15 });
  });

  test('that used nothing is released once', async () => {
    const { run } = await sessionIn(api, 'running', { budget: { max_cost_usd: 1 } });
    if (run === undefined) throw new Error('nothing runs');
    const [first] = [await permitted(run), await permitted(run)];
    for (let at = 0; at < 2; at += 1)
      await settleCall(api.ctx, run, first, { ...used(0), inputTokens: 0, outputTokens: 0 });
    const { rows } = await api.ctx.db.pool.query('select reserved_tokens from sessions where id = $1', [run.id]);
    expect(rows).toEqual([{ reserved_tokens: 1_000 }]);
  });
});
