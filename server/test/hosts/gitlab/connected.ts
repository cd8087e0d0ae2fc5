import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHostMirrors } from '../../../src/adapters/source-control/host-mirrors.ts';
import { createGitlabSourceControl } from '../../../src/adapters/source-control/gitlab/source-control.ts';
import type { RepositoryRef, SourceControl } from '../../../src/adapters/source-control/port.ts';
import { createHostFetch } from '../../../src/gateway/net/host-fetch.ts';
import { createLog } from '../../../src/lib/log.ts';
import { expect } from 'vitest';
import { createGitUser, type GitUser } from '../../support/git.ts';
import { judgeExchanges } from './judge.ts';
import { startFakeGitlab, type FakeGitlab } from './server.ts';
import type { FakeProject, FakeToken } from './state.ts';

/** The GitLab adapter, connected to a fake with one project in nested groups. */
export interface ConnectedGitlab {
  readonly gitlab: FakeGitlab;
  readonly source: SourceControl;
  readonly project: FakeProject;
  /** The token of the connection. */
  token: FakeToken;
  readonly repository: RepositoryRef;
  readonly user: GitUser;
  /** Pushes a new branch with one commit on top of the first one of `main` that writes a file; returns the commit. */
  push(branch: string, file: string, content: string): Promise<string>;
  /** Pushes one more commit to a branch; returns the commit. */
  pushMore(branch: string, file: string, content: string): Promise<string>;
  /**
   * Fails if a request was wrong. GUILDHALL_TEST_GITLAB_OPENAPI names a copy of GitLab's OpenAPI document, which then judges every
   * exchange: no package has it, and its licence, CC BY-SA 4.0, is not this project's.
   */
  close(): Promise<void>;
}

export async function connectGitlab(path = 'acme/tools/app'): Promise<ConnectedGitlab> {
  const gitlab = await startFakeGitlab();
  const project = await gitlab.addProject(path);
  const user = await createGitUser();
  const work = await user.start({ 'a.txt': 'one\n' });
  const admin = gitlab.addToken();
  const remote = `${gitlab.url.replace('//', `//oauth2:${admin.token}@`)}/${path}.git`;
  await user.git(work, 'push', '-q', remote, 'main');
  const directory = await mkdtemp(join(tmpdir(), 'guildhall-mirrors-'));
  const closing = new AbortController();
  const connected = { token: gitlab.addToken() };
  const source = createGitlabSourceControl({
    connections: {
      open: async (ref) => ({ ...ref, url: gitlab.url, credential: { kind: 'token', token: connected.token.token } }),
    },
    fetch: createHostFetch({ egressAllow: [{ purpose: 'git', target: '127.0.0.1/32' }] }),
    now: () => new Date(),
    mirrors: openHostMirrors({
      directory,
      remote: async (url) => ({ url, addresses: ['127.0.0.1'] }),
      freshMs: 0,
      maxBytes: 0,
      cloneBytes: 0,
      reserveBytes: 0,
      log: createLog('silent'),
      closing: closing.signal,
    }),
  });
  async function commitOn(branch: string, file: string, content: string) {
    const head = await user.commit(work, { [file]: content }, `change on ${branch}`);
    await user.git(work, 'push', '-q', remote, branch);
    return head;
  }
  return Object.assign(connected, {
    gitlab,
    source,
    project,
    repository: { orgId: 'org_1', connectionId: 'gc_1', id: 'repo_1', repo: path },
    user,
    async push(branch: string, file: string, content: string) {
      await user.git(work, 'checkout', '-q', '-b', branch, 'main');
      return commitOn(branch, file, content);
    },
    async pushMore(branch: string, file: string, content: string) {
      await user.git(work, 'checkout', '-q', branch);
      return commitOn(branch, file, content);
    },
    async close() {
      closing.abort();
      expect(gitlab.mistakes).toEqual([]);
      const document = process.env['GUILDHALL_TEST_GITLAB_OPENAPI'];
      if (document !== undefined) expect(await judgeExchanges(document, gitlab.exchanges)).toEqual([]);
      await gitlab.close();
      await user.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  });
}
