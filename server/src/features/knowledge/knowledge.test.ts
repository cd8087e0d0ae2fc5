import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { addSuggestion } from './public.ts';

const base = '/v3/organizations/default/knowledge';

let api: TestApi;
let orgId: string;
let machine: string;
let ada: { id: string; key: string };
let bob: { id: string; key: string };
let elsewhere: { id: string; slug: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  machine = await api.keyWith(['knowledge:read', 'memory:write']);
  ada = await person();
  bob = await person();
  elsewhere = await api.createOrganization('Elsewhere');
});
afterAll(() => api.close());

async function person(): Promise<{ id: string; key: string }> {
  const id = await join(api, orgId, 'member');
  return { id, key: await personalKey(api, orgId, id) };
}

async function create(fields: object = {}, key = api.adminKey): Promise<Record<string, unknown>> {
  const body = { name: 'A name', trigger: 'When it is so', body: 'Do it.', ...fields };
  const answer = await api.call('POST', `${base}/notes`, { key, body });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.json;
}

function at(note: Record<string, unknown>, below = ''): string {
  return `${base}/notes/${String(note['note_id'])}${below}`;
}

async function names(query: string, key = api.adminKey): Promise<unknown[]> {
  const { json } = await api.call('GET', `${base}/notes?${query}`, { key });
  return [json['items']].flat().map((item) => Object(item).name);
}

