import { expect, test } from 'vitest';
import { createPagureClient } from './client.ts';
import { createPullRequests } from './pull-requests.ts';
import { toChangeRequest } from './pull-request.ts';
import type { PullRequest } from './shapes.ts';

const repository = { orgId: 'org_1', connectionId: 'gc_1', id: 'repo_1', repo: '_/web' };
const pull: PullRequest = {
  id: 7,
  title: 'Right it',
  initial_comment: null,
  status: 'Open',
  branch: 'main',
  branch_from: 'one',
  commit_stop: 'a'.repeat(40),
  cached_merge_status: 'unknown',
  updated_on: '1795494376.731437',
  last_updated: '1795494377.5',
  closed_at: null,
  project: { fullname: 'web' },
  repo_from: { fullname: 'web' },
};

/** Pagure with these answers by path; also counts the requests. */
function pulls(answer: (path: string, count: number) => unknown) {
  const asked: string[] = [];
  const client = createPagureClient({
    connections: {
      open: async (ref) => ({ ...ref, url: 'https://pagure.example.com', credential: { kind: 'token', token: 't' } }),
    },
    fetch: async (url) => {
      asked.push(url.replace('https://pagure.example.com/api/0/', ''));
      return new Response(JSON.stringify(answer(asked.at(-1) ?? '', asked.length)));
    },
  });
  return { asked, ...createPullRequests(client) };
}

test('a pull request is described in the terms of the port', () => {
  const url = 'https://pagure.example.com/web/pull-request/7';
  expect(toChangeRequest(pull, { url, mergeCommit: 'b' })).toEqual({
    number: 7,
    state: 'open',
    draft: false,
    title: 'Right it',
    body: '',
    headRef: 'one',
    headSha: 'a'.repeat(40),
    isFromFork: false,
    baseRef: 'main',
    mergeable: undefined,
    isBehind: false,
    url,
    mergeCommit: '',
    mergedAt: null,
    updatedAt: new Date(1_795_494_377_500),
  });
  expect(toChangeRequest({ ...pull, title: 'Draft: x' }, { url })).toMatchObject({ title: 'x', draft: true });
  const fork = { fullname: 'forks/ada/web' };
  expect(toChangeRequest({ ...pull, repo_from: fork }, { url }).isFromFork).toBe(true);
  expect(toChangeRequest({ ...pull, repo_from: null }, { url }).isFromFork).toBe(true);
  const merged = { ...pull, status: 'Merged', closed_at: 1_795_494_400 } as const;
  const mergedAt = new Date(1_795_494_400_000);
  expect(toChangeRequest(merged, { url, mergeCommit: 'b' })).toMatchObject({
    state: 'merged',
    mergeable: false,
    mergeCommit: 'b',
    mergedAt,
    updatedAt: mergedAt,
  });
  const ages = { updated_on: 'never', last_updated: '1e300', closed_at: '-1' };
  expect(toChangeRequest({ ...pull, ...ages }, { url }).updatedAt).toEqual(new Date(0));
});

test('the open pull request of a branch is found by its own project and state, on any page', async () => {
  const others = [
    { ...pull, id: 1, branch_from: 'two' },
    { ...pull, id: 2, status: 'Closed' },
    { ...pull, id: 3, repo_from: { fullname: 'forks/ada/web' } },
    { ...pull, id: 4, repo_from: null },
  ];
  const full = Array.from({ length: 20 }, (_, index) => others[index % others.length]);
  const { findOpen, asked } = pulls((_path, count) => ({ requests: count < 3 ? full : [...others, pull] }));
  expect(await findOpen(repository, 'one')).toBe(7);
  expect(asked.at(-1)).toBe('web/pull-requests?status=Open&page=3&per_page=20');
});

test('a search through endless pages ends', async () => {
  const page = Array.from({ length: 20 }, () => ({ ...pull, branch_from: 'other' }));
  const { findOpen, asked } = pulls(() => ({ requests: page, pagination: { pages: 1e9 } }));
  expect(await findOpen(repository, 'one')).toBeUndefined();
  expect(asked).toHaveLength(25);
});

test('a merge waits until Pagure has decided', async () => {
  const { merge, asked } = pulls((path, count) =>
    path.startsWith('task/') ? { ready: count > 3 } : { taskid: 'a-1' },
  );
  await merge(repository, 7);
  expect(asked).toEqual(['web/pull-request/7/merge', 'task/a-1/status', 'task/a-1/status', 'task/a-1/status']);
  await expect(pulls(() => ({ taskid: '../../x' })).merge(repository, 7)).rejects.toThrow(/as Pagure does/);
});
