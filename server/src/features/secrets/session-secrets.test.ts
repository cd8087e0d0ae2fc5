import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { checkpoint, start, take } from '../../../test/support/session-states.ts';
import type { Actor } from '../../caller.ts';
import { finish } from '../sessions/run/run-service.ts';
import { lockSession } from '../sessions/store/session-store.ts';
import { prepareSessionSecrets } from './session-input.ts';
import { requireSteering, secretsForSession } from './public.ts';

const organization = '/v3/organizations/default';
const canary = 'canary-of-the-session-4410';

let api: TestApi;
let orgId: string;
let ada: { id: string; key: string };
let bob: { id: string; key: string };
let count = 0;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', organization)).json['id']);
  for (const repo of ['acme/web', 'acme/api'])
    await api.call('POST', `${organization}/repositories`, { body: { provider: 'local', repo } });
  ada = await person('ada@example.com');
  bob = await person('bob@example.com');
});
afterAll(() => api.close());

async function person(email: string): Promise<{ id: string; key: string }> {
  const id = await join(api, orgId, 'member', email);
  return { id, key: await personalKey(api, orgId, id) };
}

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

async function secret(body: Record<string, unknown>, key = ada.key): Promise<string> {
  const { status, json, text } = await api.call('POST', `${organization}/secrets`, { key, body });
  if (status !== 201) throw new Error(text);
  return String(json['id']);
}

function ask(body: object, key = ada.key): Promise<Answer> {
  return api.call('POST', `${organization}/sessions`, { key, body: { prompt: 'work', ...body } });
}

async function session(body: object = {}, key = ada.key): Promise<string> {
  const { status, json, text } = await ask(body, key);
  if (status !== 201) throw new Error(text);
  return String(json['id']);
}

/** Returns the secrets in the agent's sandbox, or in that of checks, by key. */
async function given(id: string, room: 'agent' | 'checks' = 'agent'): Promise<Record<string, string>> {
  const secrets = await secretsForSession(api.ctx, { id, orgId });
  const there = secrets.filter(({ sandboxes }) => sandboxes === 'all' || sandboxes === room);
  return Object.fromEntries(there.map(({ key, value }) => [key, value]));
}

function fresh(): string {
  return `FRESH_${(count += 1)}`;
}