function refusal({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

describe('a note', () => {
  test('is created with defaults, read, and deleted', async () => {
    const made = await create();
    expect(made).toEqual({
      note_id: expect.stringMatching(/^note_/),
      name: 'A name',
      trigger: 'When it is so',
      body: 'Do it.',
      scope: 'organization',
      repo_filter: '',
      enabled: true,
      revision: 1,
      source: 'user',
      created_by: { type: 'user', id: expect.stringMatching(/^usr_/), name: 'Administrator' },
      use_count: 0,
      last_used_at: null,
      created_at: expect.any(String),
      updated_at: made['created_at'],
    });
    expect((await api.call('GET', at(made))).json).toEqual(made);
    expect((await api.call('DELETE', at(made))).status).toBe(204);
    for (const [method, body] of [
      ['GET'],
      ['DELETE'],
      ['PATCH', {}],
      ['PUT', { name: 'x', trigger: 'x', body: 'x' }],
    ] as const)
      expect(refusal(await api.call(method, at(made), body === undefined ? {} : { body }))).toEqual([
        404,
        'knowledge_note_not_found',
      ]);
  });

  test.each<[string, object, string]>([
    ['no name', { name: undefined }, 'body.name'],
    ['no trigger', { trigger: undefined }, 'body.trigger'],
    ['no body', { body: undefined }, 'body.body'],
    ['a blank name', { name: ' \n' }, 'body.name'],
    ['a blank trigger', { trigger: '\t' }, 'body.trigger'],
    ['a blank body', { body: '\u2003' }, 'body.body'],
    ['a name of 201 characters', { name: 'n'.repeat(201) }, 'body.name'],
    ['a trigger of 2,001 characters', { trigger: 't'.repeat(2_001) }, 'body.trigger'],
    ['a body of 102,401 bytes', { body: 'b'.repeat(102_401) }, 'body.body'],
    ['a body of 102,402 bytes in fewer characters', { body: '€'.repeat(34_134) }, 'body.body'],
    ['an unknown scope', { scope: 'team' }, 'body.scope'],
    ['a filter without an owner', { repo_filter: 'web' }, 'body.repo_filter'],
    ['a filter with an empty glob', { repo_filter: 'acme/web,,acme/api' }, 'body.repo_filter'],
    ['a filter of an unknown provider', { repo_filter: 'svn:acme/web' }, 'body.repo_filter'],
    ['a filter with a URL', { repo_filter: 'https://github.com/acme/web' }, 'body.repo_filter'],
    ['a filter of 101 globs', { repo_filter: Array.from({ length: 101 }, () => 'a/b').join(',') }, 'body.repo_filter'],
    ['an unknown key', { macro: '!x' }, 'body.macro'],
    ['a null', { scope: null }, 'body.scope'],
  ])('with %s is 400 that names it', async (_name, fields, place) => {
    const body = { name: 'x', trigger: 'x', body: 'x', ...fields };
    const answer = await api.call('POST', `${base}/notes`, { body });
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toContain(place);
  });

  test('is as long as the limits allow, and takes every kind of glob', async () => {
    const longest = { name: '😀'.repeat(200), trigger: 'é'.repeat(2_000), body: `${'€'.repeat(34_133)}b` };
    const repo_filter = 'acme/web, acme/*,github:acme/web , gitlab:group/sub/*,local:*/docs';
    expect(await create({ ...longest, repo_filter, scope: 'repository', enabled: false })).toMatchObject({
      ...longest,
      repo_filter,
      scope: 'repository',
      enabled: false,
    });
  });

  test('is created once for an Idempotency-Key', async () => {
    const options = { body: { name: 'Once', trigger: 'x', body: 'x' }, headers: { 'idempotency-key': 'once' } };
    const [first, second] = [
      await api.call('POST', `${base}/notes`, options),
      await api.call('POST', `${base}/notes`, options),
    ];
    expect([second.status, second.text, second.headers.get('idempotent-replayed')]).toEqual([201, first.text, 'true']);
    expect(await names('search=Once')).toEqual(['Once']);
  });

  test('of another organization is none of mine', async () => {
    const made = await create();
    const theirs = `/v3/organizations/${elsewhere.slug}/knowledge/notes/${String(made['note_id'])}`;
    expect(refusal(await api.call('GET', theirs, { key: elsewhere.key }))).toEqual([404, 'knowledge_note_not_found']);
    expect(refusal(await api.call('DELETE', theirs, { key: elsewhere.key }))).toEqual([
      404,
      'knowledge_note_not_found',
    ]);
    expect((await api.call('GET', at(made))).status).toBe(200);
  });
});

describe('a change', () => {
  test('by PATCH keeps what it does not name, by PUT makes that what it is by default', async () => {
    const made = await create({ scope: 'repository', repo_filter: 'acme/web', enabled: false });
    const patched = await api.call('PATCH', at(made), { body: { body: 'Other.' } });
    expect(patched.json).toEqual({ ...made, body: 'Other.', revision: 2, updated_at: expect.any(String) });
    const put = await api.call('PUT', at(made), { body: { name: 'New', trigger: 'New', body: 'New' } });
    expect(put.json).toEqual({
      ...made,
      name: 'New',
      trigger: 'New',
      body: 'New',
      scope: 'organization',
      repo_filter: '',
      enabled: true,
      revision: 3,
      updated_at: expect.any(String),
    });
    expect(refusal(await api.call('PUT', at(made), { body: { name: 'x' } }))).toEqual([400, 'invalid_request']);
  });

  test('that is none makes no revision', async () => {
    const made = await create();
    for (const body of [{}, { name: 'A name' }])
      expect((await api.call('PATCH', at(made), { body })).json).toEqual(made);
    const { name, trigger, body } = made;
    expect((await api.call('PUT', at(made), { body: { name, trigger, body } })).json).toEqual(made);
  });

  test('holds to the revision that If-Match names', async () => {
    const made = await create();
    const patch = (name: string, ifMatch: string) =>
      api.call('PATCH', at(made), { body: { name }, headers: { 'if-match': ifMatch } });
    expect((await patch('two', '"1"')).json['revision']).toBe(2);
    expect(refusal(await patch('three', '"1"'))).toEqual([412, 'revision_conflict']);
    expect((await patch('three', '"1", "2"')).json['revision']).toBe(3);
    expect((await patch('four', '*')).json['revision']).toBe(4);
    const headers = { 'if-match': '"3"' };
    const body = { name: 'x', trigger: 'x', body: 'x' };
    expect(refusal(await api.call('PUT', at(made), { body, headers }))).toEqual([412, 'revision_conflict']);
    expect(refusal(await api.call('POST', at(made, '/versions/1/restore'), { headers }))).toEqual([
      412,
      'revision_conflict',
    ]);
    expect(refusal(await api.call('DELETE', at(made), { headers }))).toEqual([412, 'revision_conflict']);
    expect((await api.call('GET', at(made))).json).toMatchObject({ name: 'four', revision: 4 });
    expect((await api.call('DELETE', at(made), { headers: { 'if-match': '"4"' } })).status).toBe(204);
  });

  test('at once with another one is one after the other; by If-Match one of them', async () => {
    const made = await create();
    const change = (name: string, headers = {}) => api.call('PATCH', at(made), { body: { name }, headers });
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => change(name)));
    expect(all.map(({ json }) => String(json['revision'])).sort()).toEqual(['2', '3', '4', '5']);
    const one = await Promise.all(['e', 'f', 'g'].map((name) => change(name, { 'if-match': '"5"' })));
    expect(one.map(({ status }) => String(status)).sort()).toEqual(['200', '412', '412']);
  });

  test('is on record, without its text', async () => {
    const made = await create();
    await api.call('PATCH', at(made), { body: { body: 'never-in-the-log', trigger: 'y' } });
    await api.call('DELETE', at(made));
    const { json, text } = await api.call(
      'GET',
      `/v3/organizations/default/audit-logs?resource_id=${String(made['note_id'])}`,
    );
    expect([json['items']].flat().map((item) => [Object(item).action, Object(item).changes])).toEqual([
      ['knowledge_note.delete', { name: 'A name' }],
      ['knowledge_note.update', { name: 'A name', fields: ['trigger', 'body'] }],
      ['knowledge_note.create', { name: 'A name', scope: 'organization', repo_filter: '' }],
    ]);
    expect(text).not.toContain('never-in-the-log');
  });
});

