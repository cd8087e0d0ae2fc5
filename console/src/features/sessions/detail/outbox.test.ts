import { expect, test } from 'vitest';
import { clipOf } from '../timeline/clip.ts';
import type { RowOf } from '../timeline/rows.ts';
import { missingIn, readOutbox, writeOutbox, type Outgoing } from './outbox.ts';

const file = { id: 'att_1', name: 'shot.png', size: 12 };
const message: Outgoing = {
  key: 'k1',
  text: 'Look.',
  files: [file],
  delivery: 'queue',
  state: 'sending',
  id: undefined,
  afterSeq: 4,
  problem: '',
};

test('what a reload broke off is kept with its key, what has arrived is not', () => {
  const kept = writeOutbox([message, { ...message, key: 'k2', state: 'sent', id: 'msg_1' }]);
  expect(readOutbox(kept)).toEqual([{ ...message, state: 'failed', problem: expect.stringContaining('only once') }]);
  expect(writeOutbox([{ ...message, state: 'sent' }])).toBeUndefined();
});

test('a refused message keeps its reason', () => {
  const [read] = readOutbox(writeOutbox([{ ...message, state: 'failed', problem: 'It is over.' }]));
  expect(read?.problem).toBe('It is over.');
});

test.each([undefined, 'nonsense', '{}', '[1, {"key": "k"}]'])('anything else is no message: %s', (stored) => {
  expect(readOutbox(stored)).toEqual([]);
});

test('a message is on its way until the log has it, though its id may be told later', () => {
  const row = (id: string, seq: number, text: string): RowOf<'message'> => ({
    key: `msg:${id}`,
    seq,
    lastSeq: seq,
    at: '',
    turn: 1,
    phase: '',
    kind: 'message',
    is: { role: 'user', from: undefined, text: clipOf(text), isDone: true, state: 'queued' },
  });
  const missing = (rows: RowOf<'message'>[], list: Outgoing[]) =>
    missingIn({ rows, places: new Map(rows.map(({ key }, at) => [key, at])) }, list);
  expect(missing([row('m1', 4, 'Look.'), row('m2', 5, 'Look')], [message])).toEqual([message]);
  expect(missing([row('m1', 5, 'Look.')], [message])).toEqual([]);
  expect(missing([row('m1', 5, 'Look.')], [{ ...message, state: 'failed' }])).toHaveLength(1);
  const sent: Outgoing = { ...message, key: 'k2', state: 'sent', id: 'm1' };
  expect(missing([row('m1', 5, 'Look.')], [sent, message])).toEqual([message]);
  expect(missing([], [sent])).toEqual([sent]);
  const long = { ...message, text: 'words '.repeat(10_000) };
  expect(missing([row('m1', 5, long.text)], [long])).toEqual([]);
});
