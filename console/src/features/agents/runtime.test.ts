import { expect, test } from 'vitest';
import { configOf, problemOf, runtimeIdOf, templateOf } from './runtime.ts';
import { newAgent, refusalsOf, type AgentValues } from './values.ts';

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

test('a number that was set can be changed, and not emptied', () => {
  const before = { ...newAgent, max_tokens: 4_096 };
  const fieldsOf = (now: Partial<AgentValues>) => refusalsOf(before, { ...before, ...now }).map(({ field }) => field);
  expect(fieldsOf({ max_tokens: 100, temperature: null })).toEqual([]);
  expect(fieldsOf({ max_tokens: null })).toEqual(['max_tokens']);
  expect(fieldsOf({ runtime_config: '[' })).toEqual(['runtime_config']);
});
