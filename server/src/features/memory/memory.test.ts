import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { madeIn } from '../../../test/support/fixture.ts';
import { stock, type Inventory } from '../../../test/support/inventory.ts';
import { LeaseLost } from '../sessions/run/run-service.ts';
import { keepGenerated, memoryAt, memoryForSession, recordProjections } from './public.ts';
import { purgeMemory } from './upkeep-service.ts';

const path = '/v3/organizations/default/memory';
const place = { repo: 'acme/web', provider: 'local' };
const query = '?repo=acme/web&provider=local';
const dayMs = 86_400_000;

let api: TestApi;
let mine: Inventory;
let theirs: Inventory;
let sessionId: string;
let memoryId: string;
beforeAll(async () => {
  api = await startTestApi();
  const elsewhere = await api.createOrganization('Elsewhere');
  mine = await stock(api, 'default', api.adminKey);
  theirs = await stock(api, elsewhere.slug, elsewhere.key);
  sessionId = madeIn(mine, 'sessions/{id}');
  memoryId = madeIn(mine, 'memory/notes/{memoryId}');
});
afterAll(() => api.close());

async function made(body: object = {}): Promise<Record<string, unknown>> {
  const { status, json, text } = await api.call('POST', `${path}/notes`, { body: { ...place, content: 'x', ...body } });
  if (status !== 201) throw new Error(text);
  return Object(json['item']);
}

async function idOf(body: object = {}): Promise<string> {
  return String((await made(body))['memory_id']);
}

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

async function revisions(id: string): Promise<unknown[]> {
  const { rows } = await api.ctx.db.pool.query<Record<string, unknown>>(
    'select revision, title, content, deleted from memory_note_revisions where memory_id = $1 order by revision',
    [id],
  );
  return rows;
}

describe('listing notes', () => {
  test('newest first, page by page, of one repository, whatever the case of its name', async () => {
    const body = { repo: 'Acme/Paged', provider: 'gitlab' };
    const ids = [await idOf(body), await idOf(body), await idOf(body)];
    await idOf({ repo: 'acme/paged', provider: 'github' });
    const listed = `${path}/notes?repo=acme/paged&provider=gitlab`;
    const first = await api.call('GET', `${listed}&first=2`);
    expect(first.json).toMatchObject({ repo: 'acme/paged', provider: 'gitlab', has_next_page: true, total: 3 });
    const second = await api.call('GET', `${listed}&first=2&after=${String(first.json['end_cursor'])}`);
    const seen = [first, second].flatMap(({ json }) => json['items']).map((item) => Object(item).memory_id);
    expect(seen).toEqual(ids.toReversed());
    expect(second.json).toMatchObject({ has_next_page: false, total: 3 });
    const other = await api.call(
      'GET',
      `${path}/notes?repo=acme/other&provider=gitlab&after=${String(first.json['end_cursor'])}`,
    );
    expect(errorOf(other)).toEqual([400, 'invalid_cursor']);
    const empty = await api.call('GET', `${path}/notes?repo=acme/none&provider=gitlab`);
    expect(empty.json).toEqual({
      repo: 'acme/none',
      provider: 'gitlab',
      items: [],
      end_cursor: '',
      has_next_page: false,
      total: 0,
    });
  });

  test.each([
    '',
    '?repo=acme/web',
    '?provider=local',
    '?repo=acme&provider=local',
    '?repo=a/b/c&provider=github',
    `${query}&scope=x`,
  ])('asked for %j it is 400', async (asked) => {
    for (const list of ['notes', 'generated'])
      expect(errorOf(await api.call('GET', `${path}/${list}${asked}`))).toEqual([400, 'invalid_request']);
  });
});

