import { expect, test } from 'vitest';
import { commentsOf, messageOf } from './comments.ts';

const comment = { id: '1', path: 'a.ts', side: 'new' as const, from: 10, to: 14, text: ' Why? ' };

test('comments become one message that says where each belongs', () => {
  const old = { ...comment, id: '2', side: 'old' as const, to: 10, text: 'Keep it.' };
  expect(messageOf([comment, old, { ...comment, text: '  ' }])).toBe(
    'a.ts, lines 10 to 14:\nWhy?\n\na.ts, line 10 before the change:\nKeep it.',
  );
});

test('stored comments are read again, and nothing else', () => {
  expect(commentsOf(JSON.stringify([comment, { id: 1 }, null, 'x']))).toEqual([comment]);
  expect([undefined, '{', '{}'].map(commentsOf)).toEqual([[], [], []]);
});
