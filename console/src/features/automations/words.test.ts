import { expect, test } from 'vitest';
import { conditionWords, cronWords, remarkOf, triggersWords, triggerWords, type Trigger } from './words.ts';

const trigger: Trigger = { id: 'hook_1', type: 'schedule', cron: '', timezone: '', at: null, url: '', conditions: [] };
const never: Trigger = { ...trigger, type: 'push' };

test('a schedule is said in words, with its zone', () => {
  expect(triggerWords({ ...trigger, cron: '30 2 * * 1-5', timezone: 'Europe/Berlin' })).toBe(
    'At 02:30, Monday through Friday, Berlin time',
  );
  expect(triggerWords({ ...trigger, cron: '0 7 * * *', timezone: 'America/New_York' })).toBe('At 07:00, New York time');
});

test('what is no expression has no words, and stays as it was written', () => {
  for (const cron of ['', '* * * *', '99 2 * * *', 'a b c d e', '* * * * * *', `${'1,'.repeat(5_000)}1 * * * *`])
    expect(typeof cronWords(cron)).toBe('string');
  expect(cronWords('99 2 * * *')).toBe('');
  expect(triggerWords({ ...trigger, cron: '99 2 * * *' })).toBe('99 2 * * *, UTC time');
});

test('an event is said with its conditions', () => {
  const conditions = [
    { path: '/branch', operator: 'equals', value: 'main' },
    { path: '/deleted', operator: 'absent', value: null },
  ] as const;
  expect(triggerWords({ ...never, conditions: [...conditions] })).toBe(
    'A push, and /branch is "main", and /deleted is not there',
  );
  expect(conditionWords({ path: '', operator: 'exists', value: null })).toBe('the payload is there');
  expect(triggersWords([])).toBe('Only when somebody runs it');
});

test('only what needs a look is remarked on', () => {
  const of = (part: Partial<Parameters<typeof remarkOf>[0]>) =>
    remarkOf({ enabled: true, status: 'active', consecutive_failures: 0, ...part })?.word;
  expect(of({})).toBeUndefined();
  expect(of({ enabled: false })).toBe('Off');
  expect(of({ status: 'paused' })).toBe('Paused');
  expect(of({ status: 'paused', consecutive_failures: 5 })).toBe('Paused after 5 failures');
  expect(of({ status: 'degraded', consecutive_failures: 1 })).toBe('Failing, 1 failure in a row');
});