describe('changing a note', () => {
  test('each change of title or content is a new revision, and every one is kept', async () => {
    const before = await made({ title: 'One', content: 'first' });
    const id = String(before['memory_id']);
    const titled = await api.call('PATCH', `${path}/notes/${id}`, { body: { title: '  Two ' } });
    expect(titled.json).toEqual({
      ...place,
      item: { ...before, title: 'Two', revision: 2, updated_at: expect.any(String) },
    });
    const written = await api.call('PATCH', `${path}/notes/${id}`, { body: { content: ' second\n' } });
    expect(written.json['item']).toMatchObject({ title: 'Two', content: 'second', revision: 3 });
    const blank = await api.call('PATCH', `${path}/notes/${id}`, { body: { title: ' ' } });
    expect(blank.json['item']).toMatchObject({ title: 'Memory note', content: 'second', revision: 4 });
    expect(await revisions(id)).toEqual([
      { revision: 1, title: 'One', content: 'first', deleted: false },
      { revision: 2, title: 'Two', content: 'first', deleted: false },
      { revision: 3, title: 'Two', content: 'second', deleted: false },
      { revision: 4, title: 'Memory note', content: 'second', deleted: false },
    ]);
  });

  test('what changes nothing makes no revision', async () => {
    const before = await made({ title: 'Same', content: 'same' });
    const url = `${path}/notes/${String(before['memory_id'])}`;
    for (const body of [{}, { title: 'Same ' }, { title: 'Same', content: '\nsame' }])
      expect((await api.call('PATCH', url, { body })).json['item']).toEqual(before);
  });

  test('the limits are those of a new note', async () => {
    const url = `${path}/notes/${await idOf()}`;
    const tooMuch = 'a'.repeat(245_761);
    for (const [body, error] of [
      [{ content: ' ' }, 'content_required'],
      [{ content: '' }, 'content_required'],
      [{ content: tooMuch }, 'content_too_large'],
      [{ title: 'x'.repeat(161) }, 'title_too_long'],
      [{ title: null }, 'invalid_request'],
      [{ repo: 'acme/other' }, 'invalid_request'],
    ] as const)
      expect(errorOf(await api.call('PATCH', url, { body }))).toEqual([400, error]);
    const largest = '\u0001'.repeat(245_760);
    expect((await api.call('PATCH', url, { body: { content: largest } })).status).toBe(200);
  });

  test('If-Match holds a change to the revision it was made for', async () => {
    const id = await idOf();
    const url = `${path}/notes/${id}`;
    const patch = (tag: string, content: string) =>
      api.call('PATCH', url, { body: { content }, headers: { 'if-match': tag } });
    expect((await patch('"1"', 'a')).json['item']).toMatchObject({ revision: 2 });
    for (const tag of ['"1"', '"x"', 'W/"2"', '""'])
      expect(errorOf(await patch(tag, 'b'))).toEqual([412, 'revision_conflict']);
    for (const tag of ['2', 'x']) expect(errorOf(await patch(tag, 'b'))).toEqual([400, 'invalid_request']);
    expect((await patch('"1", "2"', 'c')).json['item']).toMatchObject({ revision: 3 });
    expect((await patch('*', 'd')).json['item']).toMatchObject({ revision: 4 });
    const remove = (tag: string) => api.call('DELETE', url, { headers: { 'if-match': tag } });
    expect(errorOf(await remove('"3"'))).toEqual([412, 'revision_conflict']);
    expect((await remove('"4"')).status).toBe(204);
  });

  test('of changes at once each is a revision of its own; held to one revision, one wins', async () => {
    const id = await idOf();
    const at = (content: string, headers: Record<string, string>) =>
      api.call('PATCH', `${path}/notes/${id}`, { body: { content }, headers });
    const all = await Promise.all(Array.from({ length: 6 }, (_, n) => at(`free ${n}`, {})));
    expect(new Set(all.map(({ json }) => Object(json['item']).revision))).toEqual(new Set([2, 3, 4, 5, 6, 7]));
    const held = await Promise.all(Array.from({ length: 6 }, (_, n) => at(`held ${n}`, { 'if-match': '"7"' })));
    expect(held.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412, 412, 412, 412]);
  });
});

describe('deleting a note', () => {
  test('it answers 404 then, to everything; its last revision says that it is gone', async () => {
    const id = await idOf({ title: 'Old', content: 'wrong' });
    const url = `${path}/notes/${id}`;
    expect((await api.call('DELETE', url)).status).toBe(204);
    for (const [method, body] of [['GET'], ['PATCH', { title: 'x' }], ['DELETE']] as const)
      expect(errorOf(await api.call(method, url, body === undefined ? {} : { body }))).toEqual([
        404,
        'memory_note_not_found',
      ]);
    expect((await api.call('GET', `${path}/notes${query}`)).text).not.toContain(id);
    expect(await revisions(id)).toEqual([
      { revision: 1, title: 'Old', content: 'wrong', deleted: false },
      { revision: 2, title: 'Old', content: '', deleted: true },
    ]);
  });

  test('nothing is left of it after 90 days', async () => {
    const id = await idOf();
    const other = await idOf();
    await api.call('DELETE', `${path}/notes/${id}`);
    const at = (days: number) => ({
      ...api.ctx,
      clock: { ...api.ctx.clock, now: () => new Date(Date.now() + days * dayMs) },
    });
    await purgeMemory(at(89));
    expect(await revisions(id)).toHaveLength(2);
    await purgeMemory(at(91));
    expect(await revisions(id)).toEqual([]);
    expect(await revisions(other)).toHaveLength(1);
  });
});

