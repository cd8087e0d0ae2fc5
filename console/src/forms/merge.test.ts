import { expect, test } from 'vitest';
import { linesOf, merged } from './merge.ts';

test('what each of two people changed is kept, and mine where both changed it', () => {
  const base = { name: 'Team', limits: { cost: 5, tokens: null }, hosts: ['a'] };
  const theirs = { name: 'Teams', limits: { cost: 9, tokens: null }, hosts: ['a', 'b'] };
  const mine = { name: 'Team', limits: { cost: 6, tokens: 1 }, hosts: ['a'] };
  expect(merged(base, theirs, mine)).toEqual({ name: 'Teams', limits: { cost: 6, tokens: 1 }, hosts: ['a', 'b'] });
  expect(merged(base, theirs, { ...base, hosts: [] })).toEqual({ ...theirs, hosts: [] });
  expect(merged(base, theirs, base)).toBe(theirs);
});

test('values are lines, one for each', () => {
  const values = { name: 'Team', limits: { cost: null }, hosts: ['a', 'b'], rows: [{ cidr: '::1' }], body: 'one\ntwo' };
  expect(linesOf(values).split('\n')).toEqual([
    'name: Team',
    'limits.cost: null',
    'hosts: a, b',
    'rows.0.cidr: ::1',
    'body:',
    'one',
    'two',
    '',
  ]);
});
