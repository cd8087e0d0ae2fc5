import { expect, test } from 'vitest';
import type { Follow } from './queries.ts';
import { hostWords, newsWords, roundWords } from './words.ts';

const follow: Follow = {
  repository_id: 'repo_1',
  number: 1,
  state: 'watching',
  reason: '',
  session_id: 'ses_1',
  head_sha: 'c0ffee',
  checks: { state: 'none', failing: [] },
  review_state: '',
  rounds: 0,
  fixed: 0,
  ci_rounds: 0,
  review_rounds: 0,
  conflict_rounds: 0,
  pushes: 0,
  reruns: 0,
  since: null,
  updated_at: '2026-11-01T00:00:00Z',
};

test('what the host says and what the session did are named, and nothing else', () => {
  expect([hostWords(follow), roundWords(follow)]).toEqual(['', '']);
  const failing = ['a', 'b', 'c', 'd', 'e', 'f'];
  expect(hostWords({ ...follow, checks: { state: 'failure', failing }, review_state: 'changes_requested' })).toBe(
    'checks failed: a, b, c, d, e and 1 more · changes requested',
  );
  expect(roundWords({ ...follow, rounds: 2, fixed: 1, pushes: 1, reruns: 1 })).toBe(
    '2 rounds, 1 helped, 1 push, 1 check run again',
  );
});

test('an event of the log tells the state, how it is followed, and what the host says while it is open', () => {
  const open = { state: 'open', draft: false } as const;
  expect(newsWords(open)).toBe('open');
  expect(newsWords({ ...open, draft: true, follow: { state: 'off' } })).toBe('draft');
  expect(newsWords({ ...open, follow: { state: 'working' }, checks: { state: 'failure', failing: ['lint'] } })).toBe(
    'open · Working on it · checks failed: lint',
  );
  expect(newsWords({ state: 'merged', draft: false, follow: { state: 'ended' } })).toBe('merged · No longer followed');
});
