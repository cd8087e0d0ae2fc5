import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitInfo, resolveRef } from '../../../git/bare.ts';
import { createGitFixture } from '../../../git/git-fixture.ts';
import { merge, mergeability } from './merge.ts';
import { git } from '../../../git/native.ts';
import type { GitFixture } from '../../../git/git-fixture.ts';

let fixture: GitFixture;
beforeAll(async () => {
  fixture = await createGitFixture();
});
afterAll(() => fixture.dispose());

const author = { name: 'Grace <x>\nHopper', email: 'grace@example.org' };
const text = (third: string): string => `1\n2\n${third}\n4\n5\n6\n7\n8\n9\n`;

/** `main` and `topic` that merge, and `rival` that conflicts with `topic`; the work tree stands on another branch. */
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
  await merge(path, { baseBranch: 'main', headSha: topic, method: 'merge', message: 'm', author });
  const tip = await resolveRef(path, 'main');
  await expect(
    merge(path, { baseBranch: 'main', headSha: rival, method: 'squash', message: 'm', author }),
  ).rejects.toMatchObject({
    code: 'merge_conflict',
    details: { paths: ['f.txt'] },
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
  const input = { headSha: base, method: 'merge', message: 'm', author } as const;
  await expect(merge(path, { ...input, baseBranch: 'nowhere' })).rejects.toMatchObject({ code: 'conflict' });
});

test('merging what is merged already changes nothing; a branch that moved is refused when its commit was expected', async () => {
  const { path, base, topic } = await repository('again');
  const input = { baseBranch: 'main', headSha: topic, method: 'merge', message: 'm', author } as const;
  await expect(merge(path, { ...input, expectedBaseSha: topic })).rejects.toMatchObject({ code: 'conflict' });
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
    heads.map((headSha) => merge(path, { baseBranch: 'main', headSha, method: 'squash', message: 'm', author })),
  );
  const { stdout } = await git(['ls-tree', '--name-only', 'main'], { gitDir: path });
  expect(stdout.trim().split('\n')).toEqual(['base', 'file-0', 'file-1', 'file-2', 'file-3']);
});
