import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../../test/support/api.ts';
import { sessionIn, take } from '../../../../test/support/session-states.ts';
import { decideCall, type CallRequest } from '../run/budget.ts';
import { reserveCall, settleCall } from '../run/model-service.ts';
import { append, type Run } from '../run/run-service.ts';
import { recordsOf } from '../run/takeover-service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const free = { tokens: 0, cost_usd: 0, reserved_tokens: 0, reserved_cost_usd: 0, given_tokens: 0, given_cost_usd: 0 };
const call = (inputTokens: number, maxOutputTokens?: number, price?: CallRequest['price']): CallRequest => ({
  inputTokens,
  maxOutputTokens,
  price,
});

describe('the decision on a model call', () => {
  test('leaves a call alone when no budget limits it', () => {
    expect(decideCall({ ...free, budget: { max_turns: 1 } }, call(1_000_000, 1_000_000))).toMatchObject({
      outcome: 'reserved',
      maxOutputTokens: Infinity,
    });
  });

  test('shortens the response to the remaining budget, and refuses when nothing remains', () => {
    const budget = { max_tokens: 1_000 };
    expect(decideCall({ ...free, budget }, call(400, 5_000))).toMatchObject({ maxOutputTokens: 600 });
    expect(decideCall({ ...free, budget, tokens: 500 }, call(400, 5_000))).toMatchObject({ maxOutputTokens: 100 });
    expect(decideCall({ ...free, budget, tokens: 600 }, call(400, 5_000))).toEqual({
      outcome: 'budget',
      limit: 'max_tokens',
      used: 600,
      allowed: 1_000,
    });
  });

  test('counts what calls under way have reserved', () => {
    const spending = { ...free, budget: { max_cost_usd: 1 }, cost_usd: 0.2, reserved_cost_usd: 0.7 };
    const price = { input: 0.001, output: 0.001 };
    expect(decideCall(spending, call(80, 50, price))).toMatchObject({ outcome: 'budget', limit: 'max_cost_usd' });
    expect(decideCall({ ...spending, reserved_cost_usd: 0 }, call(80, 50, price))).toMatchObject({
      outcome: 'reserved',
    });
  });

  test('refuses what a budget of cost cannot judge', () => {
    expect(decideCall({ ...free, budget: { max_cost_usd: 1 } }, call(1))).toEqual({ outcome: 'no_price' });
  });

  test('never lets a session pass its budget, whatever the calls', () => {
    const amount = fc.integer({ min: 0, max: 100_000 });
    const price = fc.record({
      input: fc.double({ min: 0, max: 0.01, noNaN: true }),
      output: fc.double({ min: 0, max: 0.01, noNaN: true }),
    });
    fc.assert(
      fc.property(
        amount,
        amount,
        amount,
        fc.option(amount, { nil: undefined }),
        price,
        (limit, used, input, output, rates) => {
          const budget = { max_tokens: limit + 1, max_cost_usd: (limit + 1) / 100 };
          const spending = { ...free, budget, tokens: used, cost_usd: used / 200 };
          const decision = decideCall(spending, call(input, output, rates));
          if (decision.outcome !== 'reserved') return;
          expect(used + decision.reserved.tokens).toBeLessThanOrEqual(budget.max_tokens);
          expect(used / 200 + decision.reserved.costUsd).toBeLessThanOrEqual(budget.max_cost_usd + 1e-9);
          expect(decision.maxOutputTokens).toBeLessThanOrEqual(output ?? Infinity);
        },
      ),
    );
  });
});

async function running(budget: object): Promise<{ run: Run; path: string; id: string }> {
  const { run, path, id } = await sessionIn(api, 'running', { budget });
  if (run === undefined) throw new Error('nothing runs');
  return { run, path, id };
}

const used = {
  inputTokens: 100,
  outputTokens: 20,
  cachedInputTokens: 40,
  cacheWriteTokens: 10,
  costUsd: 0.5,
  priceSource: 'published',
} as const;