describe('revisions', () => {
  test('are kept whole, listed newest first by pages, and restored as the next one', async () => {
    const made = await create({ name: 'one', scope: 'repository', repo_filter: 'acme/web' });
    await api.call('PATCH', at(made), { key: machine, body: { name: 'two', enabled: false } });
    await api.call('PUT', at(made), { body: { name: 'three', trigger: 't', body: 'b' } });
    const first = await api.call('GET', at(made, '/versions?first=2'));
    expect(first.json).toMatchObject({ total: 3, has_next_page: true });
    expect([first.json['items']].flat().map((item) => [Object(item).name, Object(item).revision])).toEqual([
      ['three', 3],
      ['two', 2],
    ]);
    expect(Object(Object(first.json['items'])[1])).toMatchObject({
      note_id: made['note_id'],
      scope: 'repository',
      repo_filter: 'acme/web',
      enabled: false,
      created_by: { type: 'service_user' },
    });
    const rest = await api.call('GET', at(made, `/versions?first=2&after=${String(first.json['end_cursor'])}`));
    expect(rest.json).toMatchObject({ items: [{ name: 'one', revision: 1 }], has_next_page: false });
    const restored = await api.call('POST', at(made, '/versions/1/restore'));
    expect([restored.status, restored.json]).toEqual([200, { ...made, revision: 4, updated_at: expect.any(String) }]);
    expect(Object(Object((await api.call('GET', at(made, '/versions'))).json['items'])[0])).toMatchObject({
      name: 'one',
      revision: 4,
    });
  });

  test('that do not exist are 404, and one that is not a number 400', async () => {
    const made = await create();
    expect(refusal(await api.call('POST', at(made, '/versions/2/restore')))).toEqual([404, 'knowledge_note_not_found']);
    for (const wrong of ['0', 'x', '2147483648'])
      expect(refusal(await api.call('POST', at(made, `/versions/${wrong}/restore`)))).toEqual([400, 'invalid_request']);
  });
});

