import { withUser, type GitUser } from '../support/git.ts';
import { startPagure } from '../support/pagure.ts';
import { startGithubFake } from './github/fake.ts';
import { startFakeGitlab } from './gitlab/server.ts';
import { role } from './gitlab/state.ts';

/** A git host that an installation connects to, with one repository. */
export interface ConnectableHost {
  readonly provider: 'github' | 'gitlab' | 'pagure';
  readonly url: string;
  /** The token of a connection. */
  readonly token: string;
  readonly repo: string;
  /** Returns the commit at a branch's tip; undefined if there is none. */
  tip(branch: string): Promise<string | undefined>;
  /** Returns a file of `main`. */
  read(path: string): Promise<string>;
  /** Adds a commit to a branch, and opens a change request for it as a person does; returns its number. */
  propose(branch: string, files: Files): Promise<number>;
  /** Lets a change request look as if it came from a fork; undefined where a test cannot. */
  readonly fork?: (number: number) => void;
  /** Returns the bodies of the comments on a change request. */
  comments(number: number): Promise<string[]>;
  /** Fails if the host was used otherwise than it documents. */
  close(): Promise<void>;
}

type Files = Readonly<Record<string, string>>;

/** Pushes a branch with one more commit than `main`. */
async function pushBranch(user: GitUser, remote: string, branch: string, files: Files): Promise<void> {
  const work = await user.start({ ...files });
  await user.git(work, 'fetch', '-q', remote, 'main');
  await user.git(work, 'checkout', '-q', '-f', '-B', branch, 'FETCH_HEAD');
  await user.commit(work, { ...files });
  await user.git(work, 'push', '-q', remote, branch);
}

async function post(url: string, headers: Record<string, string>, body: object): Promise<Record<string, unknown>> {
  const sent = { ...headers, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return Object(await response.json());
}

/** Pushes the first commit to `main`. */
async function seed(user: GitUser, remote: string, files: Files): Promise<void> {
  const work = await user.start({ ...files });
  await user.git(work, 'push', '-q', '-f', remote, 'HEAD:refs/heads/main');
}

export async function connectableGithub(user: GitUser, files: Files): Promise<ConnectableHost> {
  const fake = await startGithubFake();
  const { bare } = await fake.create('acme/github-app');
  await seed(user, bare.directory, files);
  const token = fake.grants.add({ login: 'ada', scopes: ['repo'] });
  return {
    provider: 'github',
    url: fake.url,
    token,
    repo: 'acme/github-app',
    tip: (branch) => bare.commit(`refs/heads/${branch}`),
    read: (path) => bare.git('show', `main:${path}`),
    async propose(branch, changed) {
      await pushBranch(user, bare.directory, branch, changed);
      const body = { title: `About ${branch}`, body: 'By a person.', head: branch, base: 'main', draft: false };
      const headers = { authorization: `Bearer ${token}` };
      return Number((await post(`${fake.url}/api/v3/repos/acme/github-app/pulls`, headers, body))['number']);
    },
    fork(number) {
      const pull = fake.repository('acme/github-app').pulls.find((one) => one.number === number);
      if (pull !== undefined) pull.fork = 'stranger/github-app';
    },
    comments: async (number) =>
      fake
        .repository('acme/github-app')
        .comments.filter((one) => one.number === number)
        .map(({ body }) => body),
    async close() {
      const { problems } = fake;
      await fake.close();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  };
}

export async function connectableGitlab(user: GitUser, files: Files): Promise<ConnectableHost> {
  const fake = await startFakeGitlab();
  const project = await fake.addProject('acme/tools/gitlab-app');
  await seed(user, project.repository.directory, files);
  const token = fake.addToken({ role: role.developer });
  return {
    provider: 'gitlab',
    url: fake.url,
    token: token.token,
    repo: project.path,
    tip: (branch) => project.repository.commit(`refs/heads/${branch}`),
    read: (path) => project.repository.git('show', `main:${path}`),
    async propose(branch, changed) {
      await pushBranch(user, project.repository.directory, branch, changed);
      const body = {
        title: `About ${branch}`,
        description: 'By a person.',
        source_branch: branch,
        target_branch: 'main',
      };
      const headers = { 'private-token': token.token };
      return Number((await post(`${fake.url}/api/v4/projects/${project.id}/merge_requests`, headers, body))['iid']);
    },
    fork(number) {
      const request = project.mergeRequests.find(({ iid }) => iid === number);
      if (request !== undefined) request.fork = 9_999;
    },
    async comments(number) {
      const found = project.mergeRequests.find(({ iid }) => iid === number);
      return (found?.discussions ?? []).flatMap(({ notes }) => notes.map(({ body }) => body));
    },
    async close() {
      const { mistakes } = fake;
      await fake.close();
      if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
    },
  };
}

export async function connectablePagure(user: GitUser, files: Files): Promise<ConnectableHost> {
  const pagure = await startPagure();
  await pagure.createProject('pagure-app', { create_readme: '' });
  const remote = withUser(`${pagure.url}/pagure-app.git`, 'bot', pagure.tokens.bot);
  await seed(user, remote, files);
  const clone = await user.start({ ...files });
  const tip = async (branch: string) =>
    (await user.git(clone, 'ls-remote', remote, `refs/heads/${branch}`)).split('\t')[0] || undefined;
  return {
    provider: 'pagure',
    url: pagure.url,
    token: pagure.tokens.bot,
    repo: '_/pagure-app',
    tip,
    async read(path) {
      await user.git(clone, 'fetch', '-q', remote, 'main');
      return user.git(clone, 'show', `FETCH_HEAD:${path}`);
    },
    async propose(branch, changed) {
      await pushBranch(user, remote, branch, changed);
      const form = {
        title: `About ${branch}`,
        initial_comment: 'By a person.',
        branch_from: branch,
        branch_to: 'main',
      };
      return Number((await pagure.call('pagure-app/pull-request/new', form))['id']);
    },
    async comments(number) {
      const { comments } = await pagure.call(`pagure-app/pull-request/${number}`);
      return Array.isArray(comments) ? comments.map((one) => String(Object(one).comment)) : [];
    },
    close: () => pagure.close(),
  };
}
