import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Provider } from '../../lib/providers.ts';
import { testCollaboration, type CollaborationFixture } from './collaboration/contract.ts';
import { mergeMethods, type MergeMethod, type RepositoryRef, type SourceControl } from './port.ts';

export interface SourceControlFixture extends CollaborationFixture {
  /** A repository that the provider does not have. */
  unknown: RepositoryRef;
  /** Number of commits on `main`, including merges. */
  commitsOnMain(): Promise<number>;
  /** Number of commits that a squash adds; default 1. GitLab joins the squashed commit by a merge commit. */
  squashCommits?: number;
  close(): Promise<void>;
}

/** Contract of every provider. */
export function describeSourceControl(
  name: string,
  provider: Provider,
  open: () => Promise<SourceControlFixture>,
): void {
  describe(name, () => {
    let fixture: SourceControlFixture;
    let source: SourceControl;
    let repository: RepositoryRef;
    beforeAll(async () => {
      fixture = await open();
      ({ source, repository } = fixture);
    });
    afterAll(() => fixture.close());

    const author = { name: 'Ada', email: 'ada@example.org' };
    const content = { title: 'Right the answer', body: 'It was wrong.', draft: false };
    const offers = (method: MergeMethod) => source.mergeMethods?.includes(method) !== false;
    const merge = (number: number, headSha: string, method = mergeMethods.findLast(offers) ?? 'merge') =>
      source.mergeChangeRequest(repository, number, { method, headSha, message: 'Right it', author });
    async function propose(branch: string, file: string, text = 'x\n') {
      const headSha = await fixture.push(branch, file, text);
      const input = { ...content, headRef: branch, headSha, baseRef: 'main' };
      return { headSha, input, ...(await source.openChangeRequest(repository, input)) };
    }

    test('a connection that works is verified, and repositories and branches are found by name', async () => {
      await source.verify(repository);
      expect(await source.find(repository)).toEqual({ defaultBranch: 'main' });
      expect(await source.find(fixture.unknown)).toBeUndefined();
      const head = await fixture.push('found', 'found.txt', 'x\n');
      expect(await source.branchHead(repository, 'found')).toBe(head);
      expect(await source.branchHead(repository, 'nowhere')).toBeUndefined();
    });

    test('a comparison begins at the merge base', async () => {
      const base = await source.branchHead(repository, 'main');
      const head = await fixture.push('compared', 'compared.txt', 'one\ntwo\n');
      const diff = await source.compare(repository, 'main', head);
      expect(diff).toMatchObject({ base_commit: base, head_commit: head, additions: 2, deletions: 0 });
      expect(diff.files.map(({ path }) => path)).toEqual(['compared.txt']);
    });

    test('a change request is opened once for a head, read, and updated while it is open', async () => {
      const { input, headSha, changeRequest, created } = await propose('opened', 'opened.txt');
      expect(created).toBe(true);
      expect(changeRequest).toMatchObject({ ...input, state: 'open', mergeCommit: '', mergedAt: null });
      const again = await source.openChangeRequest(repository, { ...input, title: 'Another' });
      expect(again).toMatchObject({ created: false, changeRequest: { number: changeRequest.number } });
      const { number } = changeRequest;
      const updated = await source.updateChangeRequest(repository, number, { title: 'T', body: 'B', draft: true });
      expect(updated).toMatchObject({ number, title: 'T', body: 'B', draft: true, headSha });
      expect(updated.updatedAt.getTime()).toBeGreaterThanOrEqual(changeRequest.updatedAt.getTime());
      expect(await source.changeRequest(repository, number)).toMatchObject({ title: 'T', state: 'open' });
      expect(await source.changeRequest(repository, number + 1_000)).toBeUndefined();
    });

    test.each(mergeMethods)('by %s one is merged once, also when it is asked again', async (method) => {
      const { headSha, changeRequest } = await propose(`by-${method}`, `${method}.txt`);
      const before = await fixture.commitsOnMain();
      if (!offers(method)) {
        await expect(merge(changeRequest.number, headSha, method)).rejects.toMatchObject({ retryable: false });
        expect(await source.changeRequest(repository, changeRequest.number)).toMatchObject({ state: 'open' });
        return;
      }
      const merged = await merge(changeRequest.number, headSha, method);
      expect(merged).toMatchObject({ state: 'merged', headSha, mergedAt: expect.any(Date) });
      expect(await source.branchHead(repository, 'main')).toBe(merged.mergeCommit);
      const again = await merge(changeRequest.number, headSha, method);
      expect(again).toMatchObject({ state: 'merged', mergeCommit: merged.mergeCommit });
      expect(await fixture.commitsOnMain()).toBe(before + (method === 'merge' ? 2 : (fixture.squashCommits ?? 1)));
      await expect(source.closeChangeRequest(repository, changeRequest.number)).rejects.toMatchObject({
        reason: 'not_open',
      });
      await expect(source.updateChangeRequest(repository, changeRequest.number, content)).rejects.toMatchObject({
        reason: 'not_open',
        retryable: false,
      });
    });

    test('a conflict is refused with its paths, and leaves it open', async () => {
      const first = await propose('first', 'same.txt', 'one\n');
      const second = await propose('second', 'same.txt', 'two\n');
      await merge(first.changeRequest.number, first.headSha);
      const { number } = second.changeRequest;
      expect(await source.wouldMerge?.(repository, 'main', second.headSha)).not.toBe(true);
      await expect(merge(number, second.headSha)).rejects.toMatchObject({
        reason: 'merge_conflict',
        paths: ['same.txt'],
      });
      expect(await source.changeRequest(repository, number)).toMatchObject({ state: 'open', mergeable: false });
    });

    test('a closed one stays closed and cannot be merged; its branch takes a new one', async () => {
      const { input, headSha, changeRequest } = await propose('closed', 'closed.txt');
      for (let round = 0; round < 2; round += 1)
        expect(await source.closeChangeRequest(repository, changeRequest.number)).toMatchObject({ state: 'closed' });
      await expect(merge(changeRequest.number, headSha)).rejects.toMatchObject({ reason: 'not_open' });
      const next = await source.openChangeRequest(repository, input);
      expect(next.created).toBe(true);
      expect(next.changeRequest.number).toBeGreaterThan(changeRequest.number);
    });

    test('branches and paths are found by a part of their name, page by page', async () => {
      const head = await fixture.push('Listing/one', 'listing/deep/one.txt', 'x\n');
      await fixture.push('listing/two', 'two.txt', 'x\n');
      const first = await source.findBranches(repository, { search: 'LISTING', limit: 1 });
      expect(first).toEqual({ items: [{ name: 'Listing/one', sha: head }], isMore: true, total: 2 });
      const next = await source.findBranches(repository, { search: 'LISTING', after: 'Listing/one', limit: 1 });
      expect(next).toMatchObject({ items: [{ name: 'listing/two' }], isMore: false, total: 2 });
      expect(await source.resolve(repository, 'Listing/one')).toBe(head);
      expect(await source.resolve(repository, '--all')).toBeUndefined();
      const { items, total } = await source.findPaths(repository, head, { search: 'Deep/ON', limit: 5 });
      expect([items.map(({ path }) => path), total]).toEqual([['listing/deep/one.txt'], 1]);
    });

    test('files are read at a ref, where that is offered', async () => {
      if (source.readTree === undefined) return;
      await fixture.push('files', 'docs/a.txt', 'x\n');
      const tree = await source.readTree(repository, 'refs/heads/files', ['docs'], 10);
      expect(tree?.files.map(({ path }) => path)).toEqual(['docs/a.txt']);
      const file = await source.readTree(repository, 'refs/heads/files', ['docs/a.txt', 'none'], 10);
      expect(file?.files.map(({ path }) => path)).toEqual(['docs/a.txt']);
      expect(await source.readTree(repository, 'refs/heads/none', ['docs'], 10)).toBeUndefined();
    });

    testCollaboration(provider, () => fixture);
  });
}
