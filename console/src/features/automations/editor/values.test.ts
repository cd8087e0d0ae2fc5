import { expect, test } from 'vitest';
import { newAutomation, newTrigger, requestOf, triggersOf, valueOf, valuesOf, valuesOfDraft } from './values.ts';
import type { Automation } from '../words.ts';
import { emptyDraft } from '../../sessions/composer/draft.ts';
import { examples } from './examples.ts';

const saved: Automation = {
  id: 'aut_1',
  name: 'Nightly',
  enabled: true,
  triggers: [
    {
      id: 'hook_1',
      type: 'schedule',
      cron: '30 2 * * *',
      timezone: 'Europe/Berlin',
      at: null,
      url: '',
      conditions: [],
    },
    {
      id: 'hook_2',
      type: 'webhook',
      cron: '',
      timezone: '',
      at: null,
      url: 'http://localhost/x',
      conditions: [
        { path: '/count', operator: 'greater_than', value: 3 },
        { path: '/name', operator: 'equals', value: '42' },
        { path: '/draft', operator: 'equals', value: false },
        { path: '/ref', operator: 'matches', value: 'true*' },
        { path: '/gone', operator: 'absent', value: null },
      ],
    },
  ],
  action: {
    prompt_template: 'Do it.',
    repositories: [{ provider: 'local', repo: 'acme/shop', ref: 'main' }],
    agent_id: '',
    tags: ['a', 'b'],
    budget: { max_cost_usd: 2, max_turns: 4 },
    structured_output_schema: {},
    deliver: '',
  },
  executor: 'platform',
  run_as: 'creator',
  concurrency: 'skip',
  missed_runs: 'run_once',
  retry: { max_attempts: 2, backoff_seconds: 60 },
  timeout_minutes: 30,
  pause_after_failures: 5,
  status: 'active',
  consecutive_failures: 0,
  last_run_at: null,
  next_run_at: null,
  hook_secret: '',
  created_by: { type: 'user', id: 'usr_1', name: 'Ada' },
  revision: 1,
  created_at: '2026-11-23T12:00:00Z',
  updated_at: '2026-11-23T12:00:00Z',
};

test('an automation that nobody changed is sent as it was read', () => {
  const { triggers, action, ...rest } = requestOf(valuesOf(saved));
  expect(triggers.map(({ id, cron, conditions }) => ({ id, cron, conditions }))).toEqual([
    { id: 'hook_1', cron: '30 2 * * *', conditions: [] },
    {
      id: 'hook_2',
      cron: undefined,
      conditions: saved.triggers[1]?.conditions.map(({ value, ...one }) =>
        one.operator === 'absent' ? one : { ...one, value },
      ),
    },
  ]);
  expect(action).toMatchObject({
    repositories: saved.action.repositories,
    tags: ['a', 'b'],
    budget: saved.action.budget,
  });
  expect(rest).toMatchObject({ retry: saved.retry, timeout_minutes: 30, pause_after_failures: 5 });
});

test('a limit of cost that is emptied is gone, and the other limits stay', () => {
  const values = valuesOf(saved);
  values.action.budget.max_cost_usd = null;
  expect(requestOf(values).action.budget).toEqual({ max_turns: 4 });
});

test('rows without a repository are no repositories', () => {
  expect(requestOf(newAutomation()).action.repositories).toEqual([]);
});

test('the value of a condition is what its text means', () => {
  const read = (text: string) => valueOf('equals', text);
  expect(['42', 'true', 'null', 'main', '"42"', '', '{"a":1}', '[1]'].map(read)).toEqual([
    42,
    true,
    null,
    'main',
    '42',
    '',
    '{"a":1}',
    '[1]',
  ]);
  expect(valueOf('matches', '42')).toBe('42');
});

test('a trigger sends the fields of its type alone', () => {
  const changed = { ...newTrigger('schedule'), type: 'push' as const };
  expect(triggersOf([changed])).toEqual([{ type: 'push', conditions: [] }]);
});

test('each example is complete but for the repository', () => {
  for (const { values } of examples) {
    const { name, triggers, action } = requestOf(values());
    expect(name).not.toBe('');
    expect(triggers).toHaveLength(1);
    expect(action.prompt_template).not.toBe('');
  }
});

test('what was entered for a session is what its automation starts', () => {
  const draft = {
    ...emptyDraft,
    prompt: 'Do it.',
    title: 'Often',
    repositories: [{ repo: 'acme/shop', ref: 'next' }],
    tags: 'a, b',
    maxCost: '2.5',
    maxTurns: '3',
  };
  expect(requestOf(valuesOfDraft(draft))).toMatchObject({
    name: 'Often',
    action: {
      prompt_template: 'Do it.',
      repositories: [{ provider: '', repo: 'acme/shop', ref: 'next' }],
      tags: ['a', 'b'],
      budget: { max_cost_usd: 2.5, max_turns: 3 },
    },
  });
});
