import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { connectGitlab, type ConnectedGitlab } from '../../../../test/hosts/gitlab/connected.ts';
import { role } from '../../../../test/hosts/gitlab/state.ts';
import { CredentialRejected } from '../connection.ts';
import type { RepositoryRef } from '../port.ts';

let connected: ConnectedGitlab;
let repository: RepositoryRef;
beforeAll(async () => {
  connected = await connectGitlab();
  ({ repository } = connected);
});
afterAll(() => connected.close());
beforeEach(() => {
  connected.token = connected.gitlab.addToken();
});

const content = { title: 'Right the answer', body: '', draft: false };

async function propose(branch: string) {
  const headSha = await connected.push(branch, `${branch}.txt`, 'x\n');
  const input = { ...content, headRef: branch, headSha, baseRef: 'main' };
  const { changeRequest } = await connected.source.openChangeRequest(repository, input);
  const merge = { method: 'merge', headSha, message: 'Right it', author: { name: 'Ada', email: '' } } as const;
  return { number: changeRequest.number, headSha, input, merge };
}

test('a token that lacks the scope or a role is told so; a revoked or expired one is rejected', async () => {
  const { source, gitlab } = connected;
  connected.token = gitlab.addToken({ scopes: ['read_api', 'read_repository'], username: 'reader' });
  expect(await source.verify(repository)).toEqual({ account: 'reader', missingPermissions: ['api'] });
  await expect(source.closeChangeRequest(repository, 1)).rejects.toThrow(/no merge request !1/);
  await expect(source.comment?.(repository, 1, 'x')).rejects.toMatchObject({
    retryable: false,
    message: expect.stringMatching(/lacks the scope api/),
  });
  connected.token = gitlab.addToken({ role: role.reporter });
  expect(await source.verify(repository)).toMatchObject({ missingPermissions: ['Developer role in a project'] });
  const input = { ...content, headRef: 'x', headSha: '', baseRef: 'main' };
  await expect(source.openChangeRequest(repository, input)).rejects.toThrow(/role Developer/);
  for (const state of ['revoked', 'expired'] as const) {
    connected.token.state = state;
    await expect(source.verify(repository)).rejects.toThrow(CredentialRejected);
  }
});

test('a merge that the role does not allow leaves the token accepted', async () => {
  const { number, merge } = await propose('protected');
  connected.token = connected.gitlab.addToken({ role: role.reporter });
  const refused = connected.source.mergeChangeRequest(repository, number, merge);
  await expect(refused).rejects.toThrow(/may not merge into main/);
  await expect(refused).rejects.not.toThrow(CredentialRejected);
});

test('a merge whose answer was lost is not repeated', async () => {
  const { source, gitlab, project } = connected;
  const { number, merge } = await propose('lost');
  const before = Number(await project.repository.git('rev-list', '--count', 'main'));
  gitlab.fail('PUT', '/merge', 'lose-answer');
  await expect(source.mergeChangeRequest(repository, number, merge)).rejects.toMatchObject({ retryable: true });
  expect(await source.mergeChangeRequest(repository, number, merge)).toMatchObject({ state: 'merged' });
  expect(Number(await project.repository.git('rev-list', '--count', 'main'))).toBe(before + 2);
});

test('an open one whose answer was lost is found again', async () => {
  const { source, gitlab, project } = connected;
  const headSha = await connected.push('twice', 'twice.txt', 'x\n');
  const input = { ...content, headRef: 'twice', headSha, baseRef: 'main' };
  gitlab.fail('POST', '/merge_requests', 'lose-answer');
  await expect(source.openChangeRequest(repository, input)).rejects.toMatchObject({ retryable: true });
  expect(await source.openChangeRequest(repository, input)).toMatchObject({ created: false });
  expect(project.mergeRequests.filter(({ source: branch }) => branch === 'twice')).toHaveLength(1);
});

test('other commits on the branch, a draft and a missing approval keep it from merging', async () => {
  const { source, project } = connected;
  const { number, merge } = await propose('waits');
  const other = { ...merge, headSha: '0'.repeat(40) };
  await expect(source.mergeChangeRequest(repository, number, other)).rejects.toMatchObject({ reason: 'branch_moved' });
  const request = project.mergeRequests.find(({ iid }) => iid === number);
  Object.assign(request ?? {}, { waitsFor: 'not_approved' });
  await expect(source.mergeChangeRequest(repository, number, merge)).rejects.toThrow(/it lacks approvals/);
  expect(await source.changeRequest(repository, number)).toMatchObject({ mergeable: true });
  await source.updateChangeRequest(repository, number, { ...content, title: '[draft] Draft: T', draft: true });
  expect(request?.title).toBe('Draft: T');
  await expect(source.mergeChangeRequest(repository, number, merge)).rejects.toThrow(/it is a draft/);
});

