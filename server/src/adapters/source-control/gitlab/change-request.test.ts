import { expect, test } from 'vitest';
import { contentOf, toChangeRequest } from './change-request.ts';

const said = {
  iid: 7,
  state: 'opened',
  draft: false,
  title: 'Right the answer',
  description: null,
  source_branch: 'topic',
  target_branch: 'main',
  source_project_id: 1,
  target_project_id: 1,
  sha: 'a'.repeat(40),
  merge_commit_sha: null,
  updated_at: '2026-11-24T12:00:00.000Z',
  web_url: 'https://gitlab.example.org/acme/app/-/merge_requests/7',
};

test.each([
  ['mergeable', false, true],
  ['not_approved', false, true],
  ['draft_status', true, false],
  ['conflict', true, false],
  ['broken_status', false, false],
  ['checking', true, undefined],
  ['unchecked', false, undefined],
  [undefined, false, undefined],
])('the status %s with conflicts %s means mergeable %s', (status, hasConflicts, expected) => {
  const one = {
    ...said,
    has_conflicts: hasConflicts,
    ...(status === undefined ? {} : { detailed_merge_status: status }),
  };
  expect(toChangeRequest(one).mergeable).toBe(expected);
});

test('a project that only fast-forwards asks for the newest commit of the base branch', () => {
  const behind = { ...said, has_conflicts: false, detailed_merge_status: 'need_rebase' };
  expect(toChangeRequest(behind)).toMatchObject({ isBehind: true, mergeable: true });
  expect(toChangeRequest({ ...behind, state: 'closed' }).isBehind).toBe(false);
  expect(toChangeRequest({ ...behind, detailed_merge_status: 'mergeable' }).isBehind).toBe(false);
});

test('the mark of a draft is not part of the title', () => {
  for (const title of ['Draft: T', '[Draft] T', '(draft) DRAFT: T'])
    expect(toChangeRequest({ ...said, draft: true, title }).title).toBe('T');
  expect(toChangeRequest({ ...said, title: 'Drafting: T' }).title).toBe('Drafting: T');
  expect(toChangeRequest({ ...said, draft: true, title: 'Draft:' }).title).toBe('Draft:');
  expect(contentOf({ title: 'Draft: T', body: '', draft: false }).title).toBe('T');
});

test('a fast-forward has no merge commit of its own', () => {
  const merged = { ...said, state: 'merged', merged_at: '2026-11-24T11:00:00Z' };
  expect(toChangeRequest(merged)).toMatchObject({ state: 'merged', mergeCommit: said.sha });
  expect(toChangeRequest({ ...merged, squash_commit_sha: 'b'.repeat(40) }).mergeCommit).toBe('b'.repeat(40));
  expect(toChangeRequest({ ...said, state: 'locked' }).state).toBe('open');
});

test('a merge request of another project comes from a fork', () => {
  expect(toChangeRequest(said).isFromFork).toBe(false);
  expect(toChangeRequest({ ...said, source_project_id: 2 }).isFromFork).toBe(true);
  expect(toChangeRequest({ ...said, source_project_id: null }).isFromFork).toBe(true);
});

test('a link leads to a web page, or nowhere', () => {
  expect(toChangeRequest(said).url).toBe(said.web_url);
  expect(toChangeRequest({ ...said, web_url: 'javascript:alert(1)' }).url).toBe('');
});
