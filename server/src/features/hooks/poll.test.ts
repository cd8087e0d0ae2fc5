import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeGitlab, type FakeGitlab } from '../../../test/hosts/gitlab/server.ts';
import type { FakeProject } from '../../../test/hosts/gitlab/state.ts';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { createGitUser, type GitUser } from '../../../test/support/git.ts';
import { startAutomationEvents } from '../automations/event-service.ts';
import { startAutomationHosts } from '../automations/host-service.ts';
import { startConnections } from '../git-connections/hook-service.ts';
import { startRefreshing } from '../repositories/host-consumer.ts';
import { startReviews } from '../reviews/jobs.ts';
import { startDeliveries } from './jobs.ts';
import { pollHosts } from './poll-service.ts';

const org = '/v3/organizations/default';
const within = { timeout: 60_000, interval: 250 };

let api: TestApi;
let gitlab: FakeGitlab;
let ada: GitUser;
let project: FakeProject;
let work = '';
let remote = '';
beforeAll(async () => {
  [api, gitlab, ada] = await Promise.all([
    startTestApi({ GUILDHALL_EGRESS_ALLOW: 'git=127.0.0.1/32' }),
    startFakeGitlab(),
    createGitUser(),
  ]);
  project = await gitlab.addProject('acme/app');
  work = await ada.start({ 'a.txt': 'one\n' });
  remote = `${gitlab.url.replace('//', `//oauth2:${gitlab.addToken().token}@`)}/acme/app.git`;
  await ada.git(work, 'push', '-q', remote, 'main');
  startConnections(api.ctx);
  startDeliveries(api.ctx);
  startAutomationHosts(api.ctx);
  startAutomationEvents(api.ctx);
  startRefreshing(api.ctx);
  startReviews(api.ctx);
});
afterAll(async () => {
  expect(gitlab.mistakes).toEqual([]);
  await api.close();
  await gitlab.close();
  await ada.close();
});

async function push(content: string): Promise<string> {
  const head = await ada.commit(work, { 'a.txt': content }, content);
  await ada.git(work, 'push', '-q', remote, 'main');
  return head;
}

/** Makes all repositories due, and asks. */
async function poll(): Promise<void> {
  await api.ctx.db.pool.query("update repository_polls set asked_at = now() - interval '1 day'");
  await pollHosts(api.ctx, new AbortController().signal);
}

async function automationOn(type: string): Promise<() => Promise<Record<string, unknown>[]>> {
  const body = {
    name: type,
    executor: 'external',
    concurrency: 'parallel',
    triggers: [{ type }],
    action: { prompt_template: 'Look.' },
  };
  const { json } = await api.call('POST', `${org}/automations`, { body });
  return async () => {
    const { rows } = await api.ctx.db.pool.query<{ payload: Record<string, unknown> }>(
      'select payload from automation_runs where automation_id = $1 order by id',
      [json['id']],
    );
    return rows.map(({ payload }) => payload);
  };
}

let repositoryId = '';
let path = '';
test('a push that a webhook lost is found by asking, and starts one run also if it arrives later', async () => {
  const token = gitlab.addToken({ role: 40 }).token;
  const made = await api.call('POST', `${org}/git-connections`, {
    body: { provider: 'gitlab', host: gitlab.url, token },
  });
  ({ pathname: path } = new URL(String(made.json['webhook_url'])));
  const connected = await api.call('POST', `${org}/repositories`, { body: { provider: 'gitlab', repo: 'acme/app' } });
  repositoryId = String(connected.json['id']);
  await expect.poll(() => project.hooks.length, within).toBe(1);
  const runs = await automationOn('push');
  await poll();
  const before = await ada.git(work, 'rev-parse', 'main');
  const after = await push('two');
  await poll();
  const pushed = { provider: 'gitlab', repo: 'acme/app', branch: 'main', before: before.trim(), after };
  await expect.poll(runs, within).toMatchObject([pushed]);
  const late = { object_kind: 'push', project: { path_with_namespace: 'acme/app' }, ref: 'refs/heads/main' };
  await deliver({ ...late, before: before.trim(), after });
  const next = await push('three');
  await deliver({ ...late, before: after, after: next });
  await poll();
  await expect.poll(runs, within).toMatchObject([pushed, { before: after, after: next }]);
});

