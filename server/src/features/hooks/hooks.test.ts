import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGithubFake, type GithubFake } from '../../../test/hosts/github/fake.ts';
import { startFakeGitlab, type FakeGitlab } from '../../../test/hosts/gitlab/server.ts';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { startConnections } from '../git-connections/hook-service.ts';
import { startDeliveries } from './jobs.ts';

const org = '/v3/organizations/default';

let api: TestApi;
let github: GithubFake;
let gitlab: FakeGitlab;
beforeAll(async () => {
  const environment = { GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' };
  [api, github, gitlab] = await Promise.all([startTestApi(environment), startGithubFake(), startFakeGitlab()]);
  await Promise.all([github.create('acme/app'), gitlab.addProject('acme/tools/app')]);
  startConnections(api.ctx);
  startDeliveries(api.ctx);
});
afterAll(async () => {
  expect([github.problems, gitlab.mistakes]).toEqual([[], []]);
  await api.close();
  await github.close();
  await gitlab.close();
});

interface Hook {
  id: string;
  path: string;
  secret: string;
  repositoryId: string;
}

async function connect(provider: 'github' | 'gitlab', repo: string): Promise<Hook> {
  const token =
    provider === 'github' ? github.grants.add({ login: 'ada', scopes: ['repo'] }) : gitlab.addToken({ role: 40 }).token;
  const host = provider === 'github' ? github.url : gitlab.url;
  const made = await api.call('POST', `${org}/git-connections`, { body: { provider, host, token } });
  expect(made.status, made.text).toBe(201);
  const id = String(made.json['id']);
  const { pathname: path } = new URL(String(made.json['webhook_url']));
  const rotated = await api.call('POST', `${org}/git-connections/${id}/rotate-webhook-secret`, { body: {} });
  const body = { provider, repo, connection_id: id };
  const repository = await api.call('POST', `${org}/repositories`, { body });
  return { id, path, secret: String(rotated.json['webhook_secret']), repositoryId: String(repository.json['id']) };
}

/** Sends a delivery as GitHub does. */
function deliver(
  { path, secret }: Pick<Hook, 'path' | 'secret'>,
  event: string,
  payload: unknown,
  id: string = crypto.randomUUID(),
): Promise<Answer> {
  const raw = JSON.stringify(payload);
  const signature = createHmac('sha256', secret).update(raw).digest('hex');
  const signed = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-delivery': id, 'x-github-event': event };
  return api.call('POST', path, { key: '', raw, headers: signed });
}

const sha = (digit: string): string => digit.repeat(40);
const push = (repo: string, after = sha('b'), more: object = {}) => ({
  repository: { full_name: repo },
  ref: 'refs/heads/main',
  before: sha('a'),
  after,
  ...more,
});

async function received(repositoryId: string): Promise<Record<string, unknown>[]> {
  const { rows } = await api.ctx.db.pool.query<{ data: Record<string, unknown> }>(
    "select data from outbox_events where type = 'delivery.received' and resource_id = $1 order by seq",
    [repositoryId],
  );
  return rows.map(({ data }) => data);
}

async function states(hook: Hook): Promise<string[]> {
  const { rows } = await api.ctx.db.pool.query<{ state: string }>(
    'select state from deliveries where connection_id = $1 order by id',
    [hook.id],
  );
  return rows.map(({ state }) => state);
}

let hook: Hook;
test('a signed delivery is stored, read once, and published', async () => {
  hook = await connect('github', 'acme/app');
  const first = await deliver(hook, 'push', push('acme/app'), 'one');
  expect([first.status, first.json]).toEqual([202, { accepted: true, duplicate: false, run_id: '', reason: '' }]);
  const again = await Promise.all(Array.from({ length: 10 }, () => deliver(hook, 'push', push('acme/app'), 'one')));
  expect(again.map(({ status, json }) => [status, json['duplicate']])).toEqual(again.map(() => [202, true]));
  await expect.poll(() => received(hook.repositoryId), { timeout: 20_000 }).toHaveLength(1);
  expect(await received(hook.repositoryId)).toEqual([
    { type: 'push', number: null, head_sha: sha('b'), before: sha('a'), ref: 'refs/heads/main', action: '', on: '' },
  ]);
  expect(await states(hook)).toEqual(['processed']);
  for await (const { key } of api.ctx.blobs.list('deliveries/')) expect(key).toBe('');
  const shown = await api.call('GET', `${org}/git-connections/${hook.id}`);
  expect(shown.json['last_delivery_at']).toMatch(/^\d{4}-/);
});

test('a forged delivery is refused without a trace', async () => {
  const before = await states(hook);
  const forged = await deliver({ ...hook, secret: 'guessed' }, 'push', push('acme/app'));
  expect([forged.status, forged.json['error']]).toEqual([401, 'unauthorized']);
  const unsigned = await api.call('POST', hook.path, { key: '', body: push('acme/app') });
  expect(unsigned.status).toBe(401);
  const unknown = await deliver({ ...hook, path: `${hook.path.slice(0, -4)}0000` }, 'push', push('acme/app'));
  expect([unknown.status, unknown.json['error']]).toEqual([404, 'hook_not_found']);
  expect(await states(hook)).toEqual(before);
});

test('a repository of another organization is not reached', async () => {
  const other = await api.createOrganization('Other');
  const made = await api.call('POST', `/v3/organizations/${other.slug}/git-connections`, {
    key: other.key,
    body: { provider: 'github', host: github.url, token: github.grants.add({ login: 'eve', scopes: ['repo'] }) },
  });
  const { pathname: path } = new URL(String(made.json['webhook_url']));
  const rotate = `/v3/organizations/${other.slug}/git-connections/${String(made.json['id'])}/rotate-webhook-secret`;
  const rotated = await api.call('POST', rotate, { key: other.key, body: {} });
  const theirs = { ...hook, id: String(made.json['id']), path, secret: String(rotated.json['webhook_secret']) };
  const before = await received(hook.repositoryId);
  expect((await deliver(theirs, 'push', push('acme/app'))).status).toBe(202);
  await expect.poll(() => states(theirs), { timeout: 20_000 }).toEqual(['processed']);
  expect(await received(hook.repositoryId)).toEqual(before);
});

test('a delivery that cannot be read is left, and the next one is read', async () => {
  const count = (await received(hook.repositoryId)).length;
  expect((await deliver(hook, 'push', { ref: 7 })).status).toBe(202);
  expect((await deliver(hook, 'issues', { ...push('acme/app'), action: 'opened', issue: { number: 7 } })).status).toBe(
    202,
  );
  await expect.poll(() => received(hook.repositoryId), { timeout: 20_000 }).toHaveLength(count + 1);
  expect((await received(hook.repositoryId)).at(-1)).toMatchObject({ type: 'issue', number: 7, action: 'opened' });
  await expect.poll(() => states(hook), { timeout: 20_000 }).toContain('failed');
});

test('after a rotation the secret before is valid for the overlap', async () => {
  const rotate = (seconds: number) =>
    api.call('POST', `${org}/git-connections/${hook.id}/rotate-webhook-secret`, { body: { overlap_seconds: seconds } });
  const second = String((await rotate(60)).json['webhook_secret']);
  for (const secret of [hook.secret, second])
    expect((await deliver({ ...hook, secret }, 'ping', { secret })).status).toBe(202);
  const third = String((await rotate(0)).json['webhook_secret']);
  expect((await deliver({ ...hook, secret: second }, 'ping', {})).status).toBe(401);
  hook = { ...hook, secret: third };
  expect((await deliver(hook, 'ping', {})).status).toBe(202);
});

test('25 MB are accepted, and more is refused before it is read', async () => {
  const filler = 'x'.repeat(25_000_000);
  expect((await deliver(hook, 'push', push('acme/app', sha('c'), { filler }))).status).toBe(202);
  await expect
    .poll(async () => (await received(hook.repositoryId)).at(-1)?.['head_sha'], { timeout: 30_000 })
    .toBe(sha('c'));
  const status = await new Promise<number>((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': 'sha256=00' };
    const sent = request(`${api.url}${hook.path}`, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
    sent.on('error', reject);
    const chunk = Buffer.alloc(1_048_576, ' ');
    const more = (left: number): void => {
      if (left > 0 && !sent.destroyed) sent.write(chunk, () => more(left - 1));
    };
    more(40);
  });
  expect(status).toBe(413);
});

test('a rename at the host is followed', async () => {
  github.rename('acme/app', 'acme/renamed');
  const payload = {
    action: 'renamed',
    changes: { repository: { name: { from: 'app' } } },
    repository: { full_name: 'acme/renamed', name: 'renamed', owner: { login: 'acme' } },
  };
  expect((await deliver(hook, 'repository', payload)).status).toBe(202);
  const name = async () => (await api.call('GET', `${org}/repositories/${hook.repositoryId}`)).json['repo'];
  await expect.poll(name, { timeout: 20_000 }).toBe('acme/renamed');
  // A rename that the host does not confirm.
  const forged = { ...payload, changes: { repository: { name: { from: 'renamed' } } } };
  forged.repository = { ...payload.repository, full_name: 'acme/none', name: 'none' };
  const count = (await states(hook)).length;
  await deliver(hook, 'repository', forged);
  await expect.poll(async () => (await states(hook))[count], { timeout: 20_000 }).toBe('processed');
  expect(await name()).toBe('acme/renamed');
});

test('webhooks are created at GitHub and GitLab, and a problem says what to do', async () => {
  const there = await connect('gitlab', 'acme/tools/app');
  const project = [...gitlab.projects.values()].find(({ path }) => path === 'acme/tools/app');
  await expect.poll(() => project?.hooks, { timeout: 20_000 }).toMatchObject([{ url: `${api.url}${there.path}` }]);
  const token = String(project?.hooks[0]?.token);
  const body = JSON.stringify({
    object_kind: 'merge_request',
    project: { path_with_namespace: 'acme/tools/app' },
    object_attributes: { iid: 3, action: 'open' },
  });
  const send = (given: string) =>
    api.call('POST', there.path, { key: '', raw: body, headers: { 'x-gitlab-token': given } });
  expect((await send('wrong')).status).toBe(401);
  expect((await send(token)).json).toMatchObject({ accepted: true, duplicate: false });
  // Without an id of the host, the body tells a repetition.
  expect((await send(token)).json).toMatchObject({ accepted: true, duplicate: true });
  await expect.poll(() => received(there.repositoryId), { timeout: 20_000 }).toMatchObject([{ number: 3 }]);
  const hooks = () => github.repository('acme/renamed').hooks;
  await expect.poll(hooks, { timeout: 20_000 }).toMatchObject([{ config: { url: `${api.url}${hook.path}` } }]);
  for (const one of gitlab.tokens.values()) one.role = 30;
  await api.call('POST', `${org}/git-connections/${there.id}/verify`, { body: {} });
  await expect
    .poll(async () => (await api.call('GET', `${org}/git-connections/${there.id}`)).json['webhook_problem'], {
      timeout: 20_000,
    })
    .toContain('Maintainer');
});
