import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectGithub, webhookSecret } from '../../../../test/hosts/github/connected.ts';
import type { Repository } from '../../../../test/hosts/github/state.ts';

let connected: Awaited<ReturnType<typeof connectGithub>>;
let there: Repository;
let round = 0;
beforeAll(async () => {
  connected = await connectGithub();
  there = connected.fake.repository('acme/app');
});
beforeEach(() => {
  round += 1;
});
afterAll(async () => {
  expect(connected.fake.problems).toEqual([]);
  await connected.close();
});

const author = { name: 'Ada', email: 'ada@example.org' };
async function input(draft = false) {
  const headRef = `topic-${round}`;
  const headSha = await connected.push(headRef, `${headRef}.txt`, 'x\n');
  return { title: 'Right it', body: 'It was wrong.', draft, headRef, headSha, baseRef: 'main' };
}
async function propose(draft = false) {
  const { source, repository } = connected;
  const { changeRequest } = await source.openChangeRequest(repository, await input(draft));
  const { number, headSha } = changeRequest;
  const merge = (sha = headSha) =>
    source.mergeChangeRequest(repository, number, {
      method: 'squash',
      headSha: sha,
      message: 'Right it\n\nAll of it',
      author,
    });
  return { changeRequest, number, merge };
}

test('a merge whose response was lost happens once', async () => {
  const { fake, commitsOnMain } = connected;
  const { number, merge } = await propose();
  const before = await commitsOnMain();
  fake.fail({ method: 'PUT', path: /\/merge$/, isAfter: true });
  await expect(merge()).rejects.toMatchObject({ retryable: true });
  expect(await merge()).toMatchObject({ number, state: 'merged' });
  expect(await commitsOnMain()).toBe(before + 1);
  expect((await there.bare.git('log', '-1', '--format=%B', 'main')).trim()).toBe('Right it\n\nAll of it');
});

test('an opening whose response was lost, or that came second, finds the first one', async () => {
  const { fake, source, repository } = connected;
  const asked = await input();
  fake.fail({ method: 'POST', path: /\/pulls$/, isAfter: true });
  await expect(source.openChangeRequest(repository, asked)).rejects.toMatchObject({ retryable: true });
  const count = there.pulls.length;
  expect(await source.openChangeRequest(repository, asked)).toMatchObject({ created: false });
  // The list does not know it yet.
  fake.fail({ method: 'GET', path: /\/pulls$/, answer: { status: 200, body: '[]' } });
  expect(await source.openChangeRequest(repository, asked)).toMatchObject({
    created: false,
    changeRequest: { number: count },
  });
  expect(there.pulls.length).toBe(count);
});

test('what has no commits, no branch or no drafts is refused with what to do', async () => {
  const { source, repository } = connected;
  const asked = await input(true);
  const open = (change: Partial<typeof asked>) => source.openChangeRequest(repository, { ...asked, ...change });
  await connected.fixture.client(connected.work, 'push', '-q', there.bare.directory, 'main:same');
  await expect(open({ headRef: 'same' })).rejects.toMatchObject({
    retryable: false,
    message: expect.stringContaining('No commits between'),
  });
  await expect(open({ headRef: 'none' })).rejects.toMatchObject({
    retryable: true,
    message: expect.stringContaining('the branch none'),
  });
  there.refusesDrafts = true;
  await expect(open({})).rejects.toMatchObject({ retryable: false, message: expect.stringContaining('paid plan') });
  there.refusesDrafts = false;
});

test('it becomes a draft and ready again, and a draft is not merged', async () => {
  const { source, repository } = connected;
  const { number, merge } = await propose(true);
  await expect(merge()).rejects.toMatchObject({ retryable: false, message: expect.stringContaining('is a draft') });
  const update = (draft: boolean) => source.updateChangeRequest(repository, number, { title: 'T', body: 'B', draft });
  for (const draft of [false, true, false]) expect(await update(draft)).toMatchObject({ draft, title: 'T' });
  expect(await source.changeRequest(repository, number)).toMatchObject({ draft: false });
});

test('new commits since the review refuse the merge', async () => {
  const { number, merge, changeRequest } = await propose();
  const head = await connected.fixture.commit(connected.work, { 'more.txt': 'more\n' });
  await connected.fixture.client(
    connected.work,
    'push',
    '-q',
    '-f',
    there.bare.directory,
    `HEAD:${changeRequest.headRef}`,
  );
  await expect(merge()).rejects.toMatchObject({ reason: 'branch_moved' });
  expect(await merge(head)).toMatchObject({ number, state: 'merged', headSha: head });
});

