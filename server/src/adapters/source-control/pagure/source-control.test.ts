import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createGitUser, withUser, type GitUser } from '../../../../test/support/git.ts';
import { pagureProblem, startPagure, type Pagure } from '../../../../test/support/pagure.ts';
import { openReceiver, type Receiver } from '../../../../test/support/receiver.ts';
import { createHostFetch } from '../../../gateway/net/host-fetch.ts';
import { createLog } from '../../../lib/log.ts';
import { describeSourceControl } from '../contract.ts';
import { openHostMirrors } from '../host-mirrors.ts';
import { CredentialRejected } from '../connection.ts';
import type { RepositoryRef, SourceControl } from '../port.ts';
import { createPagureSourceControl } from './source-control.ts';

const problem = pagureProblem();

/** Optional: Pagure is a real server, which a script installs. */
describe.skipIf(problem !== '')(`Pagure (optional${problem === '' ? '' : `: ${problem}`})`, () => {
  let pagure: Pagure;
  let ada: GitUser;
  let mirrors: string;
  let receiver: Receiver;
  const closing = new AbortController();
  beforeAll(async () => {
    pagure = await startPagure();
    ada = await createGitUser();
    mirrors = await mkdtemp(join(tmpdir(), 'guildhall-mirrors-'));
    receiver = await openReceiver();
  });
  afterAll(async () => {
    closing.abort();
    await receiver.close();
    await ada.close();
    await pagure.close();
    await vi.waitFor(() => rm(mirrors, { recursive: true, force: true }), { timeout: 20_000 });
  });

  /** Opens the adapter as an account of Pagure. */
  function open(token: keyof Pagure['tokens']): SourceControl {
    return createPagureSourceControl({
      connections: {
        open: async (ref) => ({ ...ref, url: pagure.url, credential: { kind: 'token', token: pagure.tokens[token] } }),
      },
      fetch: createHostFetch({ egressAllow: [{ purpose: 'git', target: '127.0.0.1/32' }] }),
      mirrors: openHostMirrors({
        directory: mirrors,
        remote: async (url) => ({ url, addresses: ['127.0.0.1'] }),
        maxBytes: 0,
        cloneBytes: 0,
        reserveBytes: 0,
        log: createLog('silent'),
        closing: closing.signal,
      }),
      now: () => new Date(),
    });
  }

  const refTo = (repo: string): RepositoryRef => ({ orgId: 'org_1', connectionId: 'gc_1', id: repo, repo });

  /** Clones a project and returns how to work on it. */
  async function checkOut(path: string) {
    const url = withUser(`${pagure.url}/${path}.git`, 'bot', pagure.tokens.bot);
    const work = await ada.start({ 'a.txt': 'one\n' });
    await ada.git(work, 'fetch', '-q', url, 'main');
    await ada.git(work, 'reset', '-q', '--hard', 'FETCH_HEAD');
    return {
      async push(branch: string, file: string, content: string): Promise<string> {
        await ada.git(work, 'checkout', '-q', '-B', branch, branch === 'main' ? 'HEAD' : 'main');
        const head = await ada.commit(work, { [file]: content }, `change on ${branch}`);
        await ada.git(work, 'push', '-q', url, branch);
        await ada.git(work, 'checkout', '-q', 'main');
        return head;
      },
      async pushMore(branch: string, file: string, content: string): Promise<string> {
        await ada.git(work, 'checkout', '-q', branch);
        const head = await ada.commit(work, { [file]: content });
        await ada.git(work, 'push', '-q', url, branch);
        await ada.git(work, 'checkout', '-q', 'main');
        return head;
      },
      git: (...args: string[]) => ada.git(work, ...args),
      url,
    };
  }

  describeSourceControl('as a provider', 'pagure', async () => {
    await pagure.createProject('contract', { namespace: 'tools' });
    await pagure.call('tools/contract/options/update', { always_merge: 'true' });
    await pagure.call('tools/contract/git/modifyacls', { user_type: 'user', name: 'alice', acl: 'commit' });
    const { push, pushMore, git, url } = await checkOut('tools/contract');
    return {
      source: open('bot'),
      repository: refTo('tools/contract'),
      unknown: refTo('tools/none'),
      push,
      pushMore,
      async commitsOnMain() {
        await git('fetch', '-q', url, 'main');
        return Number(await git('rev-list', '--count', 'FETCH_HEAD'));
      },
      people: { alice: 'write', bot: 'admin' },
      say: (number, body) =>
        pagure.call(`tools/contract/pull-request/${number}/comment`, { comment: body }, pagure.tokens.alice),
      async openIssue(title, text) {
        const { issue } = await pagure.call('tools/contract/new_issue', { title, issue_content: text });
        return Number(Object(issue).id);
      },
      timeStepMs: 1_000,
      close: async () => undefined,
    };
  });

  test('a token is verified with its account and what it lacks', async () => {
    expect(await open('bot').verify(refTo(''))).toEqual({ account: 'bot', missingPermissions: [] });
    expect(await open('narrow').verify(refTo(''))).toEqual({
      account: 'bot',
      missingPermissions: [
        'pull_request_comment',
        'pull_request_merge',
        'pull_request_close',
        'commit_flag',
        'issue_comment',
      ],
    });
    expect(await open('readOnly').verify(refTo(''))).toMatchObject({ missingPermissions: { length: 7 } });
    await expect(open('expired').verify(refTo(''))).rejects.toThrow(CredentialRejected);
  });

  test('projects are listed by name, page by page; private and empty ones are named as such', async () => {
    await pagure.createProject('listed-one');
    await pagure.createProject('listed-two', { create_readme: '' });
    const source = open('bot');
    const first = await source.reachable?.(refTo(''), { search: 'LISTED-', page: '', limit: 1 });
    const next = await source.reachable?.(refTo(''), { search: 'LISTED-', page: first?.next ?? '', limit: 1 });
    expect([...(first?.items ?? []), ...(next?.items ?? [])].toSorted((a, b) => (a.repo < b.repo ? -1 : 1))).toEqual([
      { repo: '_/listed-one', defaultBranch: 'main', private: false, url: `${pagure.url}/listed-one` },
      { repo: '_/listed-two', defaultBranch: '', private: false, url: `${pagure.url}/listed-two` },
    ]);
    expect(next?.next).toBe('');
    await expect(source.find(refTo('_/listed-two'))).rejects.toThrow(/Push a first commit/);
    await pagure.createProject('hidden', { private: 'true' });
    await expect(source.find(refTo('bot/hidden'))).rejects.toThrow(/is private/);
    expect(await open('alice').find(refTo('bot/hidden'))).toBeUndefined();
  });

  test('the life of a change request, with its deliveries', async () => {
    const repository = refTo('_/web');
    await pagure.createProject('web');
    await pagure.call('web/options/update', { 'Web-hooks': receiver.url });
    const source = open('bot');
    expect(await source.verify(repository)).toMatchObject({ account: 'bot' });
    const { push, git, url } = await checkOut('web');
    const headSha = await push('guildhall/right', 'answer.txt', '42\n');
    const content = { title: 'Right the answer', body: 'It was wrong.', draft: false };
    const input = { ...content, headRef: 'guildhall/right', headSha, baseRef: 'main' };
    const { changeRequest } = await source.openChangeRequest(repository, input);
    const { number } = changeRequest;
    expect(changeRequest).toMatchObject({ state: 'open', headSha, url: `${pagure.url}/web/pull-request/${number}` });

    // A check is red, and green for the next commit.
    const check = { username: 'ci', comment: 'tests', url: `${pagure.url}/ci`, uid: 'ci-1' };
    await pagure.call(`web/pull-request/${number}/flag`, { ...check, status: 'failure' });
    await git('checkout', '-q', 'guildhall/right');
    const mended = await ada.commit((await git('rev-parse', '--show-toplevel')).trim(), { 'answer.txt': '43\n' });
    await git('push', '-q', url, 'guildhall/right');
    await git('checkout', '-q', 'main');
    expect(await source.changeRequest(repository, number)).toMatchObject({ headSha: mended, mergeable: true });
    await vi.waitFor(
      async () => expect(await pagure.call(`web/pull-request/${number}`)).toMatchObject({ commit_stop: mended }),
      { timeout: 100_000, interval: 200 },
    );
    await pagure.call(`web/pull-request/${number}/flag`, { ...check, status: 'success' });

    await source.comment?.(repository, number, 'Mended.');
    const { comments } = await pagure.call(`web/pull-request/${number}`);
    expect(JSON.stringify(comments)).toContain('"Mended."');

    // What it was opened with is no longer what would be merged.
    const merge = { method: 'merge', message: '', author: { name: 'Ada', email: 'ada@example.org' } } as const;
    await expect(source.mergeChangeRequest(repository, number, { ...merge, headSha })).rejects.toMatchObject({
      reason: 'branch_moved',
    });
    await push('main', 'answer.txt', 'nothing\n');
    await expect(source.mergeChangeRequest(repository, number, { ...merge, headSha: mended })).rejects.toMatchObject({
      reason: 'merge_conflict',
    });
    await git('checkout', '-q', 'guildhall/right');
    await git('merge', '-q', '-s', 'ours', '-m', 'Merge main', 'main');
    await git('push', '-q', url, 'guildhall/right');
    const merged = await source.mergeChangeRequest(repository, number, {
      ...merge,
      headSha: await git('rev-parse', 'HEAD'),
    });
    // This project moves its branch forward where that is possible.
    expect(merged).toMatchObject({ state: 'merged', mergeCommit: await git('rev-parse', 'HEAD') });
    expect(await source.branchHead(repository, 'main')).toBe(merged.mergeCommit);

    const topics = () => receiver.received.map(({ headers }) => headers['x-pagure-topic']);
    await expect
      .poll(topics, { timeout: 100_000 })
      .toEqual(expect.arrayContaining(['pull-request.new', 'pull-request.comment.added', 'pull-request.closed']));
    for (const { headers, body } of receiver.received) {
      const said = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const delivery = { headers: said, body: Buffer.from(body) };
      expect(await source.verifyWebhook?.(repository, delivery)).toBe(true);
      expect(await source.verifyWebhook?.(repository, { ...delivery, body: Buffer.from(`${body} `) })).toBe(false);
      const other = { ...said, 'x-pagure-project': 'tools/contract' };
      expect(await source.verifyWebhook?.(repository, { ...delivery, headers: other })).toBe(false);
    }
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received;
    const said = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    expect(await open('alice').verifyWebhook?.(repository, { headers: said, body: Buffer.from(body) })).toBe(false);
  });
});