describe("a person's own note", () => {
  test('is there for its owner alone, whatever is asked', async () => {
    const own = await create({ name: 'Walnut', scope: 'user' }, ada.key);
    expect(await names('search=walnut', ada.key)).toEqual(['Walnut']);
    const found = await api.call('GET', `${base}/search?q=walnut`, { key: ada.key });
    expect(found.json).toMatchObject({ items: [{ note: own }], total: 1 });
    for (const key of [bob.key, machine, api.adminKey]) {
      expect(await names('search=walnut', key)).toEqual([]);
      expect((await api.call('GET', `${base}/search?q=walnut`, { key })).json).toEqual({ items: [], total: 0 });
      for (const [method, below] of [
        ['GET', ''],
        ['DELETE', ''],
        ['GET', '/versions'],
        ['POST', '/versions/1/restore'],
      ] as const)
        expect(refusal(await api.call(method, at(own, below), { key }))).toEqual([404, 'knowledge_note_not_found']);
      const body = { name: 'x', trigger: 'x', body: 'x' };
      for (const method of ['PUT', 'PATCH'])
        expect(refusal(await api.call(method, at(own), { key, body }))).toEqual([404, 'knowledge_note_not_found']);
    }
    expect((await api.call('GET', at(own), { key: ada.key })).json).toEqual(own);
  });

  test('is on record without its name, which readers of the audit log would learn', async () => {
    const own = await create({ name: 'Pistachio', scope: 'user' }, ada.key);
    await api.call('PATCH', at(own), { key: ada.key, body: { name: 'Pistachios' } });
    await api.call('POST', at(own, '/versions/1/restore'), { key: ada.key });
    await api.call('DELETE', at(own), { key: ada.key });
    const open = await create({ name: 'Open' }, ada.key);
    await api.call('PATCH', at(open), { key: ada.key, body: { name: 'Pistache', scope: 'user' } });
    const logs = async (of: Record<string, unknown>) =>
      (await api.call('GET', `/v3/organizations/default/audit-logs?resource_id=${String(of['note_id'])}`)).json;
    expect([await logs(own), await logs(open)]).toMatchObject([{ total: 4 }, { total: 2 }]);
    expect(JSON.stringify([await logs(own), await logs(open)])).not.toContain('Pista');
  });

  test('belongs to a person: a machine cannot have one', async () => {
    const body = { name: 'x', trigger: 'x', body: 'x', scope: 'user' };
    const answer = await api.call('POST', `${base}/notes`, { key: machine, body });
    expect(refusal(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toMatch(/body\.scope .*belong to a user/);
    const made = await create({}, machine);
    expect(refusal(await api.call('PATCH', at(made), { key: machine, body: { scope: 'user' } }))).toEqual([
      400,
      'invalid_request',
    ]);
  });

  test('that is given to all keeps its earlier revisions to its owner', async () => {
    const own = await create({ name: 'Draft', scope: 'user' }, ada.key);
    await api.call('PATCH', at(own), { key: ada.key, body: { name: 'Published', scope: 'organization' } });
    const revisions = async (key: string): Promise<unknown> => {
      const { json } = await api.call('GET', at(own, '/versions'), { key });
      return [json['total'], [json['items']].flat().map((item) => Object(item).name)];
    };
    expect(await revisions(ada.key)).toEqual([2, ['Published', 'Draft']]);
    expect(await revisions(bob.key)).toEqual([1, ['Published']]);
    const restore = (key: string) => api.call('POST', at(own, '/versions/1/restore'), { key });
    expect(refusal(await restore(bob.key))).toEqual([404, 'knowledge_note_not_found']);
    expect((await restore(ada.key)).json).toMatchObject({ name: 'Draft', scope: 'user', revision: 3 });
    expect((await api.call('GET', at(own), { key: bob.key })).status).toBe(404);
  });
});

describe('the list', () => {
  const mark = 'Quokka';
  beforeAll(async () => {
    await create({ name: `${mark} everywhere` });
    await create({ name: `${mark} web`, scope: 'repository', repo_filter: 'github:acme/web, other/*' });
    await create({ name: `${mark} any repository`, scope: 'repository', enabled: false });
    await create({ name: `${mark} own`, scope: 'user', trigger: '100% sure', body: 'running zebras' }, ada.key);
  });
  test.each<[string, string[]]>([
    ['', ['own', 'any repository', 'web', 'everywhere']],
    ['&scope=repository', ['any repository', 'web']],
    ['&scope=repository,user', ['own', 'any repository', 'web']],
    ['&enabled=false', ['any repository']],
    ['&enabled=true', ['own', 'web', 'everywhere']],
    ['&enabled=true,false', ['own', 'any repository', 'web', 'everywhere']],
    ['&repo=acme/web', ['own', 'any repository', 'web', 'everywhere']],
    ['&repo=github:ACME/web', ['own', 'any repository', 'web', 'everywhere']],
    ['&repo=gitlab:acme/web', ['own', 'any repository', 'everywhere']],
    ['&repo=other/x&scope=repository&enabled=true', ['web']],
    ['&repo=none/x&enabled=true', ['own', 'everywhere']],
  ])('with %s', async (query, expected) => {
    expect(await names(`search=${mark}${query}`, ada.key)).toEqual(expected.map((name) => `${mark} ${name}`));
  });

  test('is searched by a part of name and trigger as it stands, and by words of the text', async () => {
    expect(await names('search=uokka%20OWN', ada.key)).toEqual([`${mark} own`]);
    expect(await names('search=100%25', ada.key)).toEqual([`${mark} own`]);
    expect(await names('search=0_%25', ada.key)).toEqual([]);
    expect(await names('search=zebra%20run', ada.key)).toEqual([`${mark} own`]);
    expect(await names('search=%22%20%28%7C', ada.key)).toEqual([]);
  });

  test('is walked by pages; a cursor is for its own filters', async () => {
    const first = await api.call('GET', `${base}/notes?search=${mark}&first=2`);
    expect(first.json).toMatchObject({ has_next_page: true, total: 3 });
    const after = String(first.json['end_cursor']);
    expect(await names(`search=${mark}&first=2&after=${after}`)).toEqual([`${mark} everywhere`]);
    const misused = await api.call('GET', `${base}/notes?search=x&after=${after}`);
    expect(refusal(misused)).toEqual([400, 'invalid_cursor']);
    const others = await api.call('GET', `${base}/notes?search=${mark}&after=${after}`, { key: ada.key });
    expect(refusal(others)).toEqual([400, 'invalid_cursor']);
  });

  test.each(['scope=team', 'scope=', 'enabled=perhaps', 'first=0', 'first=201', 'search=', 'repo=', 'name=x'])(
    'refuses %s',
    async (query) => {
      expect(refusal(await api.call('GET', `${base}/notes?${query}`))).toEqual([400, 'invalid_request']);
    },
  );
});

describe('the search', () => {
  test('answers what a session would be given: best first, at most the configured number, disabled ones not', async () => {
    await create({ name: 'Marmalade jars', body: 'Boil them.' });
    await create({ name: 'Breakfast', trigger: 'When marmalade is eaten', repo_filter: 'acme/kitchen' });
    await create({ name: 'Marmalade, old', enabled: false });
    const search = async (query: string): Promise<unknown[]> => {
      const { status, json } = await api.call('GET', `${base}/search?${query}`);
      expect([status, json['total']]).toEqual([200, [json['items']].flat().length]);
      for (const { score, reason } of [json['items']].flat().map(Object)) {
        expect(score).toBeGreaterThan(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(reason).toMatch(/\S/);
      }
      return [json['items']].flat().map((item) => Object(item).note.name);
    };
    expect(await search('q=how%20is%20marmalade%20made')).toEqual(['Marmalade jars', 'Breakfast']);
    expect(await search('q=marmalade&repo=acme/other,local:acme/kitchen')).toEqual(['Marmalade jars', 'Breakfast']);
    expect(await search('q=marmalade&repo=acme/other')).toEqual(['Marmalade jars']);
    const settings = '/v3/organizations/default/settings/knowledge';
    await api.call('PUT', settings, { body: { max_notes_per_session: 1 } });
    expect(await search('q=marmalade')).toEqual(['Marmalade jars']);
    await api.call('PUT', settings, { body: { max_notes_per_session: 0 } });
    expect(await search('q=marmalade')).toEqual([]);
    await api.call('DELETE', settings);
  });

  test.each(['', '?q=', `?q=${'x'.repeat(8_001)}`, '?q=x&limit=3', '?q=x&repo='])('refuses %#', async (query) => {
    expect(refusal(await api.call('GET', `${base}/search${query}`))).toEqual([400, 'invalid_request']);
  });
});

describe('a suggestion', () => {
  let sessionId: string;
  beforeAll(async () => {
    const { json } = await api.call('POST', '/v3/organizations/default/sessions', { body: { prompt: 'x' } });
    sessionId = String(json['id']);
  });
  let made = 0;
  async function suggest(repo = 'acme/web'): Promise<string> {
    made += 1;
    const found = { sessionId, name: `Found ${made}`, trigger: 'When you build', body: `Run make ${made}.`, repo };
    return (await addSuggestion(api.ctx, orgId, found)) ?? '';
  }
  const path = `${base}/suggestions`;

  test('is listed newest first, and by its status', async () => {
    const [older, newer] = [await suggest(), await suggest('')];
    await api.call('POST', `${path}/${older}/dismiss`);
    const list = async (query: string): Promise<unknown> => {
      const { json } = await api.call('GET', `${path}${query}`);
      return [json['items']].flat().map((item) => Object(item).id);
    };
    expect(await list('')).toEqual([newer, older]);
    expect(await list('?status=pending')).toEqual([newer]);
    expect(await list('?status=dismissed,accepted')).toEqual([older]);
    expect(refusal(await api.call('GET', `${path}?status=open`))).toEqual([400, 'invalid_request']);
    const { json } = await api.call('GET', `${path}?status=pending`);
    expect(json['items']).toEqual([
      {
        id: newer,
        session_id: sessionId,
        name: 'Found 2',
        trigger: 'When you build',
        body: 'Run make 2.',
        repo: '',
        status: 'pending',
        note_id: '',
        decided_by: {},
        decided_at: null,
        created_at: expect.any(String),
      },
    ]);
  });

  test('becomes a note for its repository when it is accepted, once', async () => {
    const id = await suggest();
    const { status, json } = await api.call('POST', `${path}/${id}/accept`, { key: ada.key });
    expect([status, json]).toMatchObject([
      200,
      { trigger: 'When you build', scope: 'repository', repo_filter: 'acme/web', source: 'suggestion', revision: 1 },
    ]);
    expect((await api.call('GET', at(json))).json).toEqual(json);
    for (const again of ['accept', 'dismiss'])
      expect(refusal(await api.call('POST', `${path}/${id}/${again}`))).toEqual([409, 'conflict']);
    const listed = await api.call('GET', `${path}?status=accepted`);
    expect(listed.json['items']).toMatchObject([
      { id, note_id: json['note_id'], decided_by: { type: 'user', id: ada.id }, decided_at: expect.any(String) },
    ]);
    await api.call('DELETE', at(json));
    expect((await api.call('GET', `${path}?status=accepted`)).json['items']).toMatchObject([{ id, note_id: '' }]);
  });

  test('becomes what the body makes of it', async () => {
    const body = { name: 'Better', trigger: 'Sooner', body: 'Shorter.', scope: 'user', repo_filter: 'acme/*' };
    const mine = await api.call('POST', `${path}/${await suggest()}/accept`, { key: ada.key, body });
    expect(mine.json).toMatchObject(body);
    const all = await api.call('POST', `${path}/${await suggest()}/accept`, { body: { scope: 'organization' } });
    expect(all.json).toMatchObject({ scope: 'organization', repo_filter: '' });
    const id = await suggest();
    for (const wrong of [{ name: ' ' }, { repo_filter: 'x' }, { enabled: false }, { scope: 'team' }])
      expect(refusal(await api.call('POST', `${path}/${id}/accept`, { body: wrong }))).toEqual([
        400,
        'invalid_request',
      ]);
    expect(refusal(await api.call('POST', `${path}/${id}/accept`, { key: machine, body: { scope: 'user' } }))).toEqual([
      400,
      'invalid_request',
    ]);
    expect((await api.call('POST', `${path}/${id}/dismiss`)).json).toMatchObject({ id, status: 'dismissed' });
  });

  test('is decided about once, however many decide at once', async () => {
    const id = await suggest();
    const decisions = ['accept', 'dismiss', 'accept', 'dismiss'];
    const answers = await Promise.all(decisions.map((decision) => api.call('POST', `${path}/${id}/${decision}`)));
    expect(answers.map(({ status }) => String(status)).sort()).toEqual(['200', '409', '409', '409']);
  });

  test('of another organization, or nobody, is 404', async () => {
    const id = await suggest();
    const theirs = `/v3/organizations/${elsewhere.slug}/knowledge/suggestions/${id}`;
    for (const decision of ['accept', 'dismiss']) {
      const foreign = await api.call('POST', `${theirs}/${decision}`, { key: elsewhere.key });
      expect(refusal(foreign)).toEqual([404, 'suggestion_not_found']);
      expect(refusal(await api.call('POST', `${path}/sug_none/${decision}`))).toEqual([404, 'suggestion_not_found']);
    }
  });

  test('outlives its session', async () => {
    const id = await suggest();
    await api.call('DELETE', `/v3/organizations/default/sessions/${sessionId}?force=true`);
    const { json } = await api.call('GET', `${path}?status=pending`);
    expect([json['items']].flat().map((item) => [Object(item).id, Object(item).session_id])).toContainEqual([id, '']);
  });
});
