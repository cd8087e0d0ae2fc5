import * as fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { withinOneDay } from '../../../test/support/day.ts';
import { newGroup, newPerson, newSession, usageOf, type Person } from '../../../test/support/groups.ts';
import { holdSandboxTime } from '../sessions/dispatch/dispatch-service.ts';
import { reserveCall, settleCall, type PermittedCall } from '../sessions/run/model-service.ts';
import { issueSessionKey } from '../sessions/run/session-key-service.ts';
import { claim, finish, type ClaimedRun } from '../sessions/run/run-service.ts';
import { beginTurn } from '../sessions/run/turn-service.ts';

const organization = '/v3/organizations/default';
const price = { input: 0.001, output: 0.002 };

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
beforeEach(() => withinOneDay());
afterAll(() => api.close());

async function run(by: Person, body: object = {}): Promise<ClaimedRun> {
  const claimed = await claim(api.ctx, await newSession(api, by, body), 'worker-1');
  if (claimed === undefined) throw new Error('nothing was claimed');
  return claimed;
}

async function reserved(of: ClaimedRun, inputTokens: number, maxOutputTokens: number): Promise<PermittedCall> {
  const decision = await reserveCall(api.ctx, of, { inputTokens, maxOutputTokens, price });
  if (decision.outcome !== 'reserved') throw new Error(decision.outcome);
  return decision;
}

function used(inputTokens: number, outputTokens: number) {
  const costUsd = inputTokens * price.input + outputTokens * price.output;
  const cached = { cachedInputTokens: 0, cacheWriteTokens: 0 };
  return { model: 'anthropic/some', inputTokens, outputTokens, ...cached, costUsd, priceSource: 'operator' } as const;
}

async function cancel(id: string): Promise<void> {
  await api.call('POST', `${organization}/sessions/${id}/cancel`);
}

