import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { withinOneDay } from '../../../../test/support/day.ts';
import { newGroup, newPerson, newSession } from '../../../../test/support/groups.ts';
import { runningIn, start, take } from '../../../../test/support/session-states.ts';
import { reserveCall, settleCall } from '../run/model-service.ts';
import { append, claim, finish } from '../run/run-service.ts';

const org = '/v3/organizations/default';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(() => withinOneDay());
afterAll(() => api.close());

async function put(path: string, body: object): Promise<void> {
  const answer = await api.call('PUT', `${org}/${path}`, { body });
  expect([answer.status, answer.text]).toEqual([200, answer.text]);
}

async function create(body: object = {}): Promise<string> {
  const { json } = await api.call('POST', `${org}/sessions`, { body: { prompt: 'x', repositories: [], ...body } });
  return String(json['id']);
}

async function stateOf(id: string): Promise<string> {
  const { json } = await api.call('GET', `${org}/sessions/${id}`);
  return `${String(json['status'])}/${String(json['status_detail'])}`;
}

async function itemsOf(id: string, list: 'events' | 'messages'): Promise<object[]> {
  const { json } = await api.call('GET', `${org}/sessions/${id}/${list}?first=200`);
  return Object(json['items']);
}

const goOn = {
  resume: (id: string, key?: string) => api.call('POST', `${org}/sessions/${id}/resume`, { ...(key && { key }) }),
  message: (id: string, key?: string) =>
    api.call('POST', `${org}/sessions/${id}/messages`, { body: { content: 'Go on.' }, ...(key && { key }) }),
};

async function isRefused(id: string, key?: string): Promise<void> {
  const before = await itemsOf(id, 'messages');
  for (const answer of [await goOn.message(id, key), await goOn.resume(id, key)])
    expect([answer.status, answer.json['error']]).toEqual([402, 'budget_exceeded']);
  expect(await stateOf(id)).toBe('suspended/budget_reached');
  expect(await itemsOf(id, 'messages')).toEqual(before);
}

/** Ends a session's turn at a limit, as a run does. */
async function stopAt(id: string, data: { limit: string; used: number; allowed: number; group_id?: string }) {
  const run = await runningIn(api, id);
  await append(api.ctx, run, [{ kind: 'budget', data }]);
  const end = { status: 'suspended', status_detail: 'budget_reached', sandbox_state: 'none' } as const;
  await finish(api.ctx, run, { ...end, sandboxSeconds: 1 });
}

async function callOf(id: string) {
  const run = await take(api, id);
  const price = { input: 1e-4, output: 1e-4 };
  const model = 'anthropic/some';
  const call = await reserveCall(api.ctx, run, { model, inputTokens: 100, maxOutputTokens: 900, price });
  if (call.outcome !== 'reserved') throw new Error(call.outcome);
  const tokens = { inputTokens: 100, outputTokens: 900, cachedInputTokens: 0, cacheWriteTokens: 0 };
  await settleCall(api.ctx, run, call, { ...tokens, model, costUsd: 0.1, priceSource: 'published' });
}

describe('a session that is queued when the budget of the organization is spent', () => {
  test.each([
    ['per_day_usd', 'organization_day_usd'],
    ['per_cycle_usd', 'organization_cycle_usd'],
  ])('is suspended at %s before it gets a sandbox, and begins once that is raised', async (name, limit) => {
    const [id, other] = [await create(), await create()];
    await callOf(other);
    await put('settings/budgets', { [name]: 0.01 });
    expect(await claim(api.ctx, id, 'worker-1')).toBeUndefined();
    expect((await itemsOf(id, 'events')).slice(-3)).toMatchObject([
      { kind: 'warning', data: { code: 'budget_exceeded', message: expect.stringContaining('of 0.01 USD') } },
      { kind: 'budget', data: { limit, allowed: 0.01 } },
      { kind: 'status', data: { status: 'suspended', status_detail: 'budget_reached', sandbox_state: 'none' } },
    ]);
    await isRefused(id);
    await put('settings/budgets', { [name]: 100 });
    expect((await goOn.resume(id)).status).toBe(200);
    await callOf(id);
  });

  test('begins if the budget only warns', async () => {
    const id = await create();
    await put('settings/budgets', { per_day_usd: 0, hard: false });
    await callOf(id);
    await put('settings/budgets', {});
  });
});

describe('a session that its own budget suspended', () => {
  test.each([
    ['max_cost_usd', 1],
    ['max_tokens', 1_000],
    ['max_minutes', 10],
    ['max_turns', 3],
  ])('goes on only if %s is raised or removed', async (limit, allowed) => {
    for (const raised of [{ [limit]: allowed + 1 }, {}]) {
      const id = await create({ budget: { [limit]: allowed } });
      await start(api, id);
      await stopAt(id, { limit, used: allowed, allowed });
      await isRefused(id);
      const others = { max_turns: 50, max_minutes: 60, [limit]: allowed };
      await api.call('PATCH', `${org}/sessions/${id}`, { body: { budget: others } });
      await isRefused(id);
      await api.call('PATCH', `${org}/sessions/${id}`, { body: { budget: raised } });
      expect((await goOn.message(id)).status).toBe(202);
      expect(await stateOf(id)).toBe('queued/');
    }
  });
});

describe('a session that the day of a group suspended', () => {
  async function stopped(on_exceed: 'block' | 'queue', used: number) {
    const ada = await newPerson(api);
    const limits = { per_day: { tokens: 1_000 }, on_exceed };
    const group_id = await newGroup(api, [ada], limits);
    const id = await newSession(api, ada, { repositories: [] });
    await start(api, id);
    await api.ctx.db.pool.query('update group_days set tokens = $2 where group_id = $1', [group_id, used]);
    await stopAt(id, { limit: 'group_tokens', used, allowed: 1_000, group_id });
    const raise = (tokens: number) =>
      api.call('PATCH', `${org}/groups/${group_id}`, { body: { limits: { ...limits, per_day: { tokens } } } });
    return { id, raise, key: ada.key };
  }

  test.each(['block', 'queue'] as const)('goes on only if the limit is raised (%s)', async (on_exceed) => {
    const { id, raise, key } = await stopped(on_exceed, 980);
    await isRefused(id, key);
    await raise(990);
    await isRefused(id, key);
    await raise(2_000);
    expect((await goOn.message(id, key)).status).toBe(202);
    await take(api, id);
  });

  test('waits for the next day if that is used up and the group queues', async () => {
    const { id, key } = await stopped('queue', 1_000);
    expect((await goOn.message(id, key)).status).toBe(202);
    expect(await claim(api.ctx, id, 'worker-1')).toBeUndefined();
    expect(await stateOf(id)).toBe('queued/group_limit');
  });

  test('goes on when the day is over', async () => {
    const { id, key } = await stopped('block', 980);
    await api.ctx.db.pool.query(
      `update session_events set created_at = created_at - interval '1 day' where session_id = $1`,
      [id],
    );
    expect((await goOn.resume(id, key)).status).toBe(200);
  });
});
