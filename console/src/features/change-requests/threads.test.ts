import { expect, test } from 'vitest';
import type { Comment } from './queries.ts';
import { isAtLine, questionOf, threadsOf } from './threads.ts';

const comment = (id: string, more: Partial<Comment> = {}): Comment => ({
  id,
  body: '',
  file: '',
  path: '',
  side: 'new',
  line: null,
  start_line: null,
  in_reply_to: '',
  resolved: false,
  author: { type: 'user', id: 'usr_1', name: 'Ada' },
  created_at: '',
  ...more,
});

test('replies to replies are in the thread of the first', () => {
  const comments = [
    comment('a'),
    comment('b', { in_reply_to: 'a' }),
    comment('c', { file: 'x.ts', line: 3 }),
    comment('d', { in_reply_to: 'b' }),
    comment('e', { in_reply_to: 'gone' }),
  ];
  const threads = threadsOf(comments);
  expect(threads.map(({ first, replies }) => [first.id, ...replies.map(({ id }) => id)])).toEqual([
    ['a', 'b', 'd'],
    ['c'],
    ['e'],
  ]);
  expect(threads.map(isAtLine)).toEqual([false, true, false]);
});

test('an agent is told which lines are meant', () => {
  const lines = { path: 'x.ts', side: 'old', from: 3, to: 4 } as const;
  expect(questionOf(12, lines, 'Why?')).toBe(
    'About change request #12, `x.ts`, lines 3 to 4 before the change:\n\nWhy?',
  );
});