describe('a model call of a session in a group', () => {
  test('is held and settled on its day, beside the budget of the session', async () => {
    const ada = await newPerson(api);
    const id = await newGroup(api, [ada], { per_day: { tokens: 10_000, cost_usd: 50 } });
    const one = await run(ada, { budget: { max_tokens: 2_000 } });
    const call = await reserved(one, 500, 5_000);
    expect(call.maxOutputTokens).toBe(1_500);
    expect(await usageOf(api, id)).toMatchObject({
      used: { tokens: 0, cost_usd: 0 },
      reserved: { tokens: 2_000, cost_usd: 3.5 },
    });
    await settleCall(api.ctx, one, call, used(500, 100));
    const usage = { tokens: 600, cost_usd: 0.7 };
    expect(await usageOf(api, id)).toMatchObject({ used: usage, reserved: { tokens: 0, cost_usd: 0 } });
    const nothing = await reserved(one, 500, 500);
    await settleCall(api.ctx, one, nothing, used(0, 0));
    expect(await usageOf(api, id)).toMatchObject({ used: usage, reserved: { tokens: 0, cost_usd: 0 } });
  });

  test('gets a shorter answer where that is all that is left, and is refused by name where nothing is', async () => {
    const [ada, bob] = [await newPerson(api), await newPerson(api)];
    const wide = await newGroup(api, [ada], { per_day: { tokens: 100_000 } });
    const narrow = await newGroup(api, [ada, bob], { per_day: { cost_usd: 1 } });
    const [hers, his] = [await run(ada), await run(bob)];
    expect((await reserved(his, 100, 200)).maxOutputTokens).toBe(200);
    expect((await reserved(hers, 100, 5_000)).maxOutputTokens).toBe(200);
    expect(await reserveCall(api.ctx, hers, { inputTokens: 100, maxOutputTokens: 500, price })).toMatchObject({
      outcome: 'budget',
      limit: 'max_cost_usd',
      used: 1,
      allowed: 1,
      group: { groupId: narrow },
    });
    expect(await reserveCall(api.ctx, hers, { inputTokens: 1, maxOutputTokens: 1, price: undefined })).toEqual({
      outcome: 'no_price',
    });
    expect(await usageOf(api, wide)).toMatchObject({ reserved: { tokens: 300 } });
  });

  test('of many sessions at once never makes the group pass its limit', async () => {
    const ada = await newPerson(api);
    const id = await newGroup(api, [ada], { per_day: { tokens: 1_000 } });
    const runs = await Promise.all(Array.from({ length: 8 }, () => run(ada)));
    const decisions = await Promise.all(
      Array.from({ length: 32 }, (_, n) => {
        const one = runs[n % runs.length];
        if (one === undefined) throw new Error('nothing runs');
        return reserveCall(api.ctx, one, { inputTokens: 60, maxOutputTokens: 40, price });
      }),
    );
    expect(decisions.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(10);
    expect(await usageOf(api, id)).toMatchObject({ reserved: { tokens: 1_000 } });
  });

  test('and of its children at once fits into the day of the group and into the budget of each', async () => {
    const ada = await newPerson(api);
    const id = await newGroup(api, [ada], { per_day: { tokens: 1_000 } });
    const parent = await run(ada, { budget: { max_tokens: 2_000 } });
    const { key } = await issueSessionKey(api.ctx, parent);
    const children = await Promise.all(
      [300, 300, 200].map((max_tokens) => run({ id: parent.id, key }, { budget: { max_tokens } })),
    );
    const runs = [parent, ...children];
    const decisions = await Promise.all(
      Array.from({ length: 64 }, async (_, n) => {
        const one = runs[n % runs.length] ?? parent;
        return { one, decision: await reserveCall(api.ctx, one, { inputTokens: 60, maxOutputTokens: 40, price }) };
      }),
    );
    const made = decisions.filter(({ decision }) => decision.outcome === 'reserved');
    expect(made).toHaveLength(10);
    for (const [at, most] of [3, 3, 2].entries())
      expect(made.filter(({ one }) => one === children[at]).length).toBeLessThanOrEqual(most);
    expect(await usageOf(api, id)).toMatchObject({ reserved: { tokens: 1_000 } });
  });

  test('that outlives its session counts whole until it is settled', async () => {
    const ada = await newPerson(api);
    const id = await newGroup(api, [ada], { per_day: { tokens: 10_000 } });
    const one = await run(ada);
    const call = await reserved(one, 100, 900);
    await cancel(one.id);
    expect(await usageOf(api, id)).toMatchObject({ used: { tokens: 1_000 }, reserved: { tokens: 0 } });
    await settleCall(api.ctx, one, call, used(90, 10));
    expect(await usageOf(api, id)).toMatchObject({ used: { tokens: 100 }, reserved: { tokens: 0 } });
    const gone = await run(ada);
    const other = await reserved(gone, 100, 900);
    await api.call('DELETE', `${organization}/sessions/${gone.id}?force=true`);
    expect(await usageOf(api, id)).toMatchObject({ used: { tokens: 1_100, sessions: 2 }, reserved: { tokens: 0 } });
    await settleCall(api.ctx, gone, other, used(90, 10));
    expect(await usageOf(api, id)).toMatchObject({ used: { tokens: 200, sessions: 2 }, reserved: { tokens: 0 } });
  });

  test('that gives room back lets those begin who wait for it', async () => {
    const ada = await newPerson(api);
    const id = await newGroup(api, [ada], { per_day: { tokens: 1_000 }, on_exceed: 'queue' });
    const one = await run(ada);
    const call = await reserved(one, 100, 900);
    const waiting = await newSession(api, ada);
    expect(await claim(api.ctx, waiting, 'worker-1')).toBeUndefined();
    expect(await claim(api.ctx, waiting, 'worker-1')).toBeUndefined();
    await settleCall(api.ctx, one, call, used(100, 100));
    expect(await claim(api.ctx, waiting, 'worker-1')).toMatchObject({ id: waiting });
    expect(await usageOf(api, id)).toMatchObject({ used: { tokens: 200 }, reserved: { sessions: 2 } });
  });

  test('is settled also when its group is gone', async () => {
    const ada = await newPerson(api);
    const id = await newGroup(api, [ada], { per_day: { tokens: 1_000 } });
    const one = await run(ada);
    const call = await reserved(one, 100, 100);
    expect((await api.call('DELETE', `${organization}/groups/${id}`)).status).toBe(204);
    await settleCall(api.ctx, one, call, used(100, 100));
    const { json } = await api.call('GET', `${organization}/sessions/${one.id}/usage`);
    expect(json).toMatchObject({ input_tokens: 100, output_tokens: 100 });
    await cancel(one.id);
  });
});

describe('sandbox time of a group', () => {
  test('is held in slices, and what is left of one is given back', async () => {
    const ada = await newPerson(api);
    const id = await newGroup(api, [ada], { per_day: { sandbox_minutes: 0.75 }, on_exceed: 'queue' });
    const one = await run(ada);
    expect((await usageOf(api, id)).reserved.sandbox_minutes).toBeCloseTo(0.5);
    const two = await run(ada);
    expect((await usageOf(api, id)).reserved.sandbox_minutes).toBeCloseTo(0.75);
    const waiting = await newSession(api, ada);
    expect(await claim(api.ctx, waiting, 'worker-1')).toBeUndefined();
    await pass(two, 15);
    expect(await holdSandboxTime(api.ctx, two)).toMatchObject({ exceeded: { limit: 'sandbox_minutes' } });
    await beginTurn(api.ctx, one, 1);
    const end = { status: 'completed', status_detail: 'finished', sandbox_state: 'none' } as const;
    await finish(api.ctx, one, { ...end, sandboxSeconds: 6 });
    expect(await holdSandboxTime(api.ctx, two)).toMatchObject({ exceeded: undefined });
    const { used: spent, reserved: held } = await usageOf(api, id);
    expect([spent.sandbox_minutes, held.sandbox_minutes]).toEqual([0.1, expect.closeTo(0.65, 1)]);
    await beginTurn(api.ctx, two, 1);
    await finish(api.ctx, two, { ...end, sandboxSeconds: 9 });
    expect(await usageOf(api, id)).toMatchObject({ used: { sandbox_minutes: 0.25 }, reserved: { sandbox_minutes: 0 } });
    expect(await claim(api.ctx, waiting, 'worker-1')).toMatchObject({ id: waiting });
  });
});

/** Sets a session's sandbox time back by these seconds. */
async function pass({ id }: ClaimedRun, seconds: number): Promise<void> {
  await api.ctx.db.pool.query(
    `update group_dispatches set dispatched_at = dispatched_at - make_interval(secs => $2) where session_id = $1`,
    [id, seconds],
  );
}

type Step = {
  kind: 'create' | 'claim' | 'call' | 'settle' | 'time' | 'finish' | 'cancel' | 'delete' | 'lose';
  at: number;
};
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom<Step['kind']>(
      'create',
      'claim',
      'claim',
      'call',
      'call',
      'settle',
      'time',
      'finish',
      'cancel',
      'delete',
      'lose',
    ),
    at: fc.nat(1_000),
  }),
  { minLength: 40, maxLength: 60 },
);
const limits = { sessions: 6, tokens: 3_000, cost_usd: 3, sandbox_minutes: 2 };

