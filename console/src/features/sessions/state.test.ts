import { expect, test } from 'vitest';
import { stateOf, notchesOf } from './state.ts';

test('only a verified session is green', () => {
  const statuses = ['queued', 'provisioning', 'running', 'waiting', 'suspended', 'failed', 'canceled'] as const;
  for (const status of statuses)
    expect(stateOf({ status, status_detail: 'working', verification: 'fixed' }).tone).not.toBe('ok');
  expect(stateOf({ status: 'completed', status_detail: 'finished', verification: 'fixed' })).toEqual({
    word: 'Verified',
    tone: 'ok',
  });
  for (const verification of ['', 'no_check', 'not_reproduced', 'could_not_run', 'failed'] as const)
    expect(stateOf({ status: 'completed', status_detail: 'finished', verification }).tone).toBe('plain');
});

test('what needs a person is amber', () => {
  const verification = '' as const;
  expect(stateOf({ status: 'waiting', status_detail: 'awaiting_approval', verification })).toEqual({
    word: 'Your approval',
    tone: 'wait',
  });
  expect(stateOf({ status: 'suspended', status_detail: 'budget_reached', verification }).tone).toBe('wait');
  expect(stateOf({ status: 'suspended', status_detail: 'inactivity', verification })).toEqual({
    word: 'Paused · inactive',
    tone: 'plain',
  });
});

test('a failure says why', () => {
  const failed = { status: 'failed', status_detail: 'verify_failed', verification: 'failed' } as const;
  expect(stateOf(failed)).toEqual({ word: 'Failed · still broken', tone: 'bad' });
});

test('the rail has four notches, whatever has begun', () => {
  expect(notchesOf({ phases: [] }).map(({ state }) => state)).toEqual(['pending', 'pending', 'pending', 'pending']);
  const phase = {
    name: 'implement',
    status: 'running',
    started_at: null,
    working_since: null,
    ended_at: null,
    summary: '',
    evidence: [],
  } as const;
  expect(notchesOf({ phases: [{ ...phase, evidence: [] }] }).map(({ state }) => state)).toEqual([
    'pending',
    'running',
    'pending',
    'pending',
  ]);
});