test('a comment has an address', async () => {
  const { source, repository } = connected;
  const { number, changeRequest } = await propose();
  const said = await source.comment?.(repository, number, 'Thanks!');
  expect(said?.url).toMatch(`${changeRequest.url}#issuecomment-`);
  expect(there.comments.at(-1)).toMatchObject({ number, body: 'Thanks!' });
});

test('a missing permission is named, and an archived repository says so', async () => {
  const { fake, source, repository, state } = connected;
  const app = state.credential;
  const { number } = await propose();
  state.credential = {
    kind: 'token',
    token: fake.grants.add({ login: 'ada', permissions: { metadata: 'read', pull_requests: 'read' } }),
  };
  await expect(source.closeChangeRequest(repository, number)).rejects.toMatchObject({
    retryable: false,
    message: expect.stringContaining('The connection lacks the permission pull_requests: write. Grant it there'),
  });
  state.credential = app;
  there.isArchived = true;
  await expect(source.closeChangeRequest(repository, number)).rejects.toThrow(
    'Repository was archived so is read-only.',
  );
  there.isArchived = false;
});

test('a renamed repository is reached by its old name, a deleted one is gone', async () => {
  const { fake, source, repository } = connected;
  const asked = await input();
  fake.rename('acme/app', 'acme/renamed');
  expect(await source.find(repository)).toEqual({ defaultBranch: 'main' });
  const { changeRequest } = await source.openChangeRequest(repository, asked);
  expect(await source.openChangeRequest(repository, asked)).toMatchObject({ created: false });
  expect(await source.changeRequest(repository, changeRequest.number)).toMatchObject({ headRef: asked.headRef });
  expect(await source.branchHead(repository, asked.headRef)).toBe(asked.headSha);
  const access = await source.cloneAccess(repository, { sessionId: 's', fence: 1, branch: async () => 'b' });
  expect(access.remoteUrl).toBe(`${fake.url}/acme/renamed.git`);
  expect(await source.closeChangeRequest(repository, changeRequest.number)).toMatchObject({ state: 'closed' });

  const gone = await fake.create('acme/gone', there.bare);
  const ref = { ...repository, id: 'repo_3', repo: gone.name };
  expect(await source.find(ref)).toEqual({ defaultBranch: 'main' });
  fake.delete('acme/gone');
  expect(await source.find(ref)).toBeUndefined();
  const said = { retryable: false, message: expect.stringContaining('has no repository acme/gone') };
  await expect(source.changeRequest(ref, 1)).rejects.toMatchObject(said);
  await expect(source.openChangeRequest(ref, asked)).rejects.toMatchObject(said);
  await expect(source.branchHead(ref, 'main')).rejects.toMatchObject(said);
});

test.each(['one', 'a/b/c', '../x', 'a/..', 'a/b?c', 'a/b#c', 'ä/b'])('%s cannot be a repository', async (repo) => {
  expect(await connected.source.find({ ...connected.repository, repo })).toBeUndefined();
  const before = connected.fake.requests.length;
  await expect(connected.source.changeRequest({ ...connected.repository, repo }, 1)).rejects.toThrow('owner/name');
  expect(connected.fake.requests.length).toBe(before);
});

test('only a delivery with the right signature is verified', async () => {
  const { fake, source, repository } = connected;
  const delivery = fake.delivery(webhookSecret, 'push', { ref: 'refs/heads/main' });
  const verify = source.verifyWebhook;
  expect(await verify?.(repository, delivery)).toBe(true);
  expect(await verify?.(repository, { ...delivery, body: Buffer.from('{}') })).toBe(false);
  expect(await verify?.(repository, { ...delivery, headers: {} })).toBe(false);
  expect(await verify?.(repository, fake.delivery('another', 'push', {}))).toBe(false);
});

test('a branch that must be up to date before it merges is behind until the base branch is merged in', async () => {
  const { source, repository, push } = connected;
  const { number, changeRequest } = await propose();
  const merge = (branch: string, head: string) => there.bare.merge({ branch, head, message: 'Merge', method: 'merge' });
  const read = async () => {
    // The first read only makes GitHub determine it.
    await source.changeRequest(repository, number);
    return source.changeRequest(repository, number);
  };
  const { commit } = await merge('main', await push('later', 'later.txt', 'x\n'));
  expect(await read()).toMatchObject({ mergeable: true, isBehind: false });
  there.requiresUpToDate = true;
  try {
    expect(await read()).toMatchObject({ mergeable: true, isBehind: true });
    await merge(changeRequest.headRef, commit);
    expect(await read()).toMatchObject({ mergeable: true, isBehind: false });
  } finally {
    there.requiresUpToDate = false;
  }
});