test('whatever happens to sessions in what order, what is used and reserved fits, and nothing stays reserved', async () => {
  const seen = { claims: 0, waits: 0, calls: 0, refusals: 0 };
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const [ada, bob] = [await newPerson(api), await newPerson(api)];
      const ids = [
        await newGroup(api, [ada, bob], { per_day: limits, on_exceed: 'queue' }),
        await newGroup(api, [ada], {
          per_day: { ...limits, tokens: 1_500 },
          on_exceed: 'queue',
          timezone: 'Asia/Tokyo',
        }),
      ];
      const sessions: string[] = [];
      const runs: ClaimedRun[] = [];
      const calls: { run: ClaimedRun; call: PermittedCall; input: number }[] = [];
      for (const step of plan) {
        await take(step);
        for (const [n, id] of ids.entries()) await fits(id, n === 0 ? limits : { ...limits, tokens: 1_500 });
      }
      for (const id of sessions) await cancel(id);
      for (const id of ids) {
        await fits(id, limits);
        const nothing = { sessions: 0, tokens: 0, cost_usd: 0, sandbox_minutes: 0 };
        for (const day of await daysOf(id)) expect((await usageOf(api, id, day)).reserved).toEqual(nothing);
      }

      async function take({ kind, at }: Step): Promise<void> {
        const session = sessions[at % Math.max(1, sessions.length)];
        const one = runs[at % Math.max(1, runs.length)];
        switch (kind) {
          case 'create':
            sessions.push(await newSession(api, at % 2 === 0 ? ada : bob));
            return;
          case 'claim': {
            const claimed = session === undefined ? undefined : await claim(api.ctx, session, 'worker-1');
            if (claimed !== undefined) runs.push(claimed);
            seen[claimed === undefined ? 'waits' : 'claims'] += 1;
            return;
          }
          case 'call': {
            if (one === undefined) return;
            const input = at % 100;
            const decision = await reserveCall(api.ctx, one, { inputTokens: input, maxOutputTokens: at, price });
            if (decision.outcome === 'reserved') calls.push({ run: one, call: decision, input });
            seen[decision.outcome === 'reserved' ? 'calls' : 'refusals'] += 1;
            return;
          }
          case 'settle': {
            const [held] = calls.splice(at % Math.max(1, calls.length), 1);
            if (held === undefined) return;
            const most = Math.min(held.call.maxOutputTokens, 1_000);
            await settleCall(api.ctx, held.run, held.call, used(held.input, Math.floor((most * (at % 10)) / 9)));
            return;
          }
          case 'time':
            if (one !== undefined) await holdSandboxTime(api.ctx, one).catch(() => undefined);
            return;
          case 'finish':
            if (one === undefined) return;
            await beginTurn(api.ctx, one, 1).catch(() => undefined);
            await finish(api.ctx, one, {
              status: 'waiting',
              status_detail: 'awaiting_user',
              sandbox_state: 'none',
              sandboxSeconds: Math.min(at % 20, await heldSeconds(one.id)),
            }).catch(() => undefined);
            return;
          case 'cancel':
            if (session !== undefined) await cancel(session);
            return;
          case 'delete':
            await api.call('DELETE', `${organization}/sessions/${session ?? 'ses_none'}?force=true`);
            return;
          case 'lose':
            await api.ctx.db.pool.query(
              `update sessions set lease_until = now() - interval '1 s' where id = $1 and lease_until is not null`,
              [session],
            );
        }
      }
    }),
    { numRuns: 12, endOnFailure: true },
  );
  // Some calls were refused at each limit, others allowed.
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
}, 120_000);

