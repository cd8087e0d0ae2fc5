import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GitUser } from '../support/git.ts';
import type { BareRepository } from './git-server.ts';
import { startGithubFake } from './github/fake.ts';
import { say as sayAtGithub } from './github/said.ts';
import { instant } from './github/pulls.ts';
import { say as sayAtGitlab } from './gitlab/notes.ts';
import { startFakeGitlab } from './gitlab/server.ts';
import { role } from './gitlab/state.ts';

export type Files = Readonly<Record<string, string>>;
export type Kind = 'issue' | 'change_request';

/** A webhook delivery as its host sends it, except for the signature's secret. */
export interface Sent {
  readonly headers: Readonly<Record<string, string>>;
  readonly raw: string;
}

/** A git host with one repository, where people talk: `grace` may push, `mallory` may not. */
export interface TalkingHost {
  readonly provider: 'github' | 'gitlab' | 'pagure';
  readonly url: string;
  /** The token of a connection. */
  readonly token: string;
  readonly repo: string;
  /** Opens an issue; returns its number. */
  issue(author: 'grace' | 'mallory', title: string, body: string): Promise<number>;
  comment(kind: Kind, number: number, author: 'grace' | 'mallory', body: string): Promise<void>;
  /** Returns the texts of all comments, without that of the issue. */
  texts(kind: Kind, number: number): Promise<string[]>;
  /** Adds a commit to a new branch, and opens a change request for it as a person does; returns its number. */
  propose(branch: string, files: Files): Promise<number>;
  /** Returns the delivery about a comment, signed with the webhook's secret. */
  delivery(kind: Kind, number: number, secret: string): Sent;
  tip(branch: string): Promise<string | undefined>;
  /** Returns all commits of a branch, the newest first. */
  history(branch: string): Promise<string[]>;
  /** Sets a status on a commit, as a CI system does. */
  status(sha: string, state: 'failure' | 'success', description: string): Promise<void>;
  /** Comments on the first line of a file, as `grace`. */
  commentOnLine(number: number, path: string, body: string): Promise<void>;
  /** Returns the texts of each thread on lines. */
  threads(number: number): Promise<string[][]>;
  /** Adds a commit to a branch, as `grace` does; returns it. */
  commitOn(branch: string, files: Files): Promise<string>;
  /** Merges as `grace`. */
  merge(number: number): Promise<void>;
  /** Fails if the host was used otherwise than it documents. */
  close(): Promise<void>;
}

/** One that can be asked to merge by itself. */
export interface MergingHost extends TalkingHost {
  /** Lets a change request wait for a check that no test sets, so that it cannot be merged yet. */
  hold(number: number): void;
  /** True if the host was asked to merge a change request by itself. */
  mergesItself(number: number): boolean;
  /** Calls a function when a push begins. */
  onPush(listener: () => void): void;
}

/** Pushes a branch with one more commit than `from`, or the first commit of a repository. */
export async function pushFiles(
  user: GitUser,
  remote: string,
  { branch, from }: { branch: string; from?: string },
  files: Files,
): Promise<string> {
  const work = await user.start({ ...files });
  if (from !== undefined) {
    await user.git(work, 'fetch', '-q', remote, from);
    await user.git(work, 'checkout', '-q', '-f', '-B', branch, 'FETCH_HEAD');
    await user.commit(work, { ...files });
  }
  await user.git(work, 'push', '-q', ...(from === undefined ? ['-f'] : []), remote, `HEAD:refs/heads/${branch}`);
  return user.git(work, 'rev-parse', 'HEAD');
}

/** Calls a function when git begins to push over HTTP. */
function listenTo(bare: BareRepository, listener: () => void): void {
  const { serve } = bare;
  Object.assign(bare, {
    serve: (request: IncomingMessage, response: ServerResponse, path: string) => {
      if (path === '/git-receive-pack') listener();
      return serve(request, response, path);
    },
  });
}

