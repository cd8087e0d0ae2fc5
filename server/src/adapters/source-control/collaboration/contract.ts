import { expect, test } from 'vitest';
import type { Provider } from '../../../lib/providers.ts';
import { members, offered, type Member } from './offered.ts';
import type { HostIssue, HostPermission, HostThread } from '../collaboration.ts';
import type { ProviderChangeRequest, RepositoryRef, SourceControl } from '../port.ts';

/** A provider with one repository whose `main` has a commit. */
export interface CollaborationFixture {
  source: SourceControl;
  repository: RepositoryRef;
  /** Pushes a new branch with one commit on top of `main` that writes a file; returns the commit. */
  push(branch: string, file: string, content: string): Promise<string>;
  /** Accounts of the host, with their permission in the repository. */
  people?: Readonly<Record<string, HostPermission>>;
  /** Pushes one more commit to a branch that the suite pushed. */
  pushMore(branch: string, file: string, content: string): Promise<string>;
  /** Records a change request that the suite opened, for a host whose comments need the record. */
  opened?(changeRequest: ProviderChangeRequest): Promise<void>;
  /** Comments on a change request as the first of the `people`. Default: the connection's own account. */
  say?(number: number, body: string): Promise<unknown>;
  /** Runs a check of this name on a commit, which fails and logs `log`. Required for `failureLog` and `rerun`. */
  fail?(headSha: string, name: string, log: string): Promise<void>;
  /** Makes a change request wait for a check, so that it cannot be merged yet. Required for `enableAutoMerge`. */
  hold?(changeRequest: ProviderChangeRequest): Promise<void>;
  /** Returns true if the host merges a change request by itself as soon as it may. */
  mergesItself?(number: number): Promise<boolean>;
  /** Opens an issue as a person; returns its number. Required for the members about issues. */
  openIssue?(title: string, body: string): Promise<number>;
  /** The milliseconds within which the host says two times the same; default 0. GitHub has whole seconds. */
  timeStepMs?: number;
}