describe('what a session gets', () => {
  test('all that apply: of the organization, of its repositories, of its creator; the nearest for each key', async () => {
    const key = fresh();
    await secret({ key, value: 'of-the-organization' });
    const id = await session({ repositories: [{ repo: 'acme/web' }, { repo: 'acme/api' }] });
    expect((await given(id))[key]).toBe('of-the-organization');
    await secret({ key, value: 'of-the-second', scope: 'repository', repo: 'acme/api' });
    expect((await given(id))[key]).toBe('of-the-second');
    await secret({ key, value: 'of-the-first', scope: 'repository', repo: 'acme/web' });
    expect((await given(id))[key]).toBe('of-the-first');
    await secret({ key, value: 'of-bob', scope: 'user' }, bob.key);
    expect((await given(id))[key]).toBe('of-the-first');
    await secret({ key, value: 'of-ada', scope: 'user' });
    expect((await given(id))[key]).toBe('of-ada');
    expect((await given(id, 'checks'))[key]).toBe('of-the-first');
    const other = await session({}, bob.key);
    expect((await given(other))[key]).toBe('of-bob');
    const machine = await session({}, await api.keyWith(['run']));
    expect((await given(machine))[key]).toBe('of-the-organization');
  });

  test('with everything that a sandbox or the gateway has to know', async () => {
    const traits = { kind: 'git_credential', exposure: 'broker', allowed_hosts: ['git.example.com'] };
    const key = fresh();
    const secretId = await secret({ key, value: 'u:p', ...traits });
    const id = await session({ secret_ids: [secretId] });
    expect(await secretsForSession(api.ctx, { id, orgId })).toEqual([
      {
        id: secretId,
        key,
        kind: 'git_credential',
        scope: 'organization',
        exposure: 'broker',
        allowedHosts: ['git.example.com'],
        version: 1,
        sandboxes: 'all',
        isOfOthers: false,
        value: 'u:p',
      },
    ]);
  });

  test('those that are chosen, or none', async () => {
    const [one, other] = [fresh(), fresh()];
    const id = await secret({ key: one, value: 'v' });
    await secret({ key: other, value: 'v' });
    expect(await given(await session({ secret_ids: [id] }))).toEqual({ [one]: 'v' });
    expect(await given(await session({ secret_ids: [] }))).toEqual({});
    expect(await given(await session({ secret_ids: null }))).toMatchObject({ [one]: 'v', [other]: 'v' });
  });

  test('in the version that holds when a turn starts, each use on record once', async () => {
    const key = fresh();
    const secretId = await secret({ key, value: 'first' });
    const [id, later] = [await session({ secret_ids: [secretId] }), await session({ secret_ids: [secretId] })];
    expect([await given(id), await given(id)]).toEqual([{ [key]: 'first' }, { [key]: 'first' }]);
    await api.call('PUT', `${organization}/secrets/${secretId}`, { key: ada.key, body: { value: 'second' } });
    expect([await given(id), await given(later)]).toEqual([{ [key]: 'second' }, { [key]: 'second' }]);
    const usage = await api.call('GET', `${organization}/secrets/${secretId}/usage`);
    const uses = [
      { session_id: later, version: 2 },
      { session_id: id, version: 2 },
      { session_id: id, version: 1 },
    ].map((use) => ({ ...use, used_at: expect.stringMatching(/Z$/) }));
    expect(usage.json).toEqual({ items: uses, end_cursor: expect.any(String), has_next_page: false, total: 3 });
    const page = await api.call('GET', `${organization}/secrets/${secretId}/usage?first=2`);
    const after = String(page.json['end_cursor']);
    const rest = await api.call('GET', `${organization}/secrets/${secretId}/usage?first=2&after=${after}`);
    expect(rest.json['items']).toEqual(uses.slice(2));
    const shown = Object((await api.call('GET', `${organization}/secrets`)).json['items']);
    expect(shown.find((one: { id: string }) => one.id === secretId).last_used_at).toEqual(expect.any(String));
  });

  test('not a deleted one, and not one that was sealed for another', async () => {
    const [key, gone] = [fresh(), fresh()];
    const [kept, deleted] = [await secret({ key, value: 'v' }), await secret({ key: gone, value: 'w' })];
    const id = await session({ secret_ids: [kept, deleted] });
    await api.call('DELETE', `${organization}/secrets/${deleted}`, { key: ada.key });
    expect(await given(id)).toEqual({ [key]: 'v' });
    const other = await secret({ key: fresh(), value: 'x' });
    await api.ctx.db.pool.query(
      'update secrets set sealed = (select sealed from secrets where id = $1) where id = $2',
      [other, kept],
    );
    await expect(given(id)).rejects.toThrow('Cannot decrypt');
    await api.ctx.db.pool.query('delete from secrets where id = $1', [kept]);
  });
});

