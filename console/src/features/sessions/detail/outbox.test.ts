import { expect, test } from 'vitest';
import { readOutbox, writeOutbox, type Outgoing } from './outbox.ts';

const file = { id: 'att_1', name: 'shot.png', size: 12 };
const message: Outgoing = {
  key: 'k1',
  text: 'Look.',
  files: [file],
  delivery: 'queue',
  state: 'sending',
  id: undefined,
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