test('GitLab checks for conflicts in the background', async () => {
  const { number } = await propose('checked');
  const read = async () => (await connected.source.changeRequest(repository, number))?.mergeable;
  // The answer to its creation began the check.
  await connected.push('unrelated', 'unrelated.txt', 'x\n');
  const { project } = connected;
  await project.repository.git('update-ref', 'refs/heads/main', 'refs/heads/unrelated');
  expect([await read(), await read()]).toEqual([undefined, true]);
});

test('limits, failures and strange answers say what to do', async () => {
  const { source, gitlab } = connected;
  gitlab.fail('GET', '/user', { status: 429, body: 'Retry later\n', headers: { 'retry-after': '7' } });
  await expect(source.verify(repository)).rejects.toMatchObject({
    retryable: true,
    message: expect.stringMatching(/Try again in 7 s/),
  });
  gitlab.fail('GET', '/user', { status: 502, body: '<html>' });
  await expect(source.verify(repository)).rejects.toMatchObject({ retryable: true });
  const strange = [
    ['<html>', /not GitLab's/],
    [{ username: 5 }, /not GitLab's/],
    [`[${'1,'.repeat(300_000)}1]`, /more than 200000 values/],
    ['x'.repeat(9_000_000), /more than 8388608 bytes/],
  ] as const;
  for (const [body, message] of strange) {
    gitlab.fail('GET', '/user', { status: 200, body });
    await expect(source.verify(repository)).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(message),
    });
  }
});

test('a project is found and changed under its former names, and not once it was deleted', async () => {
  const { source, gitlab } = connected;
  const project = await gitlab.addProject('old/group/app');
  const moved = { ...repository, id: 'repo_moved', repo: 'old/group/app' };
  gitlab.move(project, 'new/app');
  expect(await source.find(moved)).toEqual({ defaultBranch: '' });
  const input = { ...content, headRef: 'a', headSha: 'f'.repeat(40), baseRef: 'main' };
  expect(await source.openChangeRequest(moved, input)).toMatchObject({ changeRequest: { headSha: input.headSha } });
  const run = { sessionId: 's', fence: 1, branch: async () => 'a' };
  expect((await source.cloneAccess(moved, run)).remoteUrl).toBe(`${gitlab.url}/new/app.git`);
  project.markedForDeletion = true;
  expect(await source.find(moved)).toBeUndefined();
  gitlab.projects.delete(project.id);
  expect(await source.find(moved)).toBeUndefined();
  await expect(source.changeRequest(moved, 1)).rejects.toThrow(/no such project/);
});

test('a token revoked in the middle of a push is refused; its successor is used at once', async () => {
  const { source, gitlab, user, project } = connected;
  const { authorization, remoteUrl } = await source.cloneAccess(repository, {
    sessionId: 's',
    fence: 1,
    branch: async () => 'mid',
  });
  const work = await user.start({ 'b.txt': 'two\n' });
  const push = async () => {
    const header = `http.extraHeader=Authorization: ${await authorization()}`;
    return user.git(work, '-c', header, 'push', '-q', remoteUrl, 'HEAD:refs/heads/mid');
  };
  gitlab.afterGit((path) => {
    if (path === '/info/refs') connected.token.state = 'revoked';
  });
  await expect(push()).rejects.toThrow();
  expect(await project.repository.commit('refs/heads/mid')).toBeUndefined();
  gitlab.afterGit(() => (connected.token.state = 'active'));
  connected.token = gitlab.addToken();
  expect(await push()).toBe('');
  expect(await project.repository.commit('refs/heads/mid')).toBeDefined();
});

test('reachable projects come page by page, by a part of their path', async () => {
  const { source, gitlab } = connected;
  for (const name of ['one', 'two', 'three']) await gitlab.addProject(`pages/deep/${name}`, { visibility: 'public' });
  const seen: string[] = [];
  let page = '';
  do {
    const found = await source.reachable?.(repository, { search: 'deep/', page, limit: 2 });
    seen.push(...(found?.items ?? []).map(({ repo }) => repo));
    page = found?.next ?? '';
  } while (page !== '' && seen.length < 10);
  expect(seen).toEqual(['pages/deep/one', 'pages/deep/two', 'pages/deep/three']);
});
