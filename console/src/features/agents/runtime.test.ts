import { expect, test } from 'vitest';
import { configOf, problemOf, runtimeIdOf, templateOf } from './runtime.ts';

const runtime = (id: string, problem = '') => ({
  id,
  name: id,
  runtime: 'acp' as const,
  installed: problem === '',
  version: '',
  problem,
});

test('an agent of another program is known by its preset', () => {
  const agent = { runtime: 'acp' as const, runtime_config: { preset: 'other' } };
  expect(runtimeIdOf(agent)).toBe('other');
  expect(problemOf(agent, [runtime('builtin'), runtime('other', 'It is not installed.')])).toBe('It is not installed.');
  expect(problemOf({ runtime: 'script', runtime_config: {} }, undefined)).toBe('');
});

test('a configuration is a JSON object, or nothing', () => {
  expect([configOf(' '), configOf('{"a":1}'), configOf('[1]'), configOf('{'), configOf('null')]).toEqual([
    {},
    { a: 1 },
    undefined,
    undefined,
    undefined,
  ]);
  expect(configOf(templateOf('script'))).toHaveProperty('steps');
  expect(configOf(templateOf('other'))).toEqual({ preset: 'other' });
  expect(templateOf('builtin')).toBe('');
});