/** Contract of the members that a provider offers; the others must be undefined. */
export function testCollaboration(provider: Provider, fixture: () => CollaborationFixture): void {
  const source = () => fixture().source;
  const repository = () => fixture().repository;
  const offers = (name: Member): boolean => offered[provider].includes(name);
  /** Returns a member that the provider offers. */
  function member<Name extends Member>(name: Name): NonNullable<SourceControl[Name]> {
    const found = source()[name];
    if (found === undefined) throw new Error(`${provider} does not offer ${name}.`);
    return found;
  }
  /** A test for providers that offer all of these. */
  function testOf(needed: readonly Member[], name: string, run: () => Promise<void>): void {
    if (needed.every(offers)) test(name, run);
  }

  async function propose(branch: string, text: string) {
    const headSha = await fixture().push(branch, `${branch}.txt`, text);
    const input = { title: `Change ${branch}`, body: '', draft: false, headRef: branch, headSha, baseRef: 'main' };
    const { changeRequest } = await source().openChangeRequest(repository(), input);
    await fixture().opened?.(changeRequest);
    return changeRequest;
  }
  const on = (path: string, line: number, body: string) =>
    ({ path, line, startLine: null, side: 'new', body }) as const;
  async function review(changeRequest: ProviderChangeRequest, line = 2) {
    const { number, headSha, headRef } = changeRequest;
    return member('submitReview')(repository(), number, {
      headSha,
      body: 'Two things.',
      verdict: 'comment',
      comments: [on(`${headRef}.txt`, line, 'This rounds twice.'), on(`${headRef}.txt`, 1, 'And this not.')],
    });
  }
  const threadOf = (threads: readonly HostThread[], id: string) => threads.find((thread) => thread.id === id);

  test.each(Object.keys(members))('%s is offered or not, as declared', (name) => {
    const isThere = Object.entries(source()).some(([key, value]) => key === name && value !== undefined);
    expect(isThere).toBe(offered[provider].some((one) => one === name));
  });

  testOf(
    ['setStatus', 'checks'],
    'statuses of a commit are its checks; a later one of a name replaces it',
    async () => {
      const headSha = await fixture().push('statuses', 'statuses.txt', 'x\n');
      expect(await member('checks')(repository(), headSha)).toEqual([]);
      const set = (name: string, state: 'pending' | 'success' | 'failure' | 'error') =>
        member('setStatus')(repository(), headSha, {
          name,
          state,
          description: `${name} says`,
          url: 'https://ci.example',
        });
      await set('ci/test', 'pending');
      await set('ci/lint', 'success');
      const read = async () =>
        new Map((await member('checks')(repository(), headSha)).map((check) => [check.name, check]));
      expect((await read()).get('ci/test')).toMatchObject({ state: 'pending', endedAt: null });
      await set('ci/test', 'failure');
      const after = await read();
      expect([...after.keys()].toSorted()).toEqual(['ci/lint', 'ci/test']);
      expect(after.get('ci/test')).toMatchObject({
        state: 'failure',
        description: 'ci/test says',
        url: expect.stringContaining('https://ci.example'),
      });
      expect(after.get('ci/lint')?.state).toBe('success');
    },
  );

  testOf(
    ['checks', 'failureLog', 'rerun'],
    "a failed check's log ends with what went wrong, and it runs again",
    async () => {
      const headSha = await fixture().push('failing', 'failing.txt', 'x\n');
      await fixture().fail?.(headSha, 'build', `${'noise\n'.repeat(2_000)}expected 42, got 41\n`);
      const find = async () => (await member('checks')(repository(), headSha)).find(({ name }) => name === 'build');
      const check = await find();
      expect(check).toMatchObject({ state: 'failure', endedAt: expect.any(Date) });
      const log = await member('failureLog')(repository(), check?.id ?? '', 1_024);
      expect(log).toMatch(/expected 42, got 41\s*$/);
      expect(Buffer.byteLength(log)).toBeLessThanOrEqual(1_024);
      await member('rerun')(repository(), check?.id ?? '');
      expect((await find())?.state).toBe('pending');
    },
  );

  testOf(['submitReview', 'discussion'], 'a review is posted with its comments, which begin threads', async () => {
    const changeRequest = await propose('reviewed', 'one\ntwo\nthree\n');
    const { number } = changeRequest;
    expect(await member('discussion')(repository(), number)).toEqual({
      comments: [],
      reviews: [],
      threads: [],
      labels: [],
    });
    const submitted = await review(changeRequest);
    expect(submitted.threadIds).toHaveLength(2);
    const { threads, reviews, comments } = await member('discussion')(repository(), number);
    expect([...reviews, ...comments].map(({ id, body }) => ({ id, body }))).toContainEqual({
      id: submitted.id,
      body: 'Two things.',
    });
    expect(threads).toHaveLength(2);
    expect(threadOf(threads, submitted.threadIds[0] ?? '')).toMatchObject({
      path: 'reviewed.txt',
      line: 2,
      side: 'new',
      isResolved: false,
      isOutdated: false,
      comments: [{ body: 'This rounds twice.', createdAt: expect.any(Date) }],
    });
    expect(threadOf(threads, submitted.threadIds[1] ?? '')).toMatchObject({ line: 1 });
  });

  testOf(['submitReview', 'discussion', 'reply'], 'a reply joins its thread', async () => {
    const changeRequest = await propose('replied', 'one\ntwo\n');
    const { threadIds } = await review(changeRequest);
    await member('reply')(repository(), changeRequest.number, threadIds[0] ?? '', 'Right, once only now.');
    const { threads } = await member('discussion')(repository(), changeRequest.number);
    const said = threadOf(threads, threadIds[0] ?? '')?.comments.map(({ body }) => body);
    expect(said).toEqual(['This rounds twice.', 'Right, once only now.']);
    expect(threadOf(threads, threadIds[1] ?? '')?.comments).toHaveLength(1);
    await expect(member('reply')(repository(), changeRequest.number, '0', 'To nobody')).rejects.toMatchObject({
      name: expect.stringMatching(/Error|Failure/),
      retryable: false,
    });
  });

  testOf(['submitReview', 'discussion', 'resolveThread'], 'a thread is resolved, also twice', async () => {
    const changeRequest = await propose('resolved', 'one\ntwo\n');
    const { threadIds } = await review(changeRequest);
    for (let round = 0; round < 2; round += 1)
      await member('resolveThread')(repository(), changeRequest.number, threadIds[0] ?? '');
    const { threads } = await member('discussion')(repository(), changeRequest.number);
    expect(threadIds.map((id) => threadOf(threads, id)?.isResolved)).toEqual([true, false]);
  });

  testOf(['submitReview', 'discussion'], 'a thread is outdated when its line changed, and no other is', async () => {
    const changeRequest = await propose('outdated', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n');
    const { number, headRef, headSha } = changeRequest;
    const comments = [on('outdated.txt', 1, 'About one.'), on('outdated.txt', 9, 'About nine.')];
    const { threadIds } = await member('submitReview')(repository(), number, {
      headSha,
      body: 'Look.',
      verdict: 'comment',
      comments,
    });
    await fixture().pushMore(headRef, 'outdated.txt', 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nNINE\n');
    await expect
      .poll(async () => {
        await source().changeRequest(repository(), number);
        const { threads } = await member('discussion')(repository(), number);
        return threadIds.map((id) => threadOf(threads, id)?.isOutdated);
      })
      .toEqual([false, true]);
  });

  testOf(['submitReview', 'discussion', 'updateComment'], "a review's text is rewritten", async () => {
    const changeRequest = await propose('rewritten', 'one\ntwo\n');
    const { id } = await review(changeRequest);
    await member('updateComment')(repository(), changeRequest.number, id, 'One thing.');
    const { reviews, comments } = await member('discussion')(repository(), changeRequest.number);
    expect([...reviews, ...comments].find((one) => one.id === id)?.body).toBe('One thing.');
  });

  testOf(['discussion', 'acknowledge'], "a person's comment is read and acknowledged", async () => {
    const { number } = await propose('spoken', 'one\n');
    const say = fixture().say ?? ((of: number, body: string) => source().comment?.(repository(), of, body));
    await say(number, 'Please split this.');
    const { comments } = await member('discussion')(repository(), number);
    expect(comments).toMatchObject([{ body: 'Please split this.', createdAt: expect.any(Date) }]);
    const [login] = Object.keys(fixture().people ?? {});
    if (fixture().say !== undefined) expect(comments[0]?.author).toEqual({ login, isBot: false });
    for (let round = 0; round < 2; round += 1) await member('acknowledge')(repository(), number, comments[0]?.id ?? '');
  });

  testOf(['permissionOf'], 'the permission of an account is read; a stranger has none', async () => {
    const people = Object.entries(fixture().people ?? {});
    expect(people.length).toBeGreaterThan(1);
    for (const [login, permission] of people)
      expect([login, await member('permissionOf')(repository(), login)]).toEqual([login, permission]);
    expect(await member('permissionOf')(repository(), 'nobody-of-this-name')).toBe('none');
  });

  testOf(['enableAutoMerge'], 'the host merges by itself when its rules are met', async () => {
    const changeRequest = await propose('automatic', 'one\n');
    await fixture().hold?.(changeRequest);
    for (let round = 0; round < 2; round += 1)
      await member('enableAutoMerge')(repository(), changeRequest.number, 'merge', changeRequest.headSha);
    expect(await fixture().mergesItself?.(changeRequest.number)).toBe(true);
    const closed = await propose('automatic-closed', 'one\n');
    await source().closeChangeRequest(repository(), closed.number);
    await expect(member('enableAutoMerge')(repository(), closed.number, 'merge', closed.headSha)).rejects.toMatchObject(
      { reason: 'not_open' },
    );
  });

  testOf(['disableAutoMerge'], 'the host is kept from merging, also twice; it merges no other head', async () => {
    const changeRequest = await propose('held', 'one\n');
    const { number, headSha } = changeRequest;
    await fixture().hold?.(changeRequest);
    await member('disableAutoMerge')(repository(), number);
    await member('enableAutoMerge')(repository(), number, 'merge', headSha);
    for (let round = 0; round < 2; round += 1) await member('disableAutoMerge')(repository(), number);
    expect(await fixture().mergesItself?.(number)).toBe(false);
    await expect(member('enableAutoMerge')(repository(), number, 'merge', '0'.repeat(40))).rejects.toMatchObject({
      reason: 'branch_moved',
    });
    expect(await fixture().mergesItself?.(number)).toBe(false);
    await source().closeChangeRequest(repository(), number);
    await member('disableAutoMerge')(repository(), number);
  });

  testOf(['deleteBranch'], 'a branch is deleted, also twice; the default branch is not', async () => {
    await fixture().push('feature/deleted', 'deleted.txt', 'x\n');
    for (let round = 0; round < 2; round += 1) await member('deleteBranch')(repository(), 'feature/deleted');
    expect(await source().branchHead(repository(), 'feature/deleted')).toBeUndefined();
    await expect(member('deleteBranch')(repository(), 'main')).rejects.toMatchObject({ retryable: false });
    expect(await source().branchHead(repository(), 'main')).toBeDefined();
  });

  testOf(['changedChangeRequests'], 'changed change requests are found, the oldest change first', async () => {
    const first = await propose('changed-first', 'one\n');
    const second = await propose('changed-second', 'one\n');
    const { timeStepMs = 0 } = fixture();
    await new Promise((resolve) => setTimeout(resolve, timeStepMs + 2));
    const since = (await source().changeRequest(repository(), second.number))?.updatedAt ?? new Date();
    await source().updateChangeRequest(repository(), first.number, { title: 'Another', body: '', draft: false });
    const found = await member('changedChangeRequests')(repository(), since);
    expect(found.map(({ number }) => number).filter((number) => number !== second.number)).toEqual([first.number]);
    const all = await member('changedChangeRequests')(repository(), new Date(0));
    expect(all.length).toBeLessThanOrEqual(100);
    const times = all.map(({ updatedAt }) => updatedAt.getTime());
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(all.at(-1)?.number).toBe(first.number);
  });

  testOf(['issue', 'commentOnIssue', 'issueComments', 'changedIssues'], 'issues are read and answered', async () => {
    const since = new Date(Date.now() - 2_000);
    const number = (await fixture().openIssue?.('It is slow', 'Very.')) ?? 0;
    const expected: Partial<HostIssue> = { number, state: 'open', title: 'It is slow', body: 'Very.' };
    expect(await member('issue')(repository(), number)).toMatchObject(expected);
    expect(await member('issue')(repository(), 100_000)).toBeUndefined();
    expect(await member('issueComments')(repository(), number)).toEqual([]);
    const { url } = await member('commentOnIssue')(repository(), number, 'We look at it.');
    expect(url).toMatch(/^https?:/);
    expect(await member('issueComments')(repository(), number)).toMatchObject([{ body: 'We look at it.' }]);
    expect(await member('changedIssues')(repository(), since)).toMatchObject([expected]);
  });
}
