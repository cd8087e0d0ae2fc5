import { expect, test } from 'vitest';
import { evidenceOf, judge } from './judge.ts';

const run = (status: number, count = 0, output = '') => ({ status, count, output });

test.each([
  ['fails only on the head', run(1), run(0), '', 'reproduced'],
  ['fails alike on both', run(1), run(1), '', 'pre_existing'],
  ['fails in another way on the base', run(1), run(2), '', 'unproved'],
  ['passes on the head', run(0), run(0), '', 'unproved'],
  ['passes on the head and says what is expected', run(0, 1), run(0), 'x', 'unproved'],
  ['is not there', run(127), run(127), '', 'unproved'],
  ['is not there on the base', run(1), run(127), '', 'unproved'],
  ['runs into its time limit', run(124), run(0), '', 'unproved'],
  ['says what is expected only on the head', run(1, 1), run(2, 0), 'x', 'reproduced'],
  ['says it more often on the head', run(1, 2), run(1, 1), 'x', 'reproduced'],
  ['says it as often on the base', run(1, 1), run(1, 1), 'x', 'pre_existing'],
  ['fails for another reason', run(1, 0), run(0, 0), 'x', 'unproved'],
] as const)('a command that %s', (_, head, base, expects, verdict) => {
  expect(judge({ id: 'f', head, base }, expects)).toBe(verdict);
});

test('the evidence is what the platform saw', () => {
  const text = evidenceOf('node check.js', { id: 'f', head: run(1, 0, 'got 5\n'), base: run(0) });
  expect(text).toBe('$ node check.js\ngot 5\nexit code 1 on the head, 0 on the base');
});
