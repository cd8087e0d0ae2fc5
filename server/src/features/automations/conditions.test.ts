import { expect, test } from 'vitest';
import { meets, type Operator } from './conditions.ts';

const payload = { ref: 'refs/heads/main', count: 3, labels: ['bug', 'ui'], draft: false, deep: { 'a/b': [null] } };

test.each<[string, Operator, string | number | boolean | null, boolean]>([
  ['/ref', 'equals', 'refs/heads/main', true],
  ['/ref', 'equals', 'main', false],
  ['/draft', 'equals', false, true],
  ['/count', 'equals', '3', false],
  ['/missing', 'not_equals', 'x', true],
  ['/ref', 'matches', 'refs/heads/*', true],
  ['/count', 'matches', '*', false],
  ['/ref', 'not_matches', 'refs/tags/*', true],
  ['/labels', 'contains', 'bug', true],
  ['/ref', 'contains', 'heads', true],
  ['/labels', 'not_contains', 'bug', false],
  ['/count', 'greater_than', 2, true],
  ['/count', 'less_than', 3, false],
  ['/deep/a~1b/0', 'exists', null, true],
  ['/deep/a~1b/1', 'exists', null, false],
  ['/constructor', 'absent', null, true],
  ['/labels/length', 'absent', null, true],
  ['', 'exists', null, true],
])('%s %s %j: %j', (path, operator, value, expected) => {
  expect(meets([{ path, operator, value }], payload)).toBe(expected);
});

test('all conditions must hold', () => {
  const draft = { path: '/draft', operator: 'equals', value: false } as const;
  expect(meets([], payload)).toBe(true);
  expect(meets([draft, { path: '/count', operator: 'equals', value: 4 }], payload)).toBe(false);
});
