import { describe, expect, test } from 'vitest';
import { currentMode, remainingMs, stoppedStatus, turnToRun } from './decide.ts';

describe('modeNow', () => {
  const needed = { require_plan_approval: true };

  test('proposes a plan until one is approved, and then builds', () => {
    for (const mode of ['build', 'plan'] as const) {
      expect(currentMode({ mode, options: needed }, false)).toBe('propose');
      expect(currentMode({ mode, options: needed }, true)).toBe('build');
    }
  });

  test('is what the session says where nothing has to be approved', () => {
    for (const mode of ['build', 'plan', 'ask'] as const)
      for (const approved of [false, true]) expect(currentMode({ mode, options: {} }, approved)).toBe(mode);
    expect(currentMode({ mode: 'ask', options: needed }, true)).toBe('ask');
  });
});

describe('turnToRun', () => {
  test('is a new one only when the last is over and something was said', () => {
    expect(turnToRun({ turn: 0, round: 0, turnEnded: true }, true)).toEqual({ turn: 1, round: 1, isNew: true });
    expect(turnToRun({ turn: 2, round: 4, turnEnded: true }, true)).toEqual({ turn: 3, round: 5, isNew: true });
    expect(turnToRun({ turn: 2, round: 4, turnEnded: false }, true)).toEqual({ turn: 2, round: 4, isNew: false });
    expect(turnToRun({ turn: 2, round: 4, turnEnded: true }, false)).toEqual({ turn: 2, round: 4, isNew: false });
  });
});

test('a stopped turn leaves its session as the contract says, and untouched at drain', () => {
  expect(stoppedStatus('interrupt')).toMatchObject({ status: 'waiting', status_detail: 'awaiting_user' });
  expect(stoppedStatus('suspend')).toMatchObject({ status: 'suspended', status_detail: 'user_request' });
  expect(stoppedStatus('budget')).toMatchObject({ status: 'suspended', status_detail: 'budget_reached' });
  expect(stoppedStatus('drain')).toBeUndefined();
});

test('remainingMs counts what earlier runs used, and is never negative', () => {
  expect(remainingMs(undefined, 10)).toBeUndefined();
  expect(remainingMs(1, 10)).toBe(50_000);
  expect(remainingMs(1, 100)).toBe(0);
});
