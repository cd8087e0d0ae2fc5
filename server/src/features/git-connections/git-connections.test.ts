import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeGitlab, type FakeGitlab } from '../../../test/hosts/gitlab/server.ts';
import type { FakeProject, FakeToken } from '../../../test/hosts/gitlab/state.ts';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, type GitUser } from '../../../test/support/git.ts';

const org = '/v3/organizations/default';
const connections = `${org}/git-connections`;
const repositories = `${org}/repositories`;

let api: TestApi;
let gitlab: FakeGitlab;
let ada: GitUser;
let token: FakeToken;
let project: FakeProject;
beforeAll(async () => {
  [api, gitlab, ada] = await Promise.all([
    startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' }),
    startFakeGitlab(),
    createGitUser(),
  ]);
  token = gitlab.addToken();
  project = await gitlab.addProject('acme/tools/app');
  await gitlab.addProject('acme/site');
  const work = await ada.start({ 'a.txt': 'one\n' });
  const remote = `${gitlab.url.replace('//', `//oauth2:${token.token}@`)}/${project.path}.git`;
  await ada.git(work, 'push', '-q', remote, 'main');
});
afterAll(async () => {
  await api.close();
  await gitlab.close();
  await ada.close();
});

const errorOf = ({ status, json }: Answer) => [status, json['error'], String(json['message'])];
const create = (with_: object = {}) =>
  api.call('POST', connections, { body: { provider: 'gitlab', host: gitlab.url, token: token.token, ...with_ } });
async function made(with_: object = {}): Promise<string> {
  const answer = await create(with_);
  expect(answer.status, answer.text).toBe(201);
  return String(answer.json['id']);
}

test('a token is verified at the host, and never answered or audited', async () => {
  const answer = await create({ name: 'Ours' });
  expect([answer.status, answer.json]).toMatchObject([
    201,
    { provider: 'gitlab', kind: 'token', name: 'Ours', account: token.username, state: 'connected', problem: '' },
  ]);
  expect(answer.json['host']).toBe(new URL(gitlab.url).host);
  const one = `${connections}/${String(answer.json['id'])}`;
  const read = await Promise.all([
    api.call('GET', one),
    api.call('GET', connections),
    api.call('GET', `${org}/audit-logs?first=200`),
  ]);
  for (const { status, text } of [answer, ...read]) {
    expect([200, 201]).toContain(status);
    expect(text).not.toContain(token.token);
  }
  const row = await api.ctx.db.kysely
    .selectFrom('git_connections')
    .selectAll()
    .where('id', '=', String(answer.json['id']))
    .executeTakeFirstOrThrow();
  expect(row.sealed_credential?.includes(token.token)).toBe(false);
  expect((await api.call('DELETE', one)).status).toBe(204);
});

test('the built-in git host stays, and says so at once', async () => {
  await api.call('POST', repositories, { body: { provider: 'local', repo: 'acme/used' } });
  const { json } = await api.call('GET', connections);
  const [{ id }] = Array.isArray(json['items']) ? json['items'].filter((one) => one.provider === 'local') : [{}];
  for (const query of ['', '?force=true'])
    expect(errorOf(await api.call('DELETE', `${connections}/${id}${query}`))).toEqual([
      409,
      'conflict',
      expect.stringContaining('keeps its built-in git host'),
    ]);
});

test('a connection is refused if its host rejects the token or cannot be asked', async () => {
  const before = (await api.call('GET', connections)).json['total'];
  expect(errorOf(await create({ token: 'glpat-unknown' }))).toEqual([
    400,
    'invalid_request',
    expect.stringMatching(/^body\.token: .+rejected the credential/),
  ]);
  expect(errorOf(await create({ host: 'http://127.0.0.1:1' })).slice(0, 2)).toEqual([502, 'upstream_error']);
  expect(errorOf(await create({ host: 'http://10.0.0.1' }))[2]).toContain('GUILDHALL_EGRESS_ALLOW');
  expect(errorOf(await create({ provider: 'pagure', host: undefined }))[2]).toContain('pagure has no default host');
  expect(errorOf(await create({ token: undefined }))[2]).toContain('body.token is required');
  for (const host of ['ssh://git.example.com', 'https://ada:x@git.example.com', 'https://git.example.com/?a=b', '%'])
    expect(errorOf(await create({ host }))[2]).toContain('body.host must be a host name');
  expect((await api.call('GET', connections)).json['total']).toBe(before);
});