describe('a model call of a session', () => {
  test('is on its account with an event, and what was reserved is free again', async () => {
    const { run, path } = await running({ max_tokens: 1_000 });
    const first = await reserveCall(api.ctx, run, call(100, 900));
    if (first.outcome !== 'reserved') throw new Error(first.outcome);
    expect(await reserveCall(api.ctx, run, call(1, 1))).toMatchObject({ outcome: 'budget', used: 1_000 });
    await settleCall(api.ctx, run, first, { model: 'anthropic/some', ...used });
    expect(await reserveCall(api.ctx, run, call(100, 900))).toMatchObject({ maxOutputTokens: 780 });
    const expected = { input_tokens: 100, output_tokens: 20, cached_input_tokens: 40, cost_usd: 0.5 };
    expect((await api.call('GET', `${path}/usage`)).json).toMatchObject({
      ...expected,
      by_model: [{ model: 'anthropic/some', ...expected }],
    });
    const { json } = await api.call('GET', `${path}/events?first=200`);
    const last = Array.isArray(json['items']) ? json['items'].at(-1) : undefined;
    expect(last).toMatchObject({ kind: 'usage', data: { model: 'anthropic/some', ...expected } });
  });

  test('costs what its event says: those of a session add up to what it used', async () => {
    const { run, path } = await running({});
    for (let number = 1; number <= 7; number += 1) {
      const decision = await reserveCall(api.ctx, run, call(100, 900));
      if (decision.outcome !== 'reserved') throw new Error(decision.outcome);
      await settleCall(api.ctx, run, decision, { model: 'anthropic/some', ...used, costUsd: 0.001 + number * 4e-7 });
    }
    const { json } = await api.call('GET', `${path}/events?first=200`);
    const items: unknown[] = Array.isArray(json['items']) ? json['items'] : [];
    const costs = items.flatMap((item) => (Object(item).kind === 'usage' ? [Number(Object(item).data.cost_usd)] : []));
    expect(costs).toHaveLength(7);
    const sum = costs.reduce((total, cost) => total + Math.round(cost * 1e6), 0) / 1e6;
    expect((await api.call('GET', `${path}/usage`)).json).toMatchObject({
      cost_usd: sum,
      by_model: [{ cost_usd: sum }],
    });
  });

  test('that used nothing leaves no trace', async () => {
    const { run, path } = await running({ max_tokens: 1_000 });
    const before = (await api.call('GET', path)).json;
    const first = await reserveCall(api.ctx, run, call(100, 900));
    if (first.outcome !== 'reserved') throw new Error(first.outcome);
    await settleCall(api.ctx, run, first, {
      model: 'anthropic/some',
      inputTokens: 0,
      outputTokens: 0,
      cachedInputTokens: 0,
      cacheWriteTokens: 0,
      costUsd: 0,
      priceSource: 'none',
    });
    expect((await api.call('GET', path)).json).toEqual(before);
    expect(await reserveCall(api.ctx, run, call(100, 900))).toMatchObject({ maxOutputTokens: 900 });
  });

  test('and others at once never reserve more than there is', async () => {
    const { run } = await running({ max_tokens: 1_000 });
    const decisions = await Promise.all(Array.from({ length: 32 }, () => reserveCall(api.ctx, run, call(60, 40))));
    const reserved = decisions.flatMap((decision) =>
      decision.outcome === 'reserved' ? [decision.reserved.tokens] : [],
    );
    expect(reserved).toEqual(Array.from({ length: 10 }, () => 100));
  });

  test('of a run whose session another worker took is refused, and not before one did', async () => {
    const { run, id } = await running({});
    await api.ctx.db.pool.query(`update sessions set lease_until = now() - interval '1 second' where id = $1`, [id]);
    expect(await reserveCall(api.ctx, run, call(1))).toMatchObject({ outcome: 'reserved' });
    const next = await take(api, id, 'worker-2');
    expect(await reserveCall(api.ctx, run, call(1))).toEqual({ outcome: 'lease_lost' });
    expect(await reserveCall(api.ctx, next, call(1))).toMatchObject({ outcome: 'reserved' });
  });
});

describe('what an agent records', () => {
  const told = { kind: 'warning', data: { code: 'x', message: 'told' } } as const;

  test('is on record with its events, in order; progress forgives lost workers', async () => {
    const { run, id } = await running({});
    await api.ctx.db.pool.query('update sessions set losses = 2 where id = $1', [id]);
    await append(api.ctx, run, [told], { records: [{ n: 1 }, { n: 2 }] });
    await append(api.ctx, run, [], { records: [{ n: 3 }], progress: true });
    expect(await recordsOf(api.ctx, run)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const { rows } = await api.ctx.db.pool.query('select losses from sessions where id = $1', [id]);
    expect(rows).toEqual([{ losses: 0 }]);
  });

  test('by an older run is refused, with its events', async () => {
    const { run, id, path } = await running({});
    await api.ctx.db.pool.query('update sessions set fence = fence + 1 where id = $1', [id]);
    const before = (await api.call('GET', path)).json['last_seq'];
    await expect(append(api.ctx, run, [told], { records: [{ n: 1 }] })).rejects.toThrow('no longer owns');
    expect(await recordsOf(api.ctx, run)).toEqual([]);
    expect((await api.call('GET', path)).json['last_seq']).toBe(before);
  });
});
