import { expect, test } from 'vitest';
import { columns, isNone, queueWords } from './columns.ts';

const counts = { needs_you: 3, working: 2, queued: 4, suspended: 0, done: 10, failed: 1, unread: 5 };

test('each column counts what is in it', () => {
  expect(columns.map(({ amountOf }) => amountOf(counts))).toEqual([3, 6, 11]);
});

test('a board with a paused session alone is not empty', () => {
  const none = { needs_you: 0, working: 0, queued: 0, suspended: 0, done: 0, failed: 0, unread: 0 };
  expect(isNone(none)).toBe(true);
  expect(isNone({ ...none, suspended: 1 })).toBe(false);
});

test('the queue says how many could start', () => {
  const queue = { size: 2, oldest_age_seconds: 4, workers: 1, free_slots: 1 };
  expect(queueWords(queue)).toBe('2 queued, 1 free slot');
  expect(queueWords({ ...queue, workers: 0, free_slots: 0 })).toBe('2 queued, no worker is up');
  expect(queueWords({ ...queue, size: 0 })).toBe('');
});