describe('generated memory and projections', () => {
  test('what an agent generated is listed, and deleted with the scope to write', async () => {
    const generated = `${path}/generated?repo=ACME/stock&provider=local`;
    const listed = await api.call('GET', generated, { key: await api.keyWith(['knowledge:read']) });
    expect(listed.json).toEqual({
      repo: 'ACME/stock',
      provider: 'local',
      items: [{ agent: 'builtin', path: 'summary.md', content: 'x', updated_at: expect.any(String) }],
      total: 1,
    });
    expect(errorOf(await api.call('DELETE', generated, { key: await api.keyWith(['knowledge:read']) }))).toEqual([
      403,
      'forbidden',
    ]);
    expect((await api.call('DELETE', generated, { key: await api.keyWith(['memory:write']) })).status).toBe(204);
    expect((await api.call('GET', generated)).json).toMatchObject({ items: [], total: 0 });
    expect((await api.call('DELETE', generated)).status).toBe(204);
    const kept = await api.call(
      'GET',
      `/v3/organizations/${theirs.orgId}/memory/generated?repo=acme/stock&provider=local`,
      { key: theirs.key },
    );
    expect(kept.json['total']).toBe(1);
  });

  test('it is kept for as long as the settings say', async () => {
    const own = `/v3/organizations/${theirs.orgId}`;
    const put = (retention_days: number) =>
      api.call('PUT', `${own}/settings/memory`, { key: theirs.key, body: { retention_days } });
    const total = async () =>
      (await api.call('GET', `${own}/memory/generated?repo=acme/stock&provider=local`, { key: theirs.key })).json[
        'total'
      ];
    const at = (days: number) => ({
      ...api.ctx,
      clock: { ...api.ctx.clock, now: () => new Date(Date.now() + days * dayMs) },
    });
    await put(0);
    await purgeMemory(at(10_000));
    expect(await total()).toBe(1);
    await put(10);
    await purgeMemory(at(9));
    expect(await total()).toBe(1);
    await purgeMemory(at(11));
    expect(await total()).toBe(0);
  });

  test('that is deleted is named in full by its event', async () => {
    const { rows } = await api.ctx.db.pool.query<{ fence: number }>('select fence from sessions where id = $1', [
      sessionId,
    ]);
    const run = { id: sessionId, orgId: mine.orgId, fence: rows[0]?.fence ?? -1 };
    const long = { repo: `acme/${'x'.repeat(90)}`, provider: 'github' as const };
    await keepGenerated(api.ctx, run, long, [{ agent: 'codex', path: 'a.md', content: () => 'a' }]);
    expect((await api.call('DELETE', `${path}/generated?repo=${long.repo}&provider=github`)).status).toBe(204);
    const name = `github:${long.repo}`;
    const events = () => api.ctx.db.pool.query('select from outbox_events where resource_id = $1', [name]);
    await expect.poll(async () => (await events()).rowCount).toBe(1);
    const { json: document } = await api.call('GET', '/openapi.json', { key: '' });
    for (const schema of ['OrganizationEvent', 'WebhookDelivery', 'AuditEntry'])
      expect(document).toHaveProperty(
        ['components', 'schemas', schema, 'properties', 'resource', 'properties', 'id', 'maxLength'],
        300,
      );
  });

  test('of one agent the 30 files that it wrote last are kept, and none of a run that lost its session', async () => {
    const { rows } = await api.ctx.db.pool.query<{ fence: number }>('select fence from sessions where id = $1', [
      sessionId,
    ]);
    const run = { id: sessionId, orgId: mine.orgId, fence: rows[0]?.fence ?? -1 };
    const kept = { repo: 'acme/many', provider: 'github' as const };
    const paths = async (): Promise<string[]> => {
      const { json } = await api.call('GET', `${path}/generated?repo=acme/many&provider=github`);
      return [json['items']].flat().map((item) => `${Object(item).agent} ${Object(item).path}`);
    };
    for (let n = 10; n < 45; n += 1)
      await keepGenerated(api.ctx, run, kept, [{ agent: 'codex', path: `${n}.md`, content: () => `${n}` }]);
    await keepGenerated(api.ctx, run, kept, [
      { agent: 'builtin', path: 'summary.md', content: (before) => `${before}x` },
    ]);
    await keepGenerated(api.ctx, run, kept, [
      { agent: 'builtin', path: 'summary.md', content: (before) => `${before}x` },
    ]);
    const expected = ['builtin summary.md', ...Array.from({ length: 30 }, (_, n) => `codex ${n + 15}.md`)];
    expect(await paths()).toEqual(expected);
    expect((await api.call('GET', `${path}/generated?repo=acme/many&provider=github`)).text).toContain(
      '"content":"xx"',
    );
    const lost = { ...run, fence: run.fence - 1 };
    const late = [{ agent: 'codex', path: '99.md', content: () => 'late' }];
    await expect(keepGenerated(api.ctx, lost, kept, late)).rejects.toThrow(LeaseLost);
    const projected = [{ memory_id: memoryId, revision: 1, path: '~/late.md', sha256: '0'.repeat(64) }];
    await expect(recordProjections(api.ctx, lost, projected)).rejects.toThrow(LeaseLost);
    expect(await paths()).toEqual(expected);
    expect((await api.call('GET', `${path}/projections?session_id=${sessionId}`)).text).not.toContain('late.md');
  });

  test('a session is given as much as fits: the newest revisions, then deletions, then older revisions', async () => {
    const few = { repo: 'acme/few', provider: 'local' as const };
    const much = { repo: 'acme/much', provider: 'local' as const };
    const [living, deleted] = [await idOf(few), await idOf(few)];
    await api.call('DELETE', `${path}/notes/${deleted}`);
    const changed = await idOf(few);
    await api.ctx.db.pool.query(
      `with n as (update memory_notes set revision = 1200 where id = $1 returning id, org_id)
       insert into memory_note_revisions (memory_id, revision, org_id, title, content, created_by_type, created_by_id, created_at)
       select id, r, org_id, 'x', 'x', 'user', 'usr_x', now() + r * interval '1 s' from n, generate_series(2, 1200) r`,
      [changed],
    );
    await api.ctx.db.pool.query(
      `with n as (insert into memory_notes (id, org_id, provider, repo)
         select 'mem_large_' || i, $1, 'local', $2 from generate_series(1, 80) i returning id, org_id)
       insert into memory_note_revisions (memory_id, revision, org_id, title, content, created_by_type, created_by_id)
       select id, 1, org_id, 'x', repeat('x', 245760), 'user', 'usr_x' from n`,
      [mine.orgId, much.repo],
    );
    const { revisions: given, left } = await memoryForSession(api.ctx, mine.orgId, [few]);
    const named = given.map(({ memory_id, revision }) => `${memory_id} ${revision}`);
    expect(named).toHaveLength(1_000);
    expect(left).toBeGreaterThan(0);
    expect(named).toEqual(expect.arrayContaining([`${living} 1`, `${deleted} 2`, `${changed} 1200`, `${changed} 204`]));
    expect(named).not.toEqual(expect.arrayContaining([`${deleted} 1`]));
    expect(named).not.toEqual(expect.arrayContaining([`${changed} 1`]));
    expect(named.at(-1)).toBe(`${changed} 1200`);
    const both = await memoryForSession(api.ctx, mine.orgId, [much, few]);
    const bytes = both.revisions.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
    expect(bytes).toBeLessThanOrEqual(16 * 1_048_576);
    expect(bytes).toBeGreaterThan(15 * 1_048_576);
    expect(await memoryForSession(api.ctx, theirs.orgId, [few, much])).toEqual({ revisions: [], left: 0 });
    const wanted = [{ memory_id: living, revision: 1 }];
    expect(await memoryAt(api.ctx, theirs.orgId, wanted)).toEqual([]);
    expect(await memoryAt(api.ctx, mine.orgId, wanted)).toHaveLength(1);
  });

  test('a session names the files that it has; its note says so too', async () => {
    const { json } = await api.call('GET', `${path}/projections?session_id=${sessionId}`);
    expect(json).toEqual({
      items: [
        {
          session_id: sessionId,
          memory_id: memoryId,
          revision: 1,
          path: '~/note.md',
          sha256: '0'.repeat(64),
          created_at: expect.stringMatching(/Z$/),
        },
      ],
      total: 1,
    });
    const note = await api.call('GET', `${path}/notes/${memoryId}`);
    expect(note.json['item']).toMatchObject({ materialized_revision: 1, materialized_at: expect.stringMatching(/Z$/) });
  });

  test('of no session, another organization, or without naming one', async () => {
    for (const id of ['ses_none', madeIn(theirs, 'sessions/{id}')])
      expect(errorOf(await api.call('GET', `${path}/projections?session_id=${id}`))).toEqual([
        404,
        'session_not_found',
      ]);
    expect(errorOf(await api.call('GET', `${path}/projections`))).toEqual([400, 'invalid_request']);
    const key = await api.keyWith(['memory:write']);
    expect(errorOf(await api.call('GET', `${path}/projections?session_id=${sessionId}`, { key }))).toEqual([
      403,
      'forbidden',
    ]);
  });
});