async function post(
  url: string,
  headers: Record<string, string>,
  body: object,
  method = 'POST',
): Promise<Record<string, unknown>> {
  const sent = { ...headers, 'content-type': 'application/json' };
  const response = await fetch(url, { method, headers: sent, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return Object(await response.json());
}

export async function talkingGithub(user: GitUser, files: Files): Promise<MergingHost> {
  const fake = await startGithubFake();
  const repo = 'acme/widgets';
  const repository = await fake.create(repo);
  await pushFiles(user, repository.bare.directory, { branch: 'main' }, files);
  repository.collaborators.set('grace', 'write').set('mallory', 'read');
  const token = fake.grants.add({ login: 'guildhall-bot', scopes: ['repo'] });
  const people = fake.grants.add({ login: 'grace', scopes: ['repo'] });
  const headers = { authorization: `Bearer ${people}` };
  const api = `${fake.url}/api/v3/repos/${repo}`;
  return {
    provider: 'github',
    url: fake.url,
    token,
    repo,
    async issue(login, title, body) {
      const at = instant(fake.now());
      // Far from the numbers of pull requests, which GitHub counts together with those of issues.
      const number = 500 + repository.issues.length;
      const author = { login, isBot: false };
      repository.issues.push({ id: fake.world.nextId(), number, title, body, author, createdAt: at, updatedAt: at });
      return number;
    },
    async comment(_, number, login, body) {
      sayAtGithub(fake.world, repository, number, { login, isBot: false }, body);
    },
    texts: async (_, number) => repository.comments.filter((one) => one.number === number).map(({ body }) => body),
    async propose(branch, changed) {
      await pushFiles(user, repository.bare.directory, { branch, from: 'main' }, changed);
      const body = { title: `About ${branch}`, body: 'By a person.', head: branch, base: 'main', draft: false };
      return Number((await post(`${api}/pulls`, headers, body))['number']);
    },
    delivery(kind, number, secret) {
      const issue = { number, ...(kind === 'issue' ? {} : { pull_request: {} }) };
      const raw = JSON.stringify({ action: 'created', repository: { full_name: repo }, issue });
      const signature = createHmac('sha256', secret).update(raw).digest('hex');
      const signed = {
        'x-github-event': 'issue_comment',
        'x-github-delivery': crypto.randomUUID(),
        'x-hub-signature-256': `sha256=${signature}`,
      };
      return { headers: signed, raw };
    },
    tip: (branch) => repository.bare.commit(`refs/heads/${branch}`),
    history: async (branch) => (await repository.bare.git('rev-list', branch)).split('\n'),
    async status(sha, state, description) {
      await post(`${api}/statuses/${sha}`, headers, { state, context: 'test', description });
    },
    async commentOnLine(number, path, body) {
      const { headSha: commit_id } = repository.pulls.find((one) => one.number === number) ?? {};
      await post(`${api}/pulls/${number}/comments`, headers, { body, commit_id, path, line: 1, side: 'RIGHT' });
    },
    threads: async (number) =>
      repository.threads.filter((one) => one.number === number).map(({ comments }) => comments.map(({ body }) => body)),
    hold: () => void repository.requiredChecks.add('ci/required'),
    mergesItself: (number) => repository.autoMerging.has(number),
    commitOn: (branch, changed) => pushFiles(user, repository.bare.directory, { branch, from: branch }, changed),
    onPush: (listener) => listenTo(repository.bare, listener),
    async merge(number) {
      await post(`${api}/pulls/${number}/merge`, headers, { merge_method: 'merge' }, 'PUT');
    },
    async close() {
      const { problems } = fake;
      await fake.close();
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  };
}

export async function talkingGitlab(user: GitUser, files: Files): Promise<MergingHost> {
  const fake = await startFakeGitlab();
  const project = await fake.addProject('acme/tools/widgets');
  await pushFiles(user, project.repository.directory, { branch: 'main' }, files);
  project.roles.set('grace', role.developer).set('mallory', role.reporter);
  const { token } = fake.addToken({ role: role.maintainer });
  const people = fake.addToken({ username: 'grace', role: role.developer });
  fake.addToken({ username: 'mallory', role: role.reporter });
  const headers = { 'private-token': people.token };
  const api = `${fake.url}/api/v4/projects/${project.id}`;
  const subjectOf = (kind: Kind, number: number) => {
    const all = kind === 'issue' ? project.issues : project.mergeRequests;
    const found = all.find(({ iid }) => iid === number);
    if (found === undefined) throw new Error(`The fake has no ${kind} ${number}.`);
    return found;
  };
  return {
    provider: 'gitlab',
    url: fake.url,
    token,
    repo: project.path,
    async issue(username, title, description) {
      const at = fake.now();
      const iid = project.issues.length + 1;
      const more = { labels: [], createdAt: at, updatedAt: at, discussions: [], state: 'opened' as const };
      project.issues.push({ iid, title, description, username, ...more });
      return iid;
    },
    async comment(kind, number, username, body) {
      const subject = subjectOf(kind, number);
      sayAtGitlab(fake, subject, { username, body, isIndividual: true });
      subject.updatedAt = fake.now();
    },
    texts: async (kind, number) =>
      subjectOf(kind, number).discussions.flatMap(({ notes }) => notes.map(({ body }) => body)),
    async propose(branch, changed) {
      await pushFiles(user, project.repository.directory, { branch, from: 'main' }, changed);
      const title = `About ${branch}`;
      const body = { title, description: 'By a person.', source_branch: branch, target_branch: 'main' };
      return Number((await post(`${api}/merge_requests`, headers, body))['iid']);
    },
    delivery(kind, number, secret) {
      const subject = kind === 'issue' ? { issue: { iid: number } } : { merge_request: { iid: number } };
      const noteable_type = kind === 'issue' ? 'Issue' : 'MergeRequest';
      const common = { object_kind: 'note', project: { path_with_namespace: project.path } };
      const raw = JSON.stringify({ ...common, object_attributes: { noteable_type }, ...subject });
      const event = { 'x-gitlab-event': 'Note Hook', 'idempotency-key': crypto.randomUUID() };
      return { headers: { ...event, 'x-gitlab-token': secret }, raw };
    },
    tip: (branch) => project.repository.commit(`refs/heads/${branch}`),
    history: async (branch) => (await project.repository.git('rev-list', branch)).split('\n'),
    async status(sha, state, description) {
      const said = { state: state === 'failure' ? 'failed' : state, name: 'test', description };
      await post(`${api}/statuses/${sha}`, headers, said);
    },
    async commentOnLine(number, path, body) {
      const { diff_refs: refs } = Object(await post(`${api}/merge_requests/${number}`, headers, {}, 'PUT'));
      const position = { ...refs, position_type: 'text', old_path: path, new_path: path, new_line: 1 };
      await post(`${api}/merge_requests/${number}/discussions`, headers, { body, position });
    },
    threads: async (number) =>
      subjectOf('change_request', number)
        .discussions.filter(({ notes }) => notes[0]?.position !== undefined)
        .map(({ notes }) => notes.map(({ body }) => body)),
    hold: (number) => void Object.assign(subjectOf('change_request', number), { waitsFor: 'ci_must_pass' }),
    mergesItself: (number) => project.mergeRequests.find(({ iid }) => iid === number)?.autoMerge === true,
    commitOn: (branch, changed) => pushFiles(user, project.repository.directory, { branch, from: branch }, changed),
    onPush: (listener) => listenTo(project.repository, listener),
    async merge(number) {
      await post(`${api}/merge_requests/${number}/merge`, headers, {}, 'PUT');
    },
    async close() {
      const { mistakes } = fake;
      await fake.close();
      if (mistakes.length > 0) throw new Error(mistakes.join('\n'));
    },
  };
}
