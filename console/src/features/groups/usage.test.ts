import { expect, test } from 'vitest';
import { levelsOf, tightest } from './usage.ts';

const none = { cost_usd: 0, tokens: 0, sessions: 0, sandbox_minutes: 0 };
const unlimited = { cost_usd: null, tokens: null, sessions: null, sandbox_minutes: null };
const limits = (perDay: object) => ({
  per_day: { ...unlimited, ...perDay },
  timezone: 'UTC',
  on_exceed: 'block' as const,
});

test('reserved amounts count, and nothing is fuller than full', () => {
  const usage = {
    used: { ...none, cost_usd: 4 },
    reserved: { ...none, cost_usd: 1 },
    limits: limits({ cost_usd: 10 }),
  };
  expect(levelsOf(usage)[0]?.share).toBe(0.5);
  expect(levelsOf({ ...usage, limits: limits({ cost_usd: 2 }) })[0]?.share).toBe(1);
});

test('a limit of nothing is reached, and no limit never is', () => {
  const levels = levelsOf({ used: { ...none, sessions: 900 }, reserved: none, limits: limits({ tokens: 0 }) });
  expect(levels.map(({ share }) => share)).toEqual([0, 1, 0, 0]);
});

test('the tightest limit is the one with the largest share', () => {
  const used = { ...none, cost_usd: 1, tokens: 90 };
  const levels = levelsOf({ used, reserved: none, limits: limits({ cost_usd: 10, tokens: 100 }) });
  expect(tightest(levels)?.amount).toBe('tokens');
  expect(tightest(levelsOf({ used, reserved: none, limits: limits({}) }))).toBeUndefined();
});