test('missing permissions degrade a connection until its token has them', async () => {
  const weak = gitlab.addToken({ scopes: ['read_api'] });
  const id = await made({ token: weak.token });
  expect((await api.call('GET', `${connections}/${id}`)).json).toMatchObject({
    state: 'degraded',
    missing_permissions: ['api'],
    problem: expect.stringContaining('lacks the permission api'),
  });
  weak.scopes = ['api'];
  expect((await api.call('POST', `${connections}/${id}/verify`, { body: {} })).json).toMatchObject({
    state: 'connected',
    missing_permissions: [],
    problem: '',
  });
});

test('a connection is revoked once its host rejects it in any use, and works with a new token', async () => {
  const old = gitlab.addToken();
  const id = await made({ token: old.token });
  const one = `${connections}/${id}`;
  old.state = 'revoked';
  expect(errorOf(await api.call('GET', `${one}/repositories`)).slice(0, 2)).toEqual([502, 'upstream_error']);
  expect((await api.call('GET', one)).json).toMatchObject({
    state: 'revoked',
    problem: expect.stringContaining('Give the connection a new one'),
  });
  const asked = gitlab.exchanges.length;
  expect((await api.call('GET', `${one}/repositories`)).status).toBe(502);
  expect(gitlab.exchanges).toHaveLength(asked);
  expect((await api.call('PATCH', one, { body: { token: 'glpat-unknown' } })).status).toBe(400);
  expect((await api.call('PATCH', one, { body: { token: token.token } })).json).toMatchObject({
    state: 'connected',
    problem: '',
  });
  expect((await api.call('GET', `${one}/repositories`)).status).toBe(200);
});

test('repositories are listed, searched, and connected once the host confirms them', async () => {
  const id = await made();
  const list = `${connections}/${id}/repositories`;
  const first = await api.call('GET', `${list}?first=1`);
  expect(first.json).toMatchObject({ items: [{ repo: project.path, repository_id: '' }], has_next_page: true });
  const second = await api.call('GET', `${list}?first=1&after=${String(first.json['end_cursor'])}`);
  expect(second.json).toMatchObject({ items: [{ repo: 'acme/site' }] });
  const body = { provider: 'gitlab', repo: project.path };
  expect(errorOf(await api.call('POST', repositories, { body }))[2]).toContain('body.connection_id is required');
  const chosen = { ...body, connection_id: id };
  expect(errorOf(await api.call('POST', repositories, { body: { ...chosen, repo: 'acme/none' } }))[2]).toMatch(
    /has no repository acme\/none/,
  );
  expect(errorOf(await api.call('POST', repositories, { body: { ...chosen, template: 'right-the-answer' } }))[0]).toBe(
    400,
  );
  const connected = await api.call('POST', repositories, { body: chosen });
  expect([connected.status, connected.json]).toMatchObject([
    201,
    { provider: 'gitlab', default_branch: 'main', connection_id: id, clone_url: `${gitlab.url}/${project.path}.git` },
  ]);
  const repositoryId = String(connected.json['id']);
  expect((await api.call('GET', list)).json['items']).toMatchObject([
    { repository_id: repositoryId, id: repositoryId },
    {},
  ]);
  expect((await api.call('POST', repositories, { body: chosen })).status).toBe(409);
  expect((await api.call('GET', `${repositories}/${repositoryId}/branches`)).json['items']).toMatchObject([
    { name: 'main', is_default: true },
  ]);
  const one = `${repositories}/${repositoryId}`;
  expect((await api.call('PATCH', one, { body: { default_branch: 'none' } })).status).toBe(400);
  // Without its connection the repository stays, and can be given another one.
  expect(errorOf(await api.call('DELETE', `${connections}/${id}`))[1]).toBe('connection_in_use');
  expect((await api.call('DELETE', `${connections}/${id}?force=true`)).status).toBe(204);
  expect((await api.call('GET', one)).json['clone_url']).toBe('');
  const next = await made();
  expect((await api.call('PATCH', one, { body: { connection_id: next } })).json['connection_id']).toBe(next);
});

test('a deleted repository does not keep a connection in use', async () => {
  const id = await made();
  const body = { provider: 'gitlab', repo: 'acme/site', connection_id: id };
  const { json } = await api.call('POST', repositories, { body });
  expect(errorOf(await api.call('DELETE', `${connections}/${id}`))[1]).toBe('connection_in_use');
  expect((await api.call('DELETE', `${repositories}/${String(json['id'])}`)).status).toBe(204);
  expect((await api.call('DELETE', `${connections}/${id}`)).status).toBe(204);
});

test('the webhook secret is answered once, sealed in the database', async () => {
  const id = await made();
  const rotated = await api.call('POST', `${connections}/${id}/rotate-webhook-secret`, { body: {} });
  expect([rotated.status, String(rotated.json['webhook_secret']).length]).toEqual([200, 43]);
  expect((await api.call('GET', `${connections}/${id}`)).text).not.toContain(String(rotated.json['webhook_secret']));
});
