import { expect, test } from 'vitest';
import { changesOf, valueText } from './changes.ts';

const entry = (id: string, changes: object, outcome = 'success') => ({ id, outcome, changes });

test('the value before is that of the newest earlier entry which names the field', () => {
  const now = entry('d', { name: 'C', limits: { per_day: { cost_usd: 5, tokens: null } } });
  const earlier = [
    entry('c', { name: 'X' }, 'denied'),
    entry('b', { name: 'B' }),
    entry('a', { name: 'A', limits: { per_day: { cost_usd: 2 } } }),
  ];
  expect(changesOf(now, earlier)).toEqual([
    { field: 'name', after: 'C', before: { value: 'B', entry: 'b' } },
    { field: 'limits.per_day.cost_usd', after: 5, before: { value: 2, entry: 'a' } },
    { field: 'limits.per_day.tokens', after: null, before: undefined },
  ]);
});

test('lists and empty objects are one value', () => {
  expect(changesOf(entry('a', { scopes: ['run'], limits: {} }), []).map(({ field }) => field)).toEqual([
    'scopes',
    'limits',
  ]);
});

test('a deep or long value stays bounded', () => {
  const deep: object = JSON.parse(`${'{"a":'.repeat(50)}1${'}'.repeat(50)}`);
  expect(changesOf(entry('a', deep), [])).toHaveLength(1);
  expect(valueText('x'.repeat(100_000)).length).toBeLessThan(5_000);
});
