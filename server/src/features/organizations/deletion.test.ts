import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { claimableSessions } from '../../../test/support/claimable.ts';
import { openStream } from '../../../test/support/event-stream.ts';
import { createGitUser, withKey } from '../../../test/support/git.ts';
import type { Scope } from '../../lib/scopes.ts';
import { claim } from '../sessions/run/run-service.ts';
import { sessionsRun } from '../sessions/run/worker-service.ts';
import { deleteOrganization, restorableMs, restoreOrganization, suspendOrganization } from './deletion-service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

let slug: string;
let key: string;
let path: string;
let id: string;
beforeEach(async () => {
  ({ id, slug, key } = await api.createOrganization('Going'));
  path = `/v3/organizations/${slug}`;
});

function call(method: string, tail: string, body?: object): Promise<Answer> {
  return api.call(method, `${path}${tail}`, body === undefined ? { key } : { key, body });
}

const codeOf = ({ status, json }: Answer): unknown[] => [status, json['error']];

describe('deleting one', () => {
  test('needs its slug as confirmation, and answers it in its new state', async () => {
    for (const query of ['', '?confirm=', '?confirm=default', `?confirm=${slug.toUpperCase()}`, `?confirm=${slug}&x=1`])
      expect([query, ...codeOf(await call('DELETE', query))]).toEqual([query, 400, 'invalid_request']);
    const before = (await call('GET', '')).json;
    const { status, json } = await call('DELETE', `?confirm=${slug}`);
    expect([status, Object.keys(json)]).toEqual([202, ['id', 'slug', 'name', 'state', 'created_at', 'updated_at']]);
    expect(json).toEqual({ ...before, state: 'deleting', updated_at: json['updated_at'] });
  });

  test('takes org:write, and another organization’s is none', async () => {
    const self = (await api.call('POST', '/v3/self/keys', { key, body: { name: 'r', scopes: ['org:read'] } })).json;
    const refused = await api.call('DELETE', `${path}?confirm=${slug}`, { key: String(self['key']) });
    expect(codeOf(refused)).toEqual([403, 'forbidden']);
    const restored = await api.call('POST', `${path}/restore`, { key: String(self['key']), body: {} });
    expect(codeOf(restored)).toEqual([403, 'forbidden']);
    expect(codeOf(await api.call('DELETE', `${path}?confirm=${slug}`))).toEqual([404, 'organization_not_found']);
    expect(codeOf(await api.call('POST', `${path}/restore`, { body: {} }))).toEqual([404, 'organization_not_found']);
  });

  test('is refused while a session waits for a worker or one holds it, and not after', async () => {
    const session = (await call('POST', '/sessions', { prompt: 'x', repositories: [] })).json;
    expect(codeOf(await call('DELETE', `?confirm=${slug}`))).toEqual([409, 'organization_busy']);
    await claim(api.ctx, String(session['id']), 'worker-1');
    expect(codeOf(await call('DELETE', `?confirm=${slug}`))).toEqual([409, 'organization_busy']);
    await call('POST', `/sessions/${String(session['id'])}/cancel`, {});
    expect((await call('DELETE', `?confirm=${slug}`)).status).toBe(202);
  });

  test('and beginning sessions at once leaves either no deletion or no session', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => call('POST', '/sessions', { prompt: 'x', repositories: [] })),
      call('DELETE', `?confirm=${slug}`),
      ...Array.from({ length: 6 }, () => call('POST', '/sessions', { prompt: 'x', repositories: [] })),
    ]);
    const { rows } = await api.ctx.db.pool.query<{ n: number }>(
      'select count(*)::int as n from sessions where org_id = $1',
      [id],
    );
    const isDeleted = answers[6]?.status === 202;
    expect(rows[0]?.n).toBe(answers.filter(({ status }) => status === 201).length);
    expect(isDeleted ? rows[0]?.n : 0).toBe(0);
  });
});

describe('while it is deleted', () => {
  beforeEach(async () => {
    expect((await call('DELETE', `?confirm=${slug}`)).status).toBe(202);
  });

  test('everything is read, nothing is changed or started', async () => {
    for (const tail of ['', '/members', '/sessions', '/settings', '/audit-logs', '/audit-logs/export', '/repositories'])
      expect([tail, (await call('GET', tail)).status]).toEqual([tail, 200]);
    expect((await api.call('GET', '/v3/self', { key })).status).toBe(200);
    const changes: [string, string, object][] = [
      ['PATCH', '', { name: 'x' }],
      ['POST', '/sessions', { prompt: 'x' }],
      ['POST', '/service-users', { name: 'x' }],
      ['PUT', '/ip-access-list', { enabled: false, entries: [] }],
      ['POST', '/repositories', { provider: 'local', repo: 'a/b' }],
    ];
    for (const [method, tail, body] of changes)
      expect([tail, ...codeOf(await call(method, tail, body))]).toEqual([tail, 409, 'organization_deleting']);
    expect(codeOf(await call('DELETE', `?confirm=${slug}`))).toEqual([409, 'organization_deleting']);
    const agent = await api.call('POST', '/agents', { key, body: { name: 'x' } });
    expect(codeOf(agent)).toEqual([409, 'organization_deleting']);
    const wrong = await call('POST', '/service-users', { name: 7 });
    expect(codeOf(wrong)).toEqual([400, 'invalid_request']);
  });

  test('its owner can still make another organization', async () => {
    expect((await api.call('POST', '/v3/organizations', { key, body: { name: 'Next' } })).status).toBe(201);
  });

  test('it is restored as it was, and is on record as deleted and restored', async () => {
    const { status, json } = await call('POST', '/restore', {});
    expect([status, json['state'], json['slug']]).toEqual([200, 'active', slug]);
    expect((await call('POST', '/service-users', { name: 'x' })).status).toBe(201);
    const { items } = (await call('GET', '/audit-logs?resource_type=organization&order=asc')).json;
    const actions = Array.isArray(items) ? items.map(({ action }) => action) : [];
    expect(actions).toEqual(['organization.create', 'organization.delete', 'organization.restore']);
    expect(codeOf(await call('POST', '/restore', {}))).toEqual([409, 'conflict']);
  });
});

