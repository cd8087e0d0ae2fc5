import { describe, expect, test } from 'vitest';
import type { Phase } from '../../features/sessions/schemas/session-schemas.ts';
import { afterVerify, modeNow, outcomeOf, remainingMs, reproducedBefore, stoppedStatus, turnToRun } from './decide.ts';
import { beginPhase, endPhase, phasesOfNewTurn } from '../../features/sessions/store/phases.ts';

describe('outcomeOf', () => {
  test.each([
    ['failed', 'passed', 'fixed'],
    ['passed', 'passed', 'not_reproduced'],
    ['none', 'passed', 'not_reproduced'],
    ['failed', 'failed', 'failed'],
    ['passed', 'failed', 'failed'],
    ['none', 'failed', 'failed'],
    ['none', 'none', 'no_check'],
    ['could_not_run', 'passed', 'not_reproduced'],
    ['could_not_run', 'failed', 'failed'],
    ['could_not_run', 'could_not_run', 'could_not_run'],
    ['failed', 'could_not_run', 'failed'],
    ['passed', 'could_not_run', 'failed'],
    ['none', 'could_not_run', 'could_not_run'],
  ] as const)('%s before and %s after is %s', (before, after, outcome) => {
    expect(outcomeOf(before, after)).toBe(outcome);
  });
});

describe('afterVerify', () => {
  const round = { outcome: 'failed', runtime: 'builtin', rounds: 1, round: 1, maxTurns: undefined } as const;

  test('delivers whatever did not fail', () => {
    for (const outcome of ['fixed', 'not_reproduced', 'no_check', 'could_not_run'] as const)
      expect(afterVerify({ ...round, outcome })).toBe('deliver');
  });

  test('gives an agent three rounds, or as many as its budget has turns', () => {
    expect([1, 2, 3].map((rounds) => afterVerify({ ...round, rounds }))).toEqual(['feedback', 'feedback', 'fail']);
    expect(afterVerify({ ...round, rounds: 4, round: 4, maxTurns: 5 })).toBe('feedback');
    expect(afterVerify({ ...round, rounds: 1, round: 5, maxTurns: 5 })).toBe('fail');
  });

  test('gives a script one: it would do the same again', () => {
    expect(afterVerify({ ...round, runtime: 'script' })).toBe('fail');
  });
});

describe('modeNow', () => {
  const needed = { require_plan_approval: true };

  test('proposes a plan until one is approved, and then builds', () => {
    for (const mode of ['build', 'plan'] as const) {
      expect(modeNow({ mode, options: needed }, false)).toBe('propose');
      expect(modeNow({ mode, options: needed }, true)).toBe('build');
    }
  });

  test('is what the session says where nothing has to be approved', () => {
    for (const mode of ['build', 'plan', 'ask'] as const)
      for (const approved of [false, true]) expect(modeNow({ mode, options: {} }, approved)).toBe(mode);
    expect(modeNow({ mode: 'ask', options: needed }, true)).toBe('ask');
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

describe('phases', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const later = new Date('2026-01-01T00:00:05Z');
  const evidence: Phase['evidence'] = [
    { kind: 'command', command: 'make test', exit_code: 1, duration_ms: 5, output_tail: '', artifact_id: null },
  ];

  test('stand in the order they run in, whatever the order they are written in', () => {
    const phases = endPhase(
      beginPhase(beginPhase([], 'verify', now), 'reproduce', now),
      'verify',
      { status: 'passed', summary: 'ok' },
      later,
    );
    expect(phases.map(({ name, status, started_at, ended_at }) => ({ name, status, started_at, ended_at }))).toEqual([
      { name: 'reproduce', status: 'running', started_at: now, ended_at: null },
      { name: 'verify', status: 'passed', started_at: now, ended_at: later },
    ]);
  });

  test('that are skipped began when they ended', () => {
    const [phase] = endPhase([], 'deliver', { status: 'skipped', summary: '' }, later);
    expect(phase).toMatchObject({ started_at: later, ended_at: later });
  });

  test('of a new turn are the proof on the base commit alone', () => {
    const reproduced = endPhase(
      beginPhase([], 'reproduce', now),
      'reproduce',
      { status: 'passed', summary: '', evidence },
      later,
    );
    const all = beginPhase(reproduced, 'implement', later);
    expect(phasesOfNewTurn(all)).toEqual(reproduced);
    expect(phasesOfNewTurn(beginPhase([], 'reproduce', now))).toEqual([]);
    expect(phasesOfNewTurn(endPhase([], 'reproduce', { status: 'stopped', summary: '' }, now))).toEqual([]);
  });

  test('tell what a check did on the base commit, for exactly its command', () => {
    const check = { command: 'make test', files: [] };
    const reproduced = endPhase([], 'reproduce', { status: 'passed', summary: '', evidence }, now);
    expect(reproducedBefore(reproduced, check)).toBe('failed');
    expect(reproducedBefore(reproduced, { ...check, command: 'make check' })).toBeUndefined();
    expect(reproducedBefore(beginPhase(reproduced, 'reproduce', later), check)).toBeUndefined();
    expect(reproducedBefore([], check)).toBeUndefined();
    const broken = evidence.map((item) => ({ ...item, problem: 'There is no make.' }));
    const [phase] = endPhase([], 'reproduce', { status: 'could_not_run', summary: '', evidence: broken }, now);
    expect(reproducedBefore(phase === undefined ? [] : [phase], check)).toBe('could_not_run');
  });

  test('tell nothing of a check with files: they may be others now', () => {
    const check = { command: 'make test', files: [{ path: 'a', content: '' }] };
    const plain = endPhase([], 'reproduce', { status: 'passed', summary: '', evidence }, now);
    expect(reproducedBefore(plain, check)).toBeUndefined();
    const file = {
      kind: 'file',
      command: 'a',
      exit_code: null,
      duration_ms: 0,
      output_tail: '',
      artifact_id: null,
    } as const;
    const withFile = endPhase([], 'reproduce', { status: 'passed', summary: '', evidence: [...evidence, file] }, now);
    expect(reproducedBefore(withFile, { ...check, files: [] })).toBeUndefined();
  });
});
