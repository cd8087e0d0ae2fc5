import { expect, test } from 'vitest';
import { commentsOf, linesOf, messageOf, writtenLines } from './comments.ts';

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

test('lines are in the address', () => {
  for (const lines of ['10', '10-14', 'old3-4']) expect(writtenLines(linesOf('a', lines) ?? comment)).toBe(lines);
  expect(['', '-1', 'x', '10-', undefined].map((lines) => linesOf('a', lines))).toEqual(Array(5).fill(undefined));
});
