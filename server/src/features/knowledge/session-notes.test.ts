import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { newId } from '../../lib/ids.ts';
import { addSuggestion, knowledgeForSession, notesAt, requireNotes } from './public.ts';

let api: TestApi;
let orgId: string;
let ada: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  ada = await join(api, orgId, 'member');
});
beforeEach(async () => {
  await api.ctx.db.pool.query('delete from knowledge_notes');
});
afterAll(() => api.close());

async function note(fields: Record<string, unknown>): Promise<string> {
  const id = newId('note');
  const made = { org_id: orgId, name: 'n', trigger: 't', body: 'b', created_by_type: 'user', created_by_id: ada };
  const row = { id, ...made, ...fields };
  await api.ctx.db.pool.query(
    `insert into knowledge_notes (${Object.keys(row).join(', ')})
     values (${Object.keys(row)
       .map((_, at) => `$${at + 1}`)
       .join(', ')})`,
    Object.values(row),
  );
  return id;
}

async function session(): Promise<string> {
  const { json } = await api.call('POST', '/v3/organizations/default/sessions', { body: { prompt: 'x' } });
  return String(json['id']);
}

async function given(input: Partial<Parameters<typeof knowledgeForSession>[1]>) {
  const account = { type: 'service_user', id: 'svc_x' };
  const base = { orgId, sessionId: '', account, prompt: 'deploy', repositories: [], ids: null, limit: 20 };
  return knowledgeForSession(api.ctx, { ...base, ...input });
}

async function usesOf(id: string): Promise<unknown> {
  const { rows } = await api.ctx.db.pool.query<object>(
    'select use_count as count, last_used_at as at from knowledge_notes where id = $1',
    [id],
  );
  return rows[0];
}

describe('a session is given', () => {
  test('the best notes for its prompt, at most as many as asked, and each counts once for a session', async () => {
    const named = await note({ name: 'Deploying', trigger: 'When you deploy', body: 'Use the pipeline.' });
    const mentioned = await note({ name: 'Fridays', trigger: 'Before you deploy', body: 'Not on Fridays.' });
    const other = await note({ name: 'Tea', body: 'Earl Grey.' });
    const sessionId = await session();
    const notes = await given({ sessionId });
    expect(notes.map(({ note_id }) => note_id)).toEqual([named, mentioned]);
    expect(notes[0]).toEqual({
      note_id: named,
      name: 'Deploying',
      revision: 1,
      scope: 'organization',
      trigger: 'When you deploy',
      body: 'Use the pipeline.',
      score: expect.any(Number),
      reason: expect.stringMatching(/\S/),
    });
    await Promise.all([given({ sessionId }), given({ sessionId: await session(), limit: 1 })]);
    expect([await usesOf(named), await usesOf(mentioned), await usesOf(other)]).toEqual([
      { count: 2, at: expect.any(Date) },
      { count: 1, at: expect.any(Date) },
      { count: 0, at: null },
    ]);
    expect(await given({ sessionId, limit: 0 })).toEqual([]);
  });

  test('with ids exactly these, the fitting ones first; none for []', async () => {
    const plain = await note({ name: 'Tea' });
    const fitting = await note({ name: 'Deploying' });
    await note({ name: 'Deploying, elsewhere' });
    const sessionId = await session();
    const ids = [plain, fitting, plain, 'note_none'];
    expect((await given({ sessionId, ids, limit: 1 })).map(({ note_id }) => note_id)).toEqual([fitting, plain]);
    expect(await given({ sessionId, ids: [] })).toEqual([]);
  });

  test('only the own content of the principal on whose account it runs', async () => {
    const own = await note({ name: 'Deploying', scope: 'user', user_id: ada });
    const sessionId = await session();
    const account = { type: 'user', id: ada };
    expect((await given({ sessionId, account })).map(({ note_id }) => note_id)).toEqual([own]);
    expect(await given({ sessionId })).toEqual([]);
    expect(await given({ sessionId, ids: [own] })).toEqual([]);
  });

  test('nothing that fails for ids, revisions and sessions that are gone', async () => {
    const id = await note({ name: 'Deploying' });
    expect((await given({ sessionId: 'ses_none' })).map(({ note_id }) => note_id)).toEqual([id]);
    expect(await usesOf(id)).toEqual({ count: 0, at: null });
    expect(await notesAt(api.ctx, orgId, [])).toEqual([]);
    expect(await notesAt(api.ctx, orgId, [{ note_id: 'note_none', revision: 1 }])).toEqual([]);
  });
});