/** Returns the reserved seconds; a worker stops a session before it exceeds them. */
async function heldSeconds(id: string): Promise<number> {
  const { rows } = await api.ctx.db.pool.query<{ least: number | null }>(
    'select min(reserved_seconds)::float8 as least from group_dispatches where session_id = $1 and open',
    [id],
  );
  return rows[0]?.least ?? 0;
}

async function daysOf(groupId: string): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ day: string }>(
    'select day::text from group_days where group_id = $1',
    [groupId],
  );
  return rows.map(({ day }) => day);
}

/** Checks that each day of a group keeps its limits, and that its counters are the sums of the records. */
async function fits(groupId: string, most: typeof limits): Promise<void> {
  for (const day of await daysOf(groupId)) {
    const { used: spent, reserved: held } = await usageOf(api, groupId, day);
    expect(spent.sessions + held.sessions).toBeLessThanOrEqual(most.sessions);
    expect(spent.tokens + held.tokens).toBeLessThanOrEqual(most.tokens);
    expect(spent.cost_usd + held.cost_usd).toBeLessThanOrEqual(most.cost_usd + 1e-9);
    expect(spent.sandbox_minutes + held.sandbox_minutes).toBeLessThanOrEqual(most.sandbox_minutes + 0.01);
    for (const amount of [...Object.values(spent), ...Object.values(held)]) expect(amount).toBeGreaterThanOrEqual(0);
    const { rows } = await api.ctx.db.pool.query(
      `select (select count(*) from group_dispatches where group_id = $1 and day = $2::date and open) as sessions,
         (select round((coalesce(sum(reserved_seconds), 0) / 60)::numeric, 6)::float8 from group_dispatches where group_id = $1 and day = $2::date) as sandbox_minutes,
         (select coalesce(sum(tokens), 0)::int8 from group_calls where group_id = $1 and day = $2::date and not counted) as tokens,
         (select round(coalesce(sum(cost_usd), 0)::numeric, 6)::float8 from group_calls where group_id = $1 and day = $2::date and not counted) as cost_usd`,
      [groupId, day],
    );
    const { sandbox_minutes: minutes, cost_usd: cost, ...counts } = Object(rows[0]);
    // Sums of fractions in another order may differ in the last digit.
    expect(held).toEqual({ ...counts, sandbox_minutes: expect.closeTo(minutes, 5), cost_usd: expect.closeTo(cost, 5) });
  }
}