test('it can be restored for 30 days, to the millisecond', async () => {
  const user = (await api.call('GET', '/v3/self', { key })).json;
  const organization = { id, slug, name: 'Going', state: 'active' as const };
  const caller = {
    organization,
    principal: { type: 'user' as const, id: String(user['principal_id']), name: '', email: '' },
    scopes: new Set<Scope>(),
    permission: 'admin' as const,
    role: 'regular' as const,
    credential: undefined,
    request: undefined,
  };
  const at = (ms: number) => ({ db: api.ctx.db, clock: { now: () => new Date(ms) } });
  const deleted = Date.now();
  await deleteOrganization(at(deleted), caller, slug, sessionsRun);
  await expect(restoreOrganization(at(deleted + restorableMs), caller)).rejects.toMatchObject({ code: 'conflict' });
  expect((await restoreOrganization(at(deleted + restorableMs - 1), caller)).state).toBe('active');
});

describe('git', () => {
  test('clones from an organization that is deleted, and pushes nothing to it', async () => {
    const repository = (await call('POST', '/repositories', { provider: 'local', repo: 'acme/kept' })).json;
    const url = withKey(String(repository['clone_url']), key);
    const ada = await createGitUser();
    try {
      const work = await ada.start({ 'a.txt': 'one\n' });
      await ada.git(work, 'push', '-q', url, 'HEAD:refs/heads/main');
      await call('DELETE', `?confirm=${slug}`);
      expect(await ada.git(work, 'ls-remote', url, 'main')).toContain('refs/heads/main');
      await expect(ada.git(work, 'push', '-q', url, 'HEAD:refs/heads/other')).rejects.toThrow('409');
    } finally {
      await ada.close();
    }
  });
});

describe('a suspended one', () => {
  beforeEach(() => suspendOrganization(api.ctx, slug, true));

  test('says who it is and refuses everything else, until the operator resumes it', async () => {
    expect((await api.call('GET', '/v3/self', { key })).status).toBe(200);
    expect((await call('GET', '')).json).toMatchObject({ state: 'suspended' });
    for (const [method, tail] of [
      ['GET', '/sessions'],
      ['GET', '/audit-logs'],
      ['POST', '/sessions'],
      ['POST', '/restore'],
      ['DELETE', `?confirm=${slug}`],
    ] as const) {
      const answer = await call(method, tail, method === 'POST' ? { prompt: 'x' } : undefined);
      expect([method, tail, ...codeOf(answer)]).toEqual([method, tail, 403, 'forbidden']);
      expect(answer.json['message']).toContain('suspended');
    }
    await suspendOrganization(api.ctx, id, false);
    expect((await call('GET', '/sessions')).status).toBe(200);
    // Refusals are audited a moment later, between or after the changes.
    const query = new URLSearchParams({ action: 'organization.resume,organization.suspend' });
    const { items } = (await call('GET', `/audit-logs?${query.toString()}`)).json;
    expect(items).toMatchObject([{ action: 'organization.resume' }, { action: 'organization.suspend' }]);
  });
});

test('what streams to somebody ends when the operator suspends the organization', async () => {
  const session = String((await call('POST', '/sessions', { prompt: 'x', repositories: [] })).json['id']);
  const stream = await openStream(api, `${path}/sessions/${session}/events/stream`, { key });
  await stream.reaches(2);
  await suspendOrganization(api.ctx, slug, true);
  await stream.ended;
});

test('no worker takes a session of an organization that is suspended', async () => {
  const session = String((await call('POST', '/sessions', { prompt: 'x', repositories: [] })).json['id']);
  await suspendOrganization(api.ctx, slug, true);
  expect(await claim(api.ctx, session, 'worker-1')).toBeUndefined();
  expect(await claimableSessions(api.ctx)).not.toContain(session);
  await suspendOrganization(api.ctx, slug, false);
  expect(await claimableSessions(api.ctx)).toContain(session);
  expect(await claim(api.ctx, session, 'worker-1')).toBeDefined();
  await expect(suspendOrganization(api.ctx, 'nobody', true)).rejects.toMatchObject({ code: 'organization_not_found' });
});