describe('creating a session', () => {
  test('with a secret that is not there, or is another person’s, is 404', async () => {
    const [mine, theirs] = [fresh(), fresh()];
    await secret({ key: mine, value: 'v' });
    const bobs = await secret({ key: theirs, value: 'v', scope: 'user' }, bob.key);
    for (const id of ['sec_none', bobs])
      expect(errorOf(await ask({ secret_ids: [id] }))).toEqual([404, 'secret_not_found']);
  });

  test('with a secret of a repository that is none of its own is 400', async () => {
    const id = await secret({ key: fresh(), value: 'v', scope: 'repository', repo: 'acme/api' });
    const answer = await ask({ secret_ids: [id], repositories: [{ repo: 'acme/web' }] });
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toContain('acme/api');
    expect((await ask({ secret_ids: [id], repositories: [{ repo: 'acme/api' }] })).status).toBe(201);
  });

  test('with more than 128 KiB of secrets is 400', async () => {
    const own = (n: number, last: number) =>
      Array.from({ length: n }, (_, at) => ({ key: `K${at}`, value: 'x'.repeat(at === n - 1 ? last : 16_384) }));
    expect((await ask({ secret_ids: [], session_secrets: own(8, 16_384) })).status).toBe(201);
    const answer = await ask({ secret_ids: [], session_secrets: own(9, 1) });
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toContain('secret_ids');
    const big = await Promise.all(
      Array.from({ length: 8 }, () => secret({ key: fresh(), value: 'x'.repeat(16_384) }, bob.key)),
    );
    expect(errorOf(await ask({ secret_ids: big, session_secrets: own(1, 1) }))).toEqual([400, 'invalid_request']);
    const fits = await session({ secret_ids: big });
    expect(Object.keys(await given(fits))).toHaveLength(8);
    for (const id of big) await api.call('DELETE', `${organization}/secrets/${id}`, { key: bob.key });
  });

  test.each<[string, object, string]>([
    ['a reserved name', { key: 'LD_PRELOAD', value: canary }, 'LD_PRELOAD'],
    ['no name', { key: 'A B', value: canary }, 'body.session_secrets.0.key'],
    ['no value', { key: 'A' }, 'body.session_secrets.0.value'],
    ['an empty value', { key: 'A', value: '' }, 'body.session_secrets.0.value'],
    ['a value that is too long', { key: 'A', value: `${canary}${'€'.repeat(5_461)}` }, 'body.session_secrets.0.value'],
    ['an unknown field', { key: 'A', value: canary, scope: 'user' }, 'body.session_secrets.0.scope'],
    ['a broker without hosts', { key: 'A', value: canary, exposure: 'broker' }, 'body.session_secrets.0.allowed_hosts'],
  ])('with a secret of its own with %s is 400, and repeats nothing of it', async (_name, own, place) => {
    const answer = await ask({ session_secrets: [own] });
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toContain(place);
    expect(answer.text).not.toContain('canary');
  });

  test('with two secrets of its own of one name is 400', async () => {
    const twice = [
      { key: 'A', value: 'x' },
      { key: 'A', value: 'y' },
    ];
    expect(errorOf(await ask({ session_secrets: twice }))).toEqual([400, 'invalid_request']);
  });

  test('by an agent never with more than its own session has', async () => {
    const [key, kept] = [fresh(), fresh()];
    const [allowed, withheld] = [await secret({ key, value: 'v' }), await secret({ key: kept, value: 'w' })];
    const parent = await session({ secret_ids: [allowed] });
    const open = await session();
    const by = (id: string): Actor => ({
      organization: { id: orgId, slug: 'default', name: '', state: 'active' },
      principal: { type: 'session', id, name: '', email: '' },
      scopes: new Set(['run']),
      permission: '',
      role: '',
    });
    const prepare = async (id: string, secret_ids?: string[] | null) => {
      const input = { sessionId: 'ses_x', repositoryIds: [], account: { type: 'session', id }, secret_ids };
      return (await prepareSessionSecrets(api.ctx, by(id), input)).secretIds;
    };
    expect(await prepare(parent)).toEqual([allowed]);
    expect(await prepare(parent, null)).toEqual([allowed]);
    expect(await prepare(parent, [])).toEqual([]);
    await expect(prepare(parent, [allowed, withheld])).rejects.toMatchObject({ code: 'forbidden' });
    expect([await prepare(open), await prepare(open, [])]).toEqual([[], []]);
    await secretsForSession(api.ctx, { id: open, orgId });
    const late = await secret({ key: fresh(), value: 'x' });
    expect(await prepare(open)).toEqual(expect.arrayContaining([allowed, withheld]));
    expect(await prepare(open, [withheld])).toEqual([withheld]);
    await expect(prepare(open, [late])).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe("a session's own secrets", () => {
  const own = { key: 'OWN', value: canary, kind: 'file' };
  const rows = async (id: string) =>
    (await api.ctx.db.pool.query('select key from session_secrets where session_id = $1', [id])).rows;

  test('come before all others, and are readable nowhere', async () => {
    await secret({ key: 'OWN', value: 'of-ada', scope: 'user' });
    const headers = { 'idempotency-key': 'own-secrets' };
    const body = { prompt: 'work', session_secrets: [own] };
    const created = await api.call('POST', `${organization}/sessions`, { key: ada.key, body, headers });
    const again = await api.call('POST', `${organization}/sessions`, { key: ada.key, body, headers });
    expect(again.json['id']).toBe(created.json['id']);
    const id = String(created.json['id']);
    const secrets = await secretsForSession(api.ctx, { id, orgId });
    expect(secrets.find(({ key }) => key === 'OWN')).toMatchObject({ value: canary, kind: 'file', version: 0 });
    const shown = [
      created.text,
      again.text,
      (await api.call('GET', `${organization}/sessions/${id}`)).text,
      (await api.call('GET', `${organization}/sessions/${id}/events`)).text,
      (await api.call('GET', `${organization}/secrets`, { key: ada.key })).text,
    ];
    for (const text of shown) expect(text).not.toContain('canary');
    const stored = await api.ctx.db.pool.query<{ row: string }>(
      'select t::text as row from sessions t union all select t::text from session_secrets t union all select t::text from idempotency_keys t union all select t::text from audit_entries t',
    );
    const all = stored.rows.map(({ row }) => row).join('\n');
    for (const form of ['utf8', 'hex', 'base64'] as const)
      expect(all).not.toContain(Buffer.from(canary).toString(form).slice(0, 32));
  });

  test('stay while a message may go on with the session', async () => {
    const id = await session({ session_secrets: [own] });
    const run = await start(api, id);
    await finish(api.ctx, run, {
      status: 'completed',
      status_detail: 'finished',
      sandbox_state: 'none',
      sandboxSeconds: 1,
    });
    expect(await rows(id)).toEqual([{ key: 'OWN' }]);
  });

  test('are gone when it is canceled without work, deleted, or fails for good', async () => {
    const failure = {
      status: 'failed',
      status_detail: 'agent_error',
      sandbox_state: 'none',
      error: { code: 'agent_error', message: 'x' },
      sandboxSeconds: 1,
    } as const;
    const canceled = await session({ session_secrets: [own] });
    await api.call('POST', `${organization}/sessions/${canceled}/cancel`, { key: ada.key });
    expect(await rows(canceled)).toEqual([]);
    const deleted = await session({ session_secrets: [own] });
    await api.call('DELETE', `${organization}/sessions/${deleted}?force=true`, { key: ada.key });
    expect(await rows(deleted)).toEqual([]);
    const failed = await session({ session_secrets: [own] });
    await finish(api.ctx, await start(api, failed), failure);
    expect(await rows(failed)).toEqual([]);
    const resumable = await session({ session_secrets: [own] });
    const run = await start(api, resumable);
    await checkpoint(api, run);
    await finish(api.ctx, run, failure);
    expect(await rows(resumable)).toEqual([{ key: 'OWN' }]);
  });
});

describe('a session with secrets of its creator', () => {
  const say = (id: string, key: string) =>
    api.call('POST', `${organization}/sessions/${id}/messages`, { key, body: { content: 'and now this' } });
  const resume = (id: string, key: string) => api.call('POST', `${organization}/sessions/${id}/resume`, { key });
  const mayFork = (id: string, who: { id: string }) =>
    api.ctx.db.transaction(async (trx) => {
      const locked = await lockSession(trx, orgId, id);
      if (locked === undefined) throw new Error(`${id} is missing`);
      await requireSteering(trx, orgId, { type: 'user', id: who.id }, locked);
    });

  test('is steered by nobody else: not while it may get them, and not after it did', async () => {
    const eve = await person('eve@example.com');
    const key = fresh();
    const secretId = await secret({ key, value: canary, scope: 'user' }, eve.key);
    const id = await session({}, eve.key);
    for (const round of ['before', 'after']) {
      for (const other of [bob.key, api.adminKey, await api.keyWith(['run'])]) {
        expect([round, ...errorOf(await say(id, other))]).toEqual([round, 403, 'forbidden']);
        expect([round, ...errorOf(await resume(id, other))]).toEqual([round, 403, 'forbidden']);
      }
      await expect(mayFork(id, bob)).rejects.toMatchObject({ code: 'forbidden' });
      await mayFork(id, eve);
      expect((await say(id, eve.key)).status).toBe(202);
      expect(await given(id)).toMatchObject({ [key]: canary });
    }
    // It may remember the value.
    await api.call('DELETE', `${organization}/secrets/${secretId}`, { key: eve.key });
    expect(errorOf(await say(id, bob.key))).toEqual([403, 'forbidden']);
    expect((await api.call('POST', `${organization}/sessions/${id}/cancel`, { key: bob.key })).status).toBe(200);
  });

  test('which chose others is open to all, and stays without them', async () => {
    const mallory = await person('mallory@example.com');
    const key = fresh();
    await secret({ key, value: canary, scope: 'user' }, mallory.key);
    const id = await session({ secret_ids: [] }, mallory.key);
    expect((await say(id, bob.key)).status).toBe(202);
    expect(await given(id)).toEqual({});
  });

  test('where others spoke first gets none of them, and stays open', async () => {
    const trent = await person('trent@example.com');
    const id = await session({}, trent.key);
    expect((await say(id, bob.key)).status).toBe(202);
    const key = fresh();
    await secret({ key, value: canary, scope: 'user' }, trent.key);
    expect(await given(id)).not.toHaveProperty(key);
    expect((await say(id, bob.key)).status).toBe(202);
    await take(api, id);
    expect(await given(id)).not.toHaveProperty(key);
  });

  test('and a message of somebody else at the same moment never come together', async () => {
    const peggy = await person('peggy@example.com');
    // The message may be accepted only if the session gets none of her secrets, in whatever order the three happen.
    for (let round = 0; round < 8; round += 1) {
      const [id, key] = [await session({}, peggy.key), fresh()];
      const [secretId, said] = await Promise.all([
        secret({ key, value: canary, scope: 'user' }, peggy.key),
        say(id, bob.key),
        given(id),
      ]);
      const got = await given(id);
      expect([403, 202]).toContain(said.status);
      expect(said.status === 202 && key in got).toBe(false);
      await api.call('DELETE', `${organization}/secrets/${secretId}`, { key: peggy.key });
    }
  });
});