async function deliver(payload: object): Promise<void> {
  const headers = { 'x-gitlab-token': String(project.hooks[0]?.token), 'idempotency-key': crypto.randomUUID() };
  const { status } = await api.call('POST', path, { key: '', raw: JSON.stringify(payload), headers });
  expect(status).toBe(202);
}

/** Opens a change request of the branch `topic`, as a person does at the host. */
async function openTopic(id: string) {
  const source = api.ctx.sourceControl.of('gitlab');
  const { rows } = await api.ctx.db.pool.query<{ org_id: string; connection_id: string; repo: string }>(
    'select org_id, connection_id, repo from repositories where id = $1',
    [id],
  );
  const { org_id: orgId = '', connection_id: connectionId = '', repo = '' } = rows[0] ?? {};
  const ref = { orgId, connectionId, id, repo };
  const headSha = (await source.branchHead(ref, 'topic')) ?? '';
  const content = { title: 'Topic', body: '', draft: false, headRef: 'topic', headSha, baseRef: 'main' };
  const { changeRequest } = await source.openChangeRequest(ref, content);
  return { source, ref, number: changeRequest.number };
}

test("a person's change request starts a run for each change, however often it is announced", async () => {
  const runs = await automationOn('change_request');
  await ada.git(work, 'checkout', '-q', '-b', 'topic');
  await ada.commit(work, { 'b.txt': 'b\n' }, 'topic');
  await ada.git(work, 'push', '-q', remote, 'topic');
  const { source, ref, number } = await openTopic(repositoryId);
  const event = {
    object_kind: 'merge_request',
    project: { path_with_namespace: 'acme/app' },
    object_attributes: { iid: number, action: 'open' },
  };
  for (let round = 0; round < 3; round += 1) await deliver(event);
  await expect.poll(runs, within).toMatchObject([{ number, action: 'opened', head_ref: 'topic' }]);
  await source.closeChangeRequest(ref, number);
  await deliver(event);
  await expect.poll(runs, within).toMatchObject([{ action: 'opened' }, { action: 'closed' }]);
});

test('the settings of reviews hold for repositories without a policy: a change request is found and reviewed', async () => {
  const { slug, key } = await api.createOrganization('Reviewed');
  const call = async (method: 'GET' | 'POST' | 'PUT', place: string, body?: object) =>
    (await api.call(method, `/v3/organizations/${slug}${place}`, { key, ...(body && { body }) })).json;
  await gitlab.addProject('acme/reviewed');
  const host = remote.replace('/acme/app.git', '/acme/reviewed.git');
  await ada.git(work, 'push', '-q', host, 'main', 'topic');
  const { token } = gitlab.addToken({ role: 40 });
  await call('POST', '/git-connections', { provider: 'gitlab', host: gitlab.url, token });
  const made = await call('POST', '/repositories', { provider: 'gitlab', repo: 'acme/reviewed' });
  const id = String(made['id']);
  const polls = async () =>
    (await api.ctx.db.pool.query('select from repository_polls where repository_id = $1', [id])).rowCount;
  await poll();
  expect(await polls()).toBe(0);
  await call('PUT', '/settings/reviews', { mode: 'once' });
  await openTopic(id);
  await poll();
  expect(await polls()).toBe(1);
  const open = async () => (await call('GET', `/repositories/${id}/change-requests`))['items'];
  await expect.poll(open, within).toMatchObject([{ title: 'Topic', head_ref: 'topic', state: 'open' }]);
  const reviews = async () => (await call('GET', '/reviews'))['items'];
  await expect.poll(reviews, within).toMatchObject([{ trigger: 'policy', number: 1 }]);
});

test('a host that fails delays nothing but its own repositories, and is asked again later', async () => {
  gitlab.fail('GET', '/projects/', { status: 429, headers: { 'retry-after': '60' } }, 20);
  await push('four');
  await poll();
  const state = await api.ctx.db.pool.query<{ failures: number; problem: string; heads: object }>(
    'select failures, problem, heads from repository_polls where repository_id = $1',
    [repositoryId],
  );
  expect(state.rows).toMatchObject([
    { failures: 1, problem: expect.stringContaining('limits the number of requests') },
  ]);
});
