import { expect, test } from 'vitest';
import { findingWords, percent, postingWord, stateOf } from './words.ts';

test('a completed review is named by its verdict, any other by its status', () => {
  expect(stateOf({ status: 'completed', verdict: 'request_changes' })).toEqual({
    word: 'Requests changes',
    tone: 'wait',
  });
  expect(stateOf({ status: 'failed', verdict: '' }).tone).toBe('bad');
});

test('a completed review says how far its post is, and any other nothing', () => {
  expect(postingWord({ status: 'completed', posting: 'pending' })).toBe('Not posted yet');
  expect(postingWord({ status: 'completed', posting: '' })).toMatch(/policy/);
  expect(postingWord({ status: 'running', posting: '' })).toBe('');
});

test('findings are counted by what is still open', () => {
  const [open, gone] = [{ status: 'open' as const }, { status: 'resolved' as const }];
  expect([[], [open], [open, open], [open, gone], [gone]].map(findingWords)).toEqual([
    'nothing found',
    '1 open finding',
    '2 open findings',
    '1 open of 2 findings',
    '0 open of 1 finding',
  ]);
  expect(percent(0.825)).toBe('83 %');
});
