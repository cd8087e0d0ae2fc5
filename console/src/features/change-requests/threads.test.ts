import { expect, test } from 'vitest';
import type { Comment } from './queries.ts';
import { isAtLine, questionOf, sendBackMessage, threadsOf } from './threads.ts';

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
  acknowledged_at: null,
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

test('a change request is sent back with what was said about it, each at its place', () => {
  const at = { file: 'x.ts', side: 'old', line: 4, start_line: 3, body: 'Why? ' } as const;
  const threads = threadsOf([
    comment('a', at),
    comment('b', { in_reply_to: 'a', body: 'Yes, why?', author: { type: 'session', id: 'ses_1', name: '' } }),
    comment('c', { body: 'All of it.' }),
  ]);
  expect(sendBackMessage(12, ' Again. ', threads)).toBe(
    'About change request #12:\n\nAgain.\n\nx.ts, lines 3 to 4 before the change:\nAda: Why?\nSomebody: Yes, why?\n\nAda: All of it.',
  );
  expect(sendBackMessage(12, 'Again.', [])).toBe('About change request #12:\n\nAgain.');
});
