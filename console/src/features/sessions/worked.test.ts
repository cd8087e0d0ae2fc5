import { expect, test } from 'vitest';
import { workedOf } from './worked.ts';

const start = '2026-11-30T00:00:00Z';
const nextDay = '2026-12-01T00:00:00Z';
const textOf = (
  status: 'queued' | 'running' | 'waiting' | 'completed',
  seconds: number,
  ended: string | null = null,
  started: string | null = start,
) =>
  workedOf(
    { status, started_at: started, ended_at: ended, usage: { sandbox_seconds: seconds } },
    Date.parse(start) + 90_000,
  )?.text;

test('a session that was continued a day later did not work in between', () => {
  expect(textOf('completed', 65, nextDay)).toBe('1 m 5 s');
});

test('the first work under way counts from its start, later work is added when it ends', () => {
  expect([textOf('running', 0), textOf('running', 65)]).toEqual(['1 m 30 s', '1 m 5 s +']);
});

test('a session that waits or never started has no time', () => {
  expect([textOf('waiting', 65), textOf('queued', 0, null, null), textOf('completed', 0, nextDay, null)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
