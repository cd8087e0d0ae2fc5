import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { withinOneDay } from '../../../../test/support/day.ts';
import { newGroup, newPerson, newSession, usageOf, type Person } from '../../../../test/support/groups.ts';
import { sessionIn, start } from '../../../../test/support/session-states.ts';
import { reserveCall, settleCall, type PermittedCall } from '../run/model-service.ts';
import { claim, type Run } from '../run/run-service.ts';
import { issueSessionKey } from '../run/session-key-service.ts';

const sessions = '/v3/organizations/default/sessions';

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  const body = { provider: 'local', repo: 'acme/ledger' };
  await api.call('POST', '/v3/organizations/default/repositories', { body });
});
beforeEach(() => withinOneDay());
afterAll(() => api.close());

async function permitted(run: Run): Promise<PermittedCall> {
  const price = { input: 1e-6, output: 2e-6 };
  const decision = await reserveCall(api.ctx, run, { inputTokens: 100, maxOutputTokens: 100, price });
  if (decision.outcome !== 'reserved') throw new Error(decision.outcome);
  return decision;
}

function used(costUsd: number, model = 'anthropic/some') {
  const tokens = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 40, cacheWriteTokens: 10 };
  return { ...tokens, model, costUsd, priceSource: 'published' } as const;
}

async function running(body: object = {}): Promise<{ id: string; path: string; run: Run }> {
  const { id, path, run } = await sessionIn(api, 'running', body);
  if (run === undefined) throw new Error('nothing runs');
  return { id, path, run };
}

async function runOf(by: Person): Promise<Run> {
  const claimed = await claim(api.ctx, await newSession(api, by), 'worker-1');
  if (claimed === undefined) throw new Error('nothing was claimed');
  return claimed;
}

async function records(sessionId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await api.ctx.db.pool.query('select * from usage_records where session_id = $1 order by id', [
    sessionId,
  ]);
  return rows;
}

describe('the ledger', () => {
  test('has a record of each call: who and what it was for, its tokens of each kind, and its cost as a decimal', async () => {
    const { id, run } = await running({ repositories: [{ repo: 'acme/ledger' }] });
    await settleCall(api.ctx, run, await permitted(run), used(0.1 + 0.2));
    const { created_by } = (await api.call('GET', `${sessions}/${id}`)).json;
    expect(await records(id)).toEqual([
      {
        id: expect.stringMatching(/^use_[0-9a-z]{26}$/),
        org_id: orgId,
        session_id: id,
        principal_type: 'user',
        principal_id: Object(created_by).id,
        origin: 'api',
        repository: 'local:acme/ledger',
        provider: 'anthropic',
        model: 'anthropic/some',
        input_tokens: 100,
        output_tokens: 20,
        cached_input_tokens: 40,
        cache_write_tokens: 10,
        cost_usd: '0.300000',
        price_source: 'published',
        created_at: expect.any(Date),
        automation_id: '',
        tags: [],
        group_ids: [],
      },
    ]);
  });

  test("counts a child's calls for the creator of the first session of its tree", async () => {
    const person = await newPerson(api);
    const parent = await runOf(person);
    const { key } = await issueSessionKey(api.ctx, parent);
    const child = await api.call('POST', sessions, { key, body: { prompt: 'Help.' } });
    const run = await start(api, String(child.json['id']));
    await settleCall(api.ctx, run, await permitted(run), used(0.5));
    expect(await records(run.id)).toMatchObject([
      { principal_type: 'user', principal_id: person.id, origin: 'session' },
    ]);
  });

  test('is what the sums of a session and of a group’s day add up to, to the millionth', async () => {
    const ada = await newPerson(api);
    const group = await newGroup(api, [ada], { per_day: { tokens: 1_000_000, cost_usd: 100 } });
    const run = await runOf(ada);
    // Binary fractions that accumulate errors in sums, and some with more digits than are kept.
    const costs = Array.from({ length: 60 }, (_, at) => 0.1 + at / 3e5);
    for (const [at, cost] of costs.entries())
      await settleCall(api.ctx, run, await permitted(run), used(cost, at % 2 === 0 ? 'anthropic/even' : 'openai/odd'));
    const { rows } = await api.ctx.db.pool.query<Record<string, string | number>>(
      `select count(*)::int as calls, sum(cost_usd) as cost, sum(input_tokens)::int as input, sum(output_tokens)::int as output
       from usage_records where session_id = $1`,
      [run.id],
    );
    const sum = costs.reduce((total, cost) => total + Math.round(cost * 1e6), 0) / 1e6;
    expect(rows).toEqual([{ calls: 60, cost: sum.toFixed(6), input: 6_000, output: 1_200 }]);
    const usage = (await api.call('GET', `${sessions}/${run.id}/usage`)).json;
    expect(usage).toMatchObject({ input_tokens: 6_000, output_tokens: 1_200, cost_usd: sum });
    const models: Record<string, number>[] = Object(usage['by_model']);
    expect(models.map(({ model }) => model)).toEqual(['anthropic/even', 'openai/odd']);
    expect(models.reduce((total, one) => total + Math.round(Number(one['cost_usd']) * 1e6), 0)).toBe(sum * 1e6);
    const { rows: days } = await api.ctx.db.pool.query(
      'select cost_usd, tokens, reserved_tokens from group_days where group_id = $1',
      [group],
    );
    expect(days.map((day) => [Number(day.cost_usd), day.tokens, day.reserved_tokens])).toEqual([[sum, 7_200, 0]]);
    expect((await usageOf(api, group)).used).toMatchObject({ tokens: 7_200, cost_usd: sum });
  });

  test('counts a call once that is settled again, because nobody heard that it was', async () => {
    const { id, path, run } = await running({});
    const call = await permitted(run);
    await settleCall(api.ctx, run, call, used(0.5));
    await settleCall(api.ctx, run, call, used(0.5));
    expect(await records(id)).toHaveLength(1);
    expect((await api.call('GET', path)).json['usage']).toMatchObject({ input_tokens: 100, cost_usd: 0.5 });
    const ada = await newPerson(api);
    const group = await newGroup(api, [ada], { per_day: { tokens: 1_000_000 } });
    const grouped = await runOf(ada);
    const held = await permitted(grouped);
    await settleCall(api.ctx, grouped, held, used(0.25));
    await settleCall(api.ctx, grouped, held, used(0.25));
    expect((await usageOf(api, group)).used).toMatchObject({ tokens: 120, cost_usd: 0.25 });
  });

  test('keeps its records when the session is deleted, and takes that of a call which ends afterwards', async () => {
    const { id, path, run } = await running({});
    const [first, last] = [await permitted(run), await permitted(run)];
    await settleCall(api.ctx, run, first, used(0.5));
    await api.call('POST', `${path}/cancel`);
    expect((await api.call('DELETE', path)).status).toBe(204);
    await settleCall(api.ctx, run, last, used(0.25));
    expect(await records(id)).toMatchObject([{ cost_usd: '0.500000' }, { cost_usd: '0.250000' }]);
  });

  test('is only added to, until its organization is purged', async () => {
    const { id, run } = await running({});
    await settleCall(api.ctx, run, await permitted(run), used(0.5));
    const refused = 'usage_records is append-only';
    const { pool } = api.ctx.db;
    await expect(pool.query('update usage_records set cost_usd = 0 where session_id = $1', [id])).rejects.toThrow(
      refused,
    );
    await expect(pool.query('delete from usage_records where session_id = $1', [id])).rejects.toThrow(refused);
    expect(await records(id)).toHaveLength(1);
  });
});
