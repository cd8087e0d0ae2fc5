import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitInfo, resolveRef } from '../../../git/bare.ts';
import { createGitFixture } from '../../../git/git-fixture.ts';
import { mergeability } from '../../../git/merge-tree.ts';
import { merge, findMerge } from './merge.ts';
import { git } from '../../../git/native.ts';
import type { GitFixture } from '../../../git/git-fixture.ts';

let fixture: GitFixture;
beforeAll(async () => {
  fixture = await createGitFixture();
});
afterAll(() => fixture.dispose());

const author = { name: 'Grace <x>\nHopper', email: 'grace@example.org' };
const text = (third: string): string => `1\n2\n${third}\n4\n5\n6\n7\n8\n9\n`;

/**
 * Creates a repository in which `main` and `topic` can be merged, and `rival` conflicts with `topic`; the work tree is
 * on another branch.
 */
async function repository(name: string): Promise<{ path: string; base: string; topic: string; rival: string }> {
  const work = await fixture.work(name, { 'f.txt': text('3') });
  await fixture.client(work, 'checkout', '-q', '-b', 'topic');
  const topic = await fixture.commit(work, { 'f.txt': text('topic') });
  await fixture.client(work, 'checkout', '-q', '-b', 'rival', 'main');
  const rival = await fixture.commit(work, { 'f.txt': text('rival') });
  await fixture.client(work, 'checkout', '-q', 'main');
  const base = await fixture.commit(work, { 'f.txt': text('3').replace('9', 'nine') });
  await fixture.client(work, 'checkout', '-q', '-b', 'elsewhere');
  return { path: `${work}/.git`, base, topic, rival };
}

test('a merge makes a commit of two parents, a squash one of one, both with both changes', async () => {
  for (const method of ['merge', 'squash'] as const) {
    const { path, base, topic } = await repository(method);
    const date = new Date('2026-01-02T03:04:05Z');
    const result = await merge(path, {
      number: 1,
      baseBranch: 'main',
      headSha: topic,
      method,
      message: '-m not an option',
      author,
      date,
    });
    expect(result.previous).toBe(base);
    expect(await resolveRef(path, 'main')).toBe(result.commit);
    expect(await commitInfo(path, result.commit)).toMatchObject({
      parents: method === 'merge' ? [base, topic] : [base],
      author: { name: 'Grace xHopper', email: 'grace@example.org', date },
      message: '-m not an option',
    });
    const { stdout } = await git(['show', `${result.commit}:f.txt`], { gitDir: path });
    expect(stdout).toBe(text('topic').replace('9', 'nine'));
  }
});

test('a conflict is foreseen without writing anything, and refused with the paths', async () => {
  const { path, base, topic, rival } = await repository('conflict');
  const objects = async (): Promise<string> => (await git(['count-objects'], { gitDir: path })).stdout;
  const before = await objects();
  expect(await mergeability(path, base, topic)).toBe('clean');
  expect(await mergeability(path, topic, rival)).toBe('conflict');
  expect(await objects()).toBe(before);
  await merge(path, { number: 1, baseBranch: 'main', headSha: topic, method: 'merge', message: 'm', author });
  const tip = await resolveRef(path, 'main');
  await expect(
    merge(path, { number: 2, baseBranch: 'main', headSha: rival, method: 'squash', message: 'm', author }),
  ).rejects.toMatchObject({
    name: 'Refusal',
    retryable: false,
    reason: 'merge_conflict',
    paths: ['f.txt'],
  });
  expect(await resolveRef(path, 'main')).toBe(tip);
});

test('unrelated histories conflict, a missing commit fails, a missing branch is named', async () => {
  const { path, base } = await repository('unrelated');
  const { stdout } = await git(['commit-tree', '-m', 'x', `${base}^{tree}`], {
    gitDir: path,
    env: { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a' },
  });
  expect(await mergeability(path, base, stdout.trim())).toBe('conflict');
  await expect(mergeability(path, base, 'f'.repeat(40))).rejects.toMatchObject({ name: 'GitError' });
  const input = { number: 1, headSha: base, method: 'merge', message: 'm', author } as const;
  await expect(merge(path, { ...input, baseBranch: 'nowhere' })).rejects.toMatchObject({ reason: 'branch_missing' });
});

test('merging what is merged already changes nothing; a branch that moved is refused when its commit was expected', async () => {
  const { path, base, topic } = await repository('again');
  const input = { number: 1, baseBranch: 'main', headSha: topic, method: 'merge', message: 'm', author } as const;
  await expect(merge(path, { ...input, expectedBaseSha: topic })).rejects.toMatchObject({ reason: 'branch_moved' });
  const { commit } = await merge(path, { ...input, expectedBaseSha: base });
  expect(await merge(path, input)).toEqual({ commit, previous: commit });
});

test('merges of different changes at the same time are all kept', async () => {
  const work = await fixture.work('parallel', { base: 'x' });
  const heads: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    await fixture.client(work, 'checkout', '-q', '-b', `t${index}`, 'main');
    heads.push(await fixture.commit(work, { [`file-${index}`]: 'x' }));
  }
  await fixture.client(work, 'checkout', '-q', '-b', 'elsewhere');
  const path = `${work}/.git`;
  await Promise.all(
    heads.map((headSha, number) =>
      merge(path, { number, baseBranch: 'main', headSha, method: 'squash', message: 'm', author }),
    ),
  );
  const { stdout } = await git(['ls-tree', '--name-only', 'main'], { gitDir: path });
  expect(stdout.trim().split('\n')).toEqual(['base', 'file-0', 'file-1', 'file-2', 'file-3']);
});

test('one change request is squashed once, also by many at the same time and after others went on', async () => {
  const { path, base, topic } = await repository('once');
  const input = { number: 7, baseBranch: 'main', headSha: topic, method: 'squash', message: 'm', author } as const;
  const commits = await Promise.all(Array.from({ length: 4 }, () => merge(path, input)));
  const [{ commit } = { commit: '' }] = commits;
  expect(new Set(commits.map((result) => result.commit)).size).toBe(1);
  expect((await commitInfo(path, commit))?.parents).toEqual([base]);
  await merge(path, { ...input, number: 8, headSha: await elsewhere('once', { other: 'x' }) });
  expect((await merge(path, input)).commit).toBe(commit);
  expect(await findMerge(path, 7, 'main')).toBe(commit);
  const { stdout } = await git(['rev-list', '--count', `${base}..main`], { gitDir: path });
  expect(stdout.trim()).toBe('2');
});

test('a merge that ended before the branch moved is none, and is made anew', async () => {
  const { path, base, topic } = await repository('halfway');
  const input = { number: 3, baseBranch: 'main', headSha: topic, method: 'squash', message: 'm', author } as const;
  const first = await merge(path, input);
  // The state when the first process ended: its commit is recorded, and the branch has not moved.
  await git(['update-ref', 'refs/heads/main', base], { gitDir: path });
  expect(await findMerge(path, 3, 'main')).toBeUndefined();
  const second = await merge(path, { ...input, message: 'again' });
  expect(second).toMatchObject({ previous: base });
  expect(second.commit).not.toBe(first.commit);
  expect(await findMerge(path, 3, 'main')).toBe(second.commit);
  expect(await resolveRef(path, 'main')).toBe(second.commit);
});

/** Creates a commit on the branch `elsewhere`, whose files nothing else changes. */
async function elsewhere(name: string, files: Record<string, string>): Promise<string> {
  return fixture.commit(fixture.path(name), files);
}
