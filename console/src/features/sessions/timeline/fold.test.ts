import type { SessionEvent } from '@guildhall/client';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clipOf, joinClips, kept, omitted } from './clip.ts';
import { fold, joinFolds } from './fold.ts';

const id = fc.constantFrom('a', 'b');
const text = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.integer({ min: 0, max: 30_000 }).map((length) => 'x'.repeat(length)),
);

const note = {
  kind: 'note' as const,
  command: 'x',
  exit_code: null,
  duration_ms: 0,
  output_tail: '',
  artifact_id: null,
};

const kinds = fc.oneof(
  fc.record({
    kind: fc.constant('message' as const),
    data: fc.record({
      message_id: id,
      role: fc.constant('agent' as const),
      delta: text,
      done: fc.boolean(),
      state: fc.constant('delivered' as const),
    }),
  }),
  fc.record({
    kind: fc.constant('thought' as const),
    data: fc.record({ message_id: id, role: fc.constant('agent' as const), delta: text, done: fc.boolean() }),
  }),
  fc.record({
    kind: fc.constant('tool_call' as const),
    data: fc.record({ call_id: id, name: text, title: text, input: fc.constant({}) }),
  }),
  fc.record({
    kind: fc.constant('tool_result' as const),
    data: fc.record({ call_id: id, ok: fc.boolean(), output: text, artifact_id: fc.constant(null) }),
  }),
  fc.record({
    kind: fc.constant('command' as const),
    data: fc.record({
      command_id: id,
      call_id: fc.constant('c'),
      command: text,
      phase: fc.constant('' as const),
      exit_code: fc.constantFrom(null, 0),
      duration_ms: fc.constant(null),
      artifact_id: fc.constant(null),
    }),
  }),
  fc.record({
    kind: fc.constant('output' as const),
    data: fc.record({ command_id: id, call_id: fc.constant('c'), stream: fc.constant('stdout' as const), text }),
  }),
  fc.record({
    kind: fc.constant('plan' as const),
    data: fc.record({
      entries: fc.array(fc.record({ content: text, status: fc.constant('pending' as const) }), { maxLength: 1 }),
    }),
  }),
  fc.record({
    kind: fc.constant('approval' as const),
    data: fc.record({
      approval_id: id,
      kind: fc.constant('plan' as const),
      state: fc.constantFrom('pending' as const, 'approved' as const),
      summary: text,
    }),
  }),
  fc.record({
    kind: fc.constant('phase' as const),
    data: fc.record({
      name: fc.constantFrom('verify' as const, 'implement' as const),
      status: fc.constantFrom('running' as const, 'passed' as const),
      summary: text,
      evidence: fc.array(fc.constant(note), { maxLength: 1 }),
    }),
  }),
  fc.record({ kind: fc.constant('warning' as const), data: fc.record({ code: id, message: text }) }),
);

const log = fc.array(kinds, { maxLength: 30 }).map((list) =>
  list.map((event, at): SessionEvent => ({
    ...event,
    seq: at + 1,
    id: `evt_${at + 1}`,
    session_id: 'ses_1',
    phase: '',
    turn: 1,
    attempt_no: 1,
    created_at: new Date(at * 1_000).toISOString(),
  })),
);

test('a log folds to the same rows, wherever it is cut', () => {
  fc.assert(
    fc.property(log, fc.nat(30), fc.nat(30), (events, x, y) => {
      const [first, second] = [Math.min(x, y), Math.max(x, y)];
      const [a, b, c] = [events.slice(0, first), events.slice(first, second), events.slice(second)].map(fold);
      if (a === undefined || b === undefined || c === undefined) throw new Error('three parts');
      const whole = fold(events);
      expect(joinFolds(joinFolds(a, b), c)).toEqual(whole);
      expect(joinFolds(a, joinFolds(b, c))).toEqual(whole);
    }),
  );
});

test('every event is in exactly one row, and keys are unique', () => {
  fc.assert(
    fc.property(log, (events) => {
      const { rows, places } = fold(events);
      expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
      expect(rows.map(({ key }) => places.get(key))).toEqual(rows.map((_, at) => at));
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map(({ seq }) => seq).toSorted((p, q) => p - q));
    }),
  );
});

test('a clip has the beginning and the end of the text', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), (parts) => {
      const whole = parts.join('');
      const clip = parts.map(clipOf).reduce(joinClips, clipOf(''));
      expect(clip).toEqual(clipOf(whole));
      expect(whole.startsWith(clip.head) && whole.endsWith(clip.tail)).toBe(true);
      expect(omitted(clip)).toBe(Math.max(0, whole.length - kept.head - kept.tail));
    }),
  );
});
