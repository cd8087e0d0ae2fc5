import { describe, expect, test } from 'vitest';
import type { Phase } from '../../../features/sessions/schemas/session-schemas.ts';
import { beginPhase, endPhase } from '../../../features/sessions/store/phases.ts';
import { nextAfterVerify, judgeChange, recordedResult } from './outcome.ts';

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
    expect(judgeChange(before, after)).toBe(outcome);
  });
});

describe('afterVerify', () => {
  const round = { outcome: 'failed', conversational: true, rounds: 1, round: 1, maxTurns: undefined } as const;

  test('delivers whatever did not fail', () => {
    for (const outcome of ['fixed', 'not_reproduced', 'no_check', 'could_not_run'] as const)
      expect(nextAfterVerify({ ...round, outcome })).toBe('deliver');
  });

  test('gives an agent three rounds, or as many as its budget has turns', () => {
    expect([1, 2, 3].map((rounds) => nextAfterVerify({ ...round, rounds }))).toEqual(['feedback', 'feedback', 'fail']);
    expect(nextAfterVerify({ ...round, rounds: 4, round: 4, maxTurns: 5 })).toBe('feedback');
    expect(nextAfterVerify({ ...round, rounds: 1, round: 5, maxTurns: 5 })).toBe('fail');
  });

  test('gives one to an agent that cannot be told: it would do the same again', () => {
    expect(nextAfterVerify({ ...round, conversational: false })).toBe('fail');
  });
});

describe('reproducedBefore', () => {
  const now = new Date('2026-01-01T00:00:00Z');
  const later = new Date('2026-01-01T00:00:05Z');
  const evidence: Phase['evidence'] = [
    { kind: 'command', command: 'make test', exit_code: 1, duration_ms: 5, output_tail: '', artifact_id: null },
  ];

  test('tells what a check did on the base commit, for exactly its command', () => {
    const check = { command: 'make test', files: [] };
    const reproduced = endPhase([], 'reproduce', { status: 'passed', summary: '', evidence }, now);
    expect(recordedResult(reproduced, check)).toBe('failed');
    expect(recordedResult(reproduced, { ...check, command: 'make check' })).toBeUndefined();
    expect(recordedResult(beginPhase(reproduced, 'reproduce', later), check)).toBeUndefined();
    expect(recordedResult([], check)).toBeUndefined();
    const broken = evidence.map((item) => ({ ...item, problem: 'There is no make.' }));
    const [phase] = endPhase([], 'reproduce', { status: 'could_not_run', summary: '', evidence: broken }, now);
    expect(recordedResult(phase === undefined ? [] : [phase], check)).toBe('could_not_run');
  });

  test('tells nothing of a check with files: they may be others now', () => {
    const check = { command: 'make test', files: [{ path: 'a', content: '' }] };
    const plain = endPhase([], 'reproduce', { status: 'passed', summary: '', evidence }, now);
    expect(recordedResult(plain, check)).toBeUndefined();
    const file = {
      kind: 'file',
      command: 'a',
      exit_code: null,
      duration_ms: 0,
      output_tail: '',
      artifact_id: null,
    } as const;
    const withFile = endPhase([], 'reproduce', { status: 'passed', summary: '', evidence: [...evidence, file] }, now);
    expect(recordedResult(withFile, { ...check, files: [] })).toBeUndefined();
  });
});
