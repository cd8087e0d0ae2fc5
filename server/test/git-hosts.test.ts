import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectableGithub, connectableGitlab, connectablePagure, type ConnectableHost } from './hosts/connectable.ts';
import { createGitUser, type GitUser } from './support/git.ts';
import { pagureProblem } from './support/pagure.ts';
import {
  prepareData,
  startServerProcess,
  temporaryDirectory,
  until,
  type Json,
  type ServerProcess,
} from './support/server.ts';

const organization = '/v3/organizations/default';
const data = temporaryDirectory();
let server: ServerProcess;
let user: GitUser;
beforeAll(async () => {
  prepareData(data.path);
  server = await startServerProcess(data.path, [], { GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' });
  user = await createGitUser();
}, 60_000);
afterAll(async () => {
  server.process.kill('SIGTERM');
  expect(await server.exited).toMatchObject({ code: 0 });
  await user.close();
  data.remove();
});

const files = {
  'sum.js': 'module.exports = (a, b) => a - b;\n',
  'package.json': '{"name": "widgets", "scripts": {"test": "node test.js"}}\n',
  'test.js': "require('assert').strictEqual(require('./sum.js')(2, 2), 4);\n",
};

async function ok(method: string, path: string, body?: Json): Promise<Json> {
  const { status, json } = await server.call(method, `${organization}${path}`, body);
  expect([status < 300, method, path, json]).toEqual([true, method, path, json]);
  return json;
}

/** Starts a session of the script agent on a repository and returns it once it has ended. */
async function runSession(repo: string, run: string, more: Json = {}): Promise<Json> {
  const runtime_config = { steps: [{ run }], summary: 'Adds now.' };
  const { json: agent } = await server.call('POST', '/agents', { name: 'fix', runtime: 'script', runtime_config });
  const { id } = await ok('POST', '/sessions', {
    prompt: 'sum subtracts',
    repositories: [{ repo, ...more }],
    agent_id: agent['id'],
  });
  const hasEnded = (json: Json) => ['completed', 'failed', 'canceled'].includes(String(json['status']));
  return until(server, `${organization}/sessions/${String(id)}`, hasEnded, 300_000);
}

/** Connects a host, lets a session change its repository, merges the change there, and disconnects. */
async function live(host: ConnectableHost): Promise<void> {
  const { provider, repo } = host;
  const connection = await ok('POST', '/git-connections', { provider, host: host.url, token: host.token });
  expect(connection).toMatchObject({ state: 'connected', problem: '' });
  const repository = await ok('POST', '/repositories', { provider, repo, connection_id: connection['id'] });
  const one = `/repositories/${String(repository['id'])}`;

  const session = await runSession(repo, "sed -i 's/a - b/a + b/' sum.js");
  expect(session).toMatchObject({ status: 'completed', verification: 'fixed', error: null });
  const [number] = await openNumbers(one);
  const request = `${one}/change-requests/${number}`;
  const opened = await ok('GET', request);
  expect(opened).toMatchObject({
    state: 'open',
    base_ref: 'main',
    additions: 1,
    deletions: 1,
    session_id: session['id'],
  });
  expect(String(opened['url'])).toContain(host.url);
  expect(await host.tip(String(opened['head_ref']))).toBe(opened['head_sha']);
  expect(await ok('GET', `${request}/diff`)).toMatchObject({ files: [{ path: 'sum.js' }] });

  await ok('POST', `${request}/comments`, { body: 'Well done.' });
  await ok('POST', `${request}/comments`, { body: 'This line.', file: 'sum.js', line: 1 });
  const reply = { body: 'To nobody.', in_reply_to: 'crc_none' };
  expect((await server.call('POST', `${organization}${request}/comments`, reply)).status).toBe(400);
  expect((await ok('GET', `${request}/comments`))['items']).toHaveLength(2);
  const said = (await host.comments(Number(number))).join('\n');
  expect(['Well done.', 'This line.', 'To nobody.'].map((text) => said.includes(text))).toEqual([true, true, false]);

  // A busy Pagure merges later than within the minute that a request waits for it; asked again, it merges once.
  const merge = async () => (await server.call('POST', `${organization}${request}/merge`, { method: 'merge' })).json;
  await expect.poll(merge, { timeout: 600_000, interval: 2_000 }).toMatchObject({ state: 'merged' });
  expect(await host.read('sum.js')).toContain('a + b');
  expect(JSON.stringify([session, connection, repository])).not.toContain(host.token);

  await continueAtHost(host, one);

  // A second session starts from what was merged.
  const second = await runSession(repo, "echo 'Sums.' > README.md");
  expect(second).toMatchObject({ status: 'completed', error: null });

  // Its change request is closed; then the repository and its connection can be removed, and the host keeps everything.
  expect((await server.call('DELETE', `${organization}${one}`)).status).toBe(409);
  const [next] = await openNumbers(one);
  expect(await ok('POST', `${one}/change-requests/${next}/close`, {})).toMatchObject({ state: 'closed' });
  expect((await server.call('DELETE', `${organization}/git-connections/${String(connection['id'])}`)).status).toBe(409);
  const head = await host.tip('main');
  expect((await server.call('DELETE', `${organization}${one}`)).status).toBe(204);
  expect((await server.call('GET', `${organization}${one}`)).status).toBe(404);
  expect(await host.tip('main')).toBe(head);
  expect((await server.call('DELETE', `${organization}/git-connections/${String(connection['id'])}`)).status).toBe(204);
}

/** A session continues the change request of a person, which keeps its words. */
async function continueAtHost(host: ConnectableHost, one: string): Promise<void> {
  const { repo } = host;
  const number = await host.propose('by-hand', { 'hand.txt': 'one\n' });
  const before = await host.tip('by-hand');
  const session = await runSession(repo, 'echo two >> hand.txt', { change_request: number });
  expect(session).toMatchObject({ status: 'completed', error: null, change_requests: [{ number, state: 'open' }] });
  expect(session['repositories']).toMatchObject([{ branch: 'by-hand', base_ref: 'main' }]);
  const request = `${one}/change-requests/${number}`;
  const after = await ok('GET', request);
  expect(after).toMatchObject({ title: 'About by-hand', body: 'By a person.', additions: 2, session_id: '' });
  expect(after['head_sha']).not.toBe(before);
  expect(await host.tip('by-hand')).toBe(after['head_sha']);
  const followed = async () => ok('GET', `${request}/follow`);
  await expect.poll(followed, { timeout: 30_000 }).toMatchObject({ session_id: session['id'] });
  const body = { prompt: 'x', repositories: [{ repo, change_request: number }] };
  expect((await server.call('POST', `${organization}/sessions`, body)).status).toBe(409);
  await ok('POST', `${request}/close`, {});
  if (host.fork === undefined) return;
  const forked = await host.propose('forked', { 'fork.txt': 'one\n' });
  host.fork(forked);
  const other = { prompt: 'x', repositories: [{ repo, change_request: forked }] };
  const { status, json } = await server.call('POST', `${organization}/sessions`, other);
  expect([status, json['error'], String(json['message']).includes('fork')]).toEqual([409, 'conflict', true]);
}

async function openNumbers(one: string): Promise<number[]> {
  const { items } = await ok('GET', `${one}/change-requests?state=open`);
  return Array.isArray(items) ? items.map((item) => Number(Object(item).number)) : [];
}

describe('a session works on a repository of a connected host, from its connection to the merge', () => {
  async function at(open: (user: GitUser, files: Record<string, string>) => Promise<ConnectableHost>): Promise<void> {
    const host = await open(user, files);
    try {
      await live(host);
    } finally {
      await host.close();
    }
  }

  test('GitLab', () => at(connectableGitlab), 600_000);
  test('GitHub', () => at(connectableGithub), 600_000);
  const problem = pagureProblem();
  test.skipIf(problem !== '')(
    `Pagure (optional${problem === '' ? '' : `: ${problem}`})`,
    () => at(connectablePagure),
    900_000,
  );
});
