import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  record,
  subarray,
  tuple,
} from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { addDays } from '../../lib/days.ts';
import { rebuildRollups } from './rollup-service.ts';
import { dimensions, type GroupBy } from './schemas.ts';
import { rollUpAll } from '../../../test/support/rollups.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

/** First and last instants of days, months and a year, and others. */
const instants = ['2025-10-07T11:00:00Z', '2025-10-31T23:59:59.999999Z', '2025-11-01T00:00:00Z', '2025-11-30T12:30:00Z']
  .concat(['2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000001Z', '2026-01-15T18:45:00Z'])
  .concat(['2026-02-28T23:59:59Z', '2026-03-01T00:00:00Z', '2026-03-09T09:09:09Z', '2026-03-31T22:00:00Z']);

const anyCall = record({
  created_at: constantFrom(...instants),
  principal: constantFrom('user/usr_a', 'user/usr_b', 'user/usr_c', 'service_user/svc_a', 'app/app_a', 'system/'),
  repository: constantFrom('', 'local:acme/one', 'github:acme/two'),
  model: constantFrom('p/one', 'p/two', 'q/three'),
  automation_id: constantFrom('', 'aut_a', 'aut_b'),
  tags: subarray(['x', 'y', 'z']),
  input_tokens: integer({ min: 0, max: 9_000_000_000 }),
  output_tokens: integer({ min: 0, max: 200_000 }),
  millionths: integer({ min: 0, max: 2_000_000_001 }),
});
type Call = typeof anyCall extends Arbitrary<infer T> ? T : never;

/** The values of a dimension that a call counts for. */
function valuesOf(call: Call, dimension: GroupBy): string[] {
  const [type = '', id = ''] = call.principal.split('/');
  const present = (value: string): string[] => (value === '' ? [] : [value]);
  switch (dimension) {
    case 'user':
    case 'service_user':
      return type === dimension ? [id] : [];
    case 'repo':
      return present(call.repository);
    case 'model':
      return [call.model];
    case 'automation':
      return present(call.automation_id);
    case 'tag':
      return call.tags;
  }
}

interface Sum {
  calls: number;
  input_tokens: number;
  output_tokens: number;
  millionths: number;
}

function sumOf(calls: readonly Call[]): Sum {
  const sum = { calls: calls.length, input_tokens: 0, output_tokens: 0, millionths: 0 };
  for (const call of calls) {
    sum.input_tokens += call.input_tokens;
    sum.output_tokens += call.output_tokens;
    sum.millionths += call.millionths;
  }
  return sum;
}

function shownSum(totals: Record<string, unknown>): Sum {
  const [calls, input_tokens, output_tokens] = [totals['calls'], totals['input_tokens'], totals['output_tokens']].map(
    Number,
  );
  const millionths = Math.round(Number(totals['cost_usd']) * 1e6);
  return { calls: calls ?? NaN, input_tokens: input_tokens ?? NaN, output_tokens: output_tokens ?? NaN, millionths };
}

async function insert(orgId: string, calls: readonly Call[]): Promise<void> {
  const rows = calls.map(({ principal, millionths, ...call }) => {
    const [principal_type, principal_id] = principal.split('/');
    return { ...call, principal_type, principal_id, cost_usd: (millionths / 1e6).toFixed(6) };
  });
  await api.ctx.db.pool.query(
    `insert into usage_records (id, org_id, session_id, principal_type, principal_id, origin, repository, provider, model,
       input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_usd, price_source, created_at, automation_id, tags)
     select 'use_' || gen_random_uuid(), $1, 'ses_x', principal_type, principal_id, 'api', repository, 'p', model, input_tokens,
       output_tokens, 0, 0, cost_usd, 'published', created_at, automation_id, tags
     from jsonb_to_recordset($2::jsonb) as r (created_at timestamptz, principal_type text, principal_id text, repository text,
       model text, automation_id text, tags text[], input_tokens bigint, output_tokens bigint, cost_usd numeric)`,
    [orgId, JSON.stringify(rows)],
  );
}

test('every sum is a plain sum over the calls, in any range, before and after a rebuild', async () => {
  let cases = 0;
  const range = tuple(integer({ min: 0, max: 180 }), integer({ min: 0, max: 180 }));
  await assert(
    asyncProperty(
      array(array(anyCall, { maxLength: 20 }), { minLength: 1, maxLength: 3 }),
      range,
      async (parts, ends) => {
        cases += 1;
        const { id, slug, key } = await api.createOrganization(`Sums ${cases}`);
        for (const part of parts) {
          await insert(id, part);
          await rollUpAll(api.ctx);
        }
        const [first, last] = ends.toSorted((a, b) => a - b);
        const [from, to] = [addDays('2025-10-05', first ?? 0), addDays('2025-10-05', last ?? 0)];
        const calls = parts.flat().filter(({ created_at: at }) => at.slice(0, 10) >= from && at.slice(0, 10) <= to);
        const read = async (dimension: GroupBy) => {
          const path = `/v3/organizations/${slug}/consumption/daily?group_by=${dimension}&top=2&from=${from}&to=${to}`;
          const { status, json } = await api.call('GET', path, { key });
          expect(status).toBe(200);
          return json;
        };
        const before = await Promise.all(dimensions.map(read));
        for (const [at, dimension] of dimensions.entries()) compare(before[at] ?? {}, dimension, calls);
        await rebuildRollups(api.ctx, id);
        expect(await Promise.all(dimensions.map(read))).toEqual(before);
      },
    ),
    { numRuns: 25 },
  );
  expect(cases).toBe(25);
});

function compare(json: Record<string, unknown>, dimension: GroupBy, calls: readonly Call[]): void {
  expect(shownSum(Object(json['totals']))).toEqual(sumOf(calls));
  for (const day of Object(json['days']))
    expect(shownSum(day)).toEqual(sumOf(calls.filter(({ created_at: at }) => at.startsWith(day.date))));
  const ids = [...new Set(calls.flatMap((call) => valuesOf(call, dimension)))];
  const sums = ids.map((id) => sumOf(calls.filter((call) => valuesOf(call, dimension).includes(id))));
  const costs = sums.map(({ millionths }) => millionths).toSorted((a, b) => b - a);
  const groups: Record<string, unknown>[] = Object(json['groups']);
  expect(json['groups_total']).toBe(ids.length);
  expect(groups.map(({ totals }) => shownSum(Object(totals)).millionths)).toEqual(costs.slice(0, 2));
  for (const { id, totals } of groups) expect(shownSum(Object(totals))).toEqual(sums[ids.indexOf(String(id))]);
  const rest = sums.filter((_, at) => !groups.some(({ id }) => id === ids[at]));
  const total = (pick: (sum: Sum) => number): number => rest.reduce((all, sum) => all + pick(sum), 0);
  expect(shownSum(Object(Object(json['rest'])['totals']))).toEqual({
    calls: total((sum) => sum.calls),
    input_tokens: total((sum) => sum.input_tokens),
    output_tokens: total((sum) => sum.output_tokens),
    millionths: total((sum) => sum.millionths),
  });
}
