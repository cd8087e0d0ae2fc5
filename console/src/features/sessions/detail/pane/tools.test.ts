import type { SessionEvent } from '@guildhall/client';
import { expect, test } from 'vitest';
import { toolGroupsOf } from './tools.ts';

const place = { id: '', session_id: '', phase: '', turn: 1, attempt_no: 1 } as const;
const at = (second: number) => ({ ...place, seq: second, created_at: new Date(second * 1_000).toISOString() });

function call(second: number, id: string, name: string): Extract<SessionEvent, { kind: 'tool_call' }> {
  return { ...at(second), kind: 'tool_call', data: { call_id: id, name, title: name, input: {} } };
}

function result(second: number, id: string, ok = true): Extract<SessionEvent, { kind: 'tool_result' }> {
  return { ...at(second), kind: 'tool_result', data: { call_id: id, ok, output: '', artifact_id: null } };
}

test('calls are counted by what their tools do, the longest first', () => {
  const calls = [call(1, 'a', 'read'), call(2, 'b', 'fetch'), call(3, 'c', 'shell'), call(4, 'd', 'issues__list')];
  const results = [result(2, 'a'), result(4, 'b', false), result(13, 'c')];
  expect(toolGroupsOf(calls, results)).toEqual([
    { name: 'Run commands', calls: 1, failed: 0, durationMs: 10_000 },
    { name: 'Read files', calls: 2, failed: 1, durationMs: 3_000 },
    { name: 'Other tools', calls: 1, failed: 0, durationMs: 0 },
  ]);
});