test('chosen notes are those of the organization and of the creator', async () => {
  const other = await api.createOrganization('Elsewhere');
  const everybodys = await note({});
  const own = await note({ scope: 'user', user_id: ada });
  const theirs = await note({ org_id: other.id });
  const organization = { id: orgId, slug: 'default', name: '', state: 'active' } as const;
  const caller = (type: 'user' | 'service_user', id: string) => ({
    organization,
    principal: { type, id, name: '', email: '' },
  });
  await requireNotes(api.ctx, caller('user', ada), [everybodys, own]);
  await requireNotes(api.ctx, caller('service_user', 'svc_x'), [own], { type: 'user', id: ada });
  for (const [who, id] of [
    [caller('service_user', 'svc_x'), own],
    [caller('user', 'usr_other'), own],
    [caller('user', ada), theirs],
    [caller('user', ada), 'note_none'],
  ] as const)
    await expect(requireNotes(api.ctx, who, [everybodys, id])).rejects.toMatchObject({
      code: 'knowledge_note_not_found',
    });
});

describe('a suggestion', () => {
  const found = { name: 'How to build', trigger: 'When you build', body: 'make it', repo: 'acme/web' };
  const rows = async (): Promise<unknown[]> =>
    (await api.ctx.db.pool.query<object>('select name, body, repo, status from knowledge_suggestions order by id'))
      .rows;

  test('is made once for a session and text, and not again while it waits', async () => {
    const sessionId = await session();
    const id = await addSuggestion(api.ctx, orgId, { sessionId, ...found });
    expect(id).toMatch(/^sug_/);
    expect(await addSuggestion(api.ctx, orgId, { sessionId, ...found, name: 'Other' })).toBeUndefined();
    expect(await addSuggestion(api.ctx, orgId, { sessionId: await session(), ...found })).toBeUndefined();
    expect(await rows()).toEqual([{ name: 'How to build', body: 'make it', repo: 'acme/web', status: 'pending' }]);
    const logs = await api.call('GET', '/v3/organizations/default/audit-logs?action=suggestion.create');
    expect(logs.json['items']).toMatchObject([{ resource: { type: 'suggestion', id }, actor: { type: 'system' } }]);
  });

  test('is cut to what a note may be, and is none without text or where the organization wants none', async () => {
    const sessionId = await session();
    const before = (await rows()).length;
    const long = { name: 'n'.repeat(300), trigger: 't'.repeat(3_000), body: '€'.repeat(40_000), repo: '' };
    expect(await addSuggestion(api.ctx, orgId, { sessionId, ...long })).toMatch(/^sug_/);
    const cut = Object((await rows()).at(-1));
    expect([cut.name, cut.body]).toEqual([`${'n'.repeat(199)}…`, '€'.repeat(34_133)]);
    expect(await addSuggestion(api.ctx, orgId, { sessionId, ...found, body: ' \u0000\n' })).toBeUndefined();
    const settings = '/v3/organizations/default/settings/knowledge';
    await api.call('PUT', settings, { body: { auto_suggest: false } });
    expect(await addSuggestion(api.ctx, orgId, { sessionId, ...found, body: 'another' })).toBeUndefined();
    expect((await rows()).length).toBe(before + 1);
    await api.call('DELETE', settings);
  });
});

test('the notes of a person who leaves the organization are deleted', async () => {
  const bob = await join(api, orgId, 'member');
  await personalKey(api, orgId, bob);
  const own = await note({ scope: 'user', user_id: bob });
  const kept = await note({ created_by_id: bob });
  expect((await api.call('DELETE', `/v3/organizations/default/members/${bob}`)).status).toBe(204);
  const { rows } = await api.ctx.db.pool.query<object>('select id from knowledge_notes where id = any($1)', [
    [own, kept],
  ]);
  expect(rows).toEqual([{ id: kept }]);
});
