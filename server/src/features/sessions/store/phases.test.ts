import { describe, expect, test } from 'vitest';
import type { Phase } from '../schemas/session-schemas.ts';
import { beginPhase, endPhase, phasesOfNewTurn } from './phases.ts';

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
});
