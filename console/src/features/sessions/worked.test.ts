import { expect, test } from 'vitest';
import { workedOf } from './worked.ts';

const start = '2026-11-30T00:00:00Z';
const nextDay = '2026-12-01T00:00:00Z';
const nowMs = Date.parse(nextDay) + 90_000;

test('a session that was continued a day later did not work in between', () => {
  const session = { started_at: start, working_since: null, ended_at: nextDay, usage: { sandbox_seconds: 65 } };
  expect(workedOf({ ...session, status: 'completed' }, nowMs)).toBe('1 m 5 s');
  const continued = { ...session, working_since: nextDay, ended_at: null };
  expect(workedOf({ ...continued, status: 'running' }, nowMs)).toBe('2 m 35 s');
});

test('a clock that is behind that of the server takes nothing away', () => {
  const session = { started_at: start, working_since: nextDay, ended_at: null, usage: { sandbox_seconds: 65 } };
  expect(workedOf({ ...session, status: 'provisioning' }, Date.parse(nextDay) - 5_000)).toBe('1 m 5 s');
});

test('a session that waits or never started has no time', () => {
  const session = { started_at: start, working_since: null, ended_at: null, usage: { sandbox_seconds: 65 } };
  const never = { ...session, started_at: null, usage: { sandbox_seconds: 0 } };
  expect([
    workedOf({ ...session, status: 'waiting' }, nowMs),
    workedOf({ ...never, status: 'queued' }, nowMs),
    workedOf({ ...never, status: 'completed', ended_at: nextDay }, nowMs),
  ]).toEqual([undefined, undefined, undefined]);
});
