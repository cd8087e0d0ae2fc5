import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { secretValue } from './public.ts';

const path = '/v3/organizations/default/secrets';
const canary = 'canary-3f9a1c77-of-the-value';

let api: TestApi;
let orgId: string;
let count = 0;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  for (const repo of ['acme/web', 'acme/api'])
    await api.call('POST', '/v3/organizations/default/repositories', { body: { provider: 'local', repo } });
});
afterAll(() => api.close());

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

function create(body: object, key = api.adminKey): Promise<Answer> {
  count += 1;
  return api.call('POST', path, { key, body: { key: `KEY_${count}`, value: canary, ...body } });
}

async function made(body: object, key = api.adminKey): Promise<Record<string, unknown>> {
  const { status, json, text } = await create(body, key);
  if (status !== 201) throw new Error(text);
  return json;
}

async function person(email: string): Promise<{ id: string; key: string }> {
  const id = await join(api, orgId, 'member', email);
  return { id, key: await personalKey(api, orgId, id) };
}

async function everything(): Promise<string> {
  const { rows: tables } = await api.ctx.db.pool.query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const texts = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await api.ctx.db.pool.query<{ row: string }>(`select t::text as row from ${name} t`);
      return rows.map(({ row }) => row).join('\n');
    }),
  );
  return texts.join('\n');
}

const secret = {
  id: expect.stringMatching(/^sec_[0-9a-z]{26}$/),
  kind: 'env',
  scope: 'organization',
  repo: '',
  note: '',
  exposure: 'sandbox',
  allowed_hosts: [],
  version: 1,
  created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  updated_at: expect.any(String),
  last_used_at: null,
};

describe('creating', () => {
  test('answers every documented field, and none that says anything of the value', async () => {
    const self = await api.call('GET', '/v3/self');
    const { status, json } = await api.call('POST', path, { body: { key: 'PLAIN', value: canary } });
    expect(status).toBe(201);
    const created_by = { type: 'user', id: self.json['principal_id'], name: 'Administrator' };
    expect(json).toEqual({ ...secret, key: 'PLAIN', created_by });
    const listed = Object((await api.call('GET', path)).json['items']).find(
      (one: { key: string }) => one.key === 'PLAIN',
    );
    expect(listed).toEqual(json);
  });

  test('takes what a repository, a person, a broker or a file needs', async () => {
    const wanted = {
      key: 'FULL',
      kind: 'git_credential',
      scope: 'repository',
      repo: 'acme/web',
      note: 'of the deploy bot',
      exposure: 'broker',
      allowed_hosts: ['git.example.com', '*.example.org:8443'],
    };
    expect(await made({ ...wanted, value: 'bot:token' })).toMatchObject(wanted);
    expect(await made({ scope: 'repository', repo: 'local:ACME/web' })).toMatchObject({ repo: 'acme/web' });
    expect(await made({ scope: 'user', kind: 'file', value: 'two\nlines' })).toMatchObject({ scope: 'user', repo: '' });
  });

  test('16,384 bytes of UTF-8 are a value, one more is none', async () => {
    const euro = '€'.repeat(5_461);
    expect((await create({ value: `${euro}x` })).status).toBe(201);
    for (const value of [`${euro}xx`, 'x'.repeat(16_385), '']) {
      const answer = await create({ value });
      expect(errorOf(answer)).toEqual([400, 'invalid_request']);
      expect(answer.json['message']).toContain('body.value');
    }
  });

  test.each([
    '_',
    'a',
    'A1',
    `K${'x'.repeat(255)}`,
    'PATHS',
    'LDX',
    'GITHUB_TOKEN',
    'CARGO_REGISTRY_TOKEN',
    'HOME_TOKEN',
  ])('the key %s is one', async (key) => {
    expect((await create({ key })).status).toBe(201);
  });

  test.each(['', '1A', 'A-B', 'A B', 'Ä', 'A\n', `K${'x'.repeat(256)}`])('the key %j is none', async (key) => {
    const answer = await create({ key });
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toContain('body.key');
  });

  test.each([
    'PATH',
    'MAKEFLAGS',
    'GNUMAKEFLAGS',
    'CARGO_BUILD_RUSTC',
    'curl_home',
    'SBT_OPTS',
    'HOME',
    'path',
    'LD_PRELOAD',
    'NODE_OPTIONS',
    'GIT_CONFIG_COUNT',
    'http_proxy',
    'GUILDHALL_X',
  ])('the name %s is reserved', async (key) => {
    const answer = await create({ key });
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toContain(key);
  });

  test.each<[string, object, string]>([
    ['no key', { key: undefined }, 'body.key'],
    ['no value', { value: undefined }, 'body.value'],
    ['a value that is a number', { value: 7 }, 'body.value'],
    ['an unknown kind', { kind: 'ssh' }, 'body.kind'],
    ['an unknown scope', { scope: 'team' }, 'body.scope'],
    ['an unknown exposure', { exposure: 'agent' }, 'body.exposure'],
    ['an unknown field', { hash: 'x' }, 'body.hash'],
    ['a repository without its name', { scope: 'repository' }, 'body.repo'],
    ['a repository for the organization', { repo: 'acme/web' }, 'body.repo'],
    ['a broker without hosts', { exposure: 'broker' }, 'body.allowed_hosts'],
    ['a git credential without hosts', { kind: 'git_credential' }, 'body.allowed_hosts'],
    ['a file outside', { kind: 'file', exposure: 'broker', allowed_hosts: ['a.example'] }, 'body.exposure'],
    ['a URL as a host', { exposure: 'broker', allowed_hosts: ['https://a.example'] }, 'body.allowed_hosts'],
    ['any host', { exposure: 'broker', allowed_hosts: ['*'] }, 'body.allowed_hosts'],
    ['a host twice', { exposure: 'broker', allowed_hosts: ['a.example', 'a.example'] }, 'body.allowed_hosts'],
    [
      'a value that is no header',
      { exposure: 'broker', allowed_hosts: ['a.example'], value: `${canary}\r\nx: y` },
      'body.value',
    ],
    [
      'a header that frames the message',
      { exposure: 'broker', allowed_hosts: ['a.example'], value: `Host: ${canary}` },
      'body.value',
    ],
    [
      'a git credential of two lines',
      { kind: 'git_credential', allowed_hosts: ['a.example'], value: `${canary}\nx` },
      'body.value',
    ],
    ['a note that is too long', { note: 'x'.repeat(2_001) }, 'body.note'],
  ])('with %s is 400, and repeats nothing of the value', async (_name, body, place) => {
    const answer = await create(body);
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toContain(place);
    expect(answer.text).not.toContain('canary-3f9a1c77');
  });

  test('in a body that is broken JSON is 400, and repeats nothing of the value', async () => {
    for (const raw of [
      `{"key": "A", "value": "${canary}"`,
      `{"key": "A", "value": "${canary}" x}`,
      `{"value": ${canary}}`,
      `"${canary}`,
    ]) {
      const answer = await api.call('POST', path, { raw });
      expect(errorOf(answer)).toEqual([400, 'invalid_json']);
      expect(answer.text).not.toContain('3f9a1c77');
    }
  });

  test('for a repository that is not there is 404', async () => {
    expect(errorOf(await create({ scope: 'repository', repo: 'acme/none' }))).toEqual([404, 'repository_not_found']);
    expect(errorOf(await create({ scope: 'repository', repo: 'github:acme/web' }))).toEqual([
      404,
      'repository_not_found',
    ]);
  });

  test('a key is taken once at each place: the organization, a repository, a person', async () => {
    const ada = await person('ada@secrets.example');
    const places: [object, string][] = [
      [{}, api.adminKey],
      [{ scope: 'repository', repo: 'acme/web' }, api.adminKey],
      [{ scope: 'repository', repo: 'acme/api' }, api.adminKey],
      [{ scope: 'user' }, api.adminKey],
      [{ scope: 'user' }, ada.key],
    ];
    for (const [place, key] of places) expect((await create({ ...place, key: 'TAKEN' }, key)).status).toBe(201);
    for (const [place, key] of places)
      expect(errorOf(await create({ ...place, key: 'TAKEN' }, key))).toEqual([409, 'secret_exists']);
    const other = await api.createOrganization('Elsewhere');
    const body = { key: 'TAKEN', value: canary };
    const there = await api.call('POST', `/v3/organizations/${other.slug}/secrets`, { key: other.key, body });
    expect(there.status).toBe(201);
    const races = await Promise.all(Array.from({ length: 6 }, () => create({ key: 'RACED' })));
    expect(races.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409]);
  });

  test('a scope has 100 and no more, also when they come at once', async () => {
    const { slug, key } = await api.createOrganization('Full');
    const answers = await Promise.all(
      Array.from({ length: 103 }, (_, at) =>
        api.call('POST', `/v3/organizations/${slug}/secrets`, { key, body: { key: `K${at}`, value: 'v' } }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(100);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(errorOf(answer)).toEqual([409, 'conflict']);
    const own = { key: 'K0', value: 'v', scope: 'user' };
    expect((await api.call('POST', `/v3/organizations/${slug}/secrets`, { key, body: own })).status).toBe(201);
  });

  test('replayed, it answers the same and makes nothing; the value is in no part of the database', async () => {
    const headers = { 'idempotency-key': 'create-a-secret' };
    const body = { key: 'REPLAYED', value: canary };
    const first = await api.call('POST', path, { body, headers });
    const again = await api.call('POST', path, { body, headers });
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
    expect(again.json).toEqual(first.json);
    const conflict = await api.call('POST', path, { body: { ...body, value: 'other' }, headers });
    expect(errorOf(conflict)).toEqual([409, 'idempotency_conflict']);
    await api.call('PUT', `${path}/${String(first.json['id'])}`, { body: { value: `${canary}-2` } });
    const all = await everything();
    expect(all).toContain('REPLAYED');
    const spellings = ['utf8', 'hex', 'base64', 'base64url'] as const;
    for (const spelling of spellings) expect(all).not.toContain(Buffer.from(canary).toString(spelling).slice(0, 30));
  });
});

describe('listing', () => {
  test('by scope and repository, page by page', async () => {
    const { slug, key } = await api.createOrganization('Listing');
    const there = `/v3/organizations/${slug}`;
    await api.call('POST', `${there}/repositories`, { key, body: { provider: 'local', repo: 'acme/web' } });
    const bodies = [
      { key: 'ORG' },
      { key: 'REPO', scope: 'repository', repo: 'acme/web' },
      { key: 'MINE', scope: 'user' },
    ];
    for (const body of bodies) await api.call('POST', `${there}/secrets`, { key, body: { ...body, value: 'v' } });
    const rows: [string, string[]][] = [
      ['', ['MINE', 'REPO', 'ORG']],
      ['?scope=organization', ['ORG']],
      ['?scope=user,repository', ['MINE', 'REPO']],
      ['?repo=Acme/Web', ['REPO']],
      ['?repo=local:acme/web', ['REPO']],
      ['?repo=github:acme/web', []],
      ['?repo=acme/none', []],
      ['?scope=user&repo=acme/web', []],
      ['?search=r', ['REPO', 'ORG']],
      ['?search=_R', []],
      ['?search=R&scope=organization', ['ORG']],
    ];
    for (const [query, keys] of rows) {
      const { json } = await api.call('GET', `${there}/secrets${query}`, { key });
      const found = Object(json['items']).map((one: { key: string }) => one.key);
      expect([query, found, json['total']]).toEqual([query, keys, keys.length]);
    }
    const seen: unknown[] = [];
    for (let after = ''; ;) {
      const { json } = await api.call('GET', `${there}/secrets?first=1${after}`, { key });
      seen.push(...Object(json['items']).map((one: { key: string }) => one.key));
      if (json['has_next_page'] !== true) break;
      after = `&after=${String(json['end_cursor'])}`;
    }
    expect(seen).toEqual(['MINE', 'REPO', 'ORG']);
  });

  test.each(['scope=team', 'scope=', 'repo=', 'search=', 'first=0', 'kind=env', 'after=x'])(
    'with %s is 400',
    async (query) => {
      expect((await api.call('GET', `${path}?${query}`)).status).toBe(400);
    },
  );

  test('a member’s own content is visible to nobody else', async () => {
    const [eve, bob] = [await person('eve@secrets.example'), await person('bob@secrets.example')];
    const { id } = await made({ scope: 'user', key: 'EVES' }, eve.key);
    const at = `${path}/${String(id)}`;
    const seenBy = async (key: string) => (await api.call('GET', `${path}?scope=user`, { key })).text.includes('EVES');
    expect([await seenBy(eve.key), await seenBy(bob.key), await seenBy(api.adminKey)]).toEqual([true, false, false]);
    for (const key of [bob.key, api.adminKey]) {
      const answers = [
        await api.call('PUT', at, { key, body: { value: 'x' } }),
        await api.call('PATCH', at, { key, body: { note: 'x' } }),
        await api.call('GET', `${at}/usage`, { key }),
        await api.call('DELETE', at, { key }),
      ];
      for (const answer of answers) expect(errorOf(answer)).toEqual([404, 'secret_not_found']);
    }
    expect((await api.call('PATCH', at, { key: eve.key, body: { note: 'mine' } })).json['note']).toBe('mine');
    await api.call('DELETE', `/v3/organizations/default/members/${eve.id}`);
    const left = await api.ctx.db.pool.query('select 1 from secrets where id = $1', [id]);
    expect(left.rows).toEqual([]);
  });
});

describe('changing', () => {
  test('a new value is the next version, and nothing else changes', async () => {
    const before = await made({ key: 'VERSIONED', note: 'kept' });
    const at = `${path}/${String(before['id'])}`;
    const { status, json } = await api.call('PUT', at, { body: { value: 'second' } });
    expect(status).toBe(200);
    expect(json).toEqual({ ...before, version: 2, updated_at: expect.any(String) });
    expect(await secretValue(api.ctx, orgId, 'VERSIONED', 'https://models.example')).toBe('second');
    const racers = Array.from({ length: 5 }, (_, n) => api.call('PUT', at, { body: { value: `v${n}` } }));
    const versions = (await Promise.all(racers)).map((answer) => Number(answer.json['version']));
    expect(versions.toSorted((one, other) => one - other)).toEqual([3, 4, 5, 6, 7]);
    const last = versions.indexOf(7);
    expect(await secretValue(api.ctx, orgId, 'VERSIONED', 'https://models.example')).toBe(`v${last}`);
  });

  test('metadata can be changed, name, place and value cannot', async () => {
    const { id } = await made({});
    const at = `${path}/${String(id)}`;
    const change = { note: 'n', exposure: 'broker', allowed_hosts: ['api.example.com'] };
    expect((await api.call('PATCH', at, { body: change })).json).toMatchObject({ ...change, version: 1 });
    expect((await api.call('PATCH', at, { body: {} })).json).toMatchObject(change);
    for (const body of [{ key: 'X' }, { value: 'x' }, { scope: 'user' }, { repo: 'acme/web' }, { version: 2 }])
      expect(errorOf(await api.call('PATCH', at, { body }))).toEqual([400, 'invalid_request']);
    expect(errorOf(await api.call('PATCH', at, { body: { allowed_hosts: [] } }))).toEqual([400, 'invalid_request']);
    expect(errorOf(await api.call('PATCH', at, { body: { kind: 'file' } }))).toEqual([400, 'invalid_request']);
  });

  test('a value that is no header cannot become one', async () => {
    const { id } = await made({ value: `${canary}\nof two lines` });
    const at = `${path}/${String(id)}`;
    for (const body of [
      { exposure: 'broker', allowed_hosts: ['api.example.com'] },
      { kind: 'git_credential', allowed_hosts: ['api.example.com'] },
    ]) {
      const answer = await api.call('PATCH', at, { body });
      expect(errorOf(answer)).toEqual([400, 'invalid_request']);
      expect(answer.text).not.toContain('3f9a1c77');
    }
    await api.call('PUT', at, { body: { value: 'one-line' } });
    const body = { exposure: 'broker', allowed_hosts: ['api.example.com'] };
    expect((await api.call('PATCH', at, { body })).status).toBe(200);
    expect(errorOf(await api.call('PUT', at, { body: { value: 'two\nlines' } }))).toEqual([400, 'invalid_request']);
  });

  test('a deleted one is gone, and its name is free', async () => {
    const { id, key } = await made({});
    const at = `${path}/${String(id)}`;
    expect((await api.call('DELETE', at)).status).toBe(204);
    expect(errorOf(await api.call('DELETE', at))).toEqual([404, 'secret_not_found']);
    expect(errorOf(await api.call('PUT', at, { body: { value: 'x' } }))).toEqual([404, 'secret_not_found']);
    expect(await secretValue(api.ctx, orgId, String(key), 'https://models.example')).toBeUndefined();
    expect((await create({ key })).status).toBe(201);
  });

  test('the secrets of a repository go with it', async () => {
    const body = { provider: 'local', repo: 'acme/gone' };
    const { json } = await api.call('POST', '/v3/organizations/default/repositories', { body });
    await made({ scope: 'repository', repo: 'acme/gone', key: 'GONE' });
    await api.call('DELETE', `/v3/organizations/default/repositories/${String(json['id'])}`);
    expect((await api.call('GET', path)).text).not.toContain('"GONE"');
  });

  test('using a value is noted', async () => {
    const { id, key } = await made({ key: 'USED' });
    await secretValue(api.ctx, orgId, String(key), 'https://models.example');
    const listed = Object((await api.call('GET', path)).json['items']).find((one: { id: string }) => one.id === id);
    expect(listed.last_used_at).toEqual(expect.any(String));
  });
});

describe('who may', () => {
  test('reads take secrets:read, writes secrets:write', async () => {
    const { id } = await made({});
    const [reader, writer] = [await api.keyWith(['secrets:read']), await api.keyWith(['secrets:write'])];
    const at = `${path}/${String(id)}`;
    expect((await api.call('GET', path, { key: reader })).status).toBe(200);
    expect((await api.call('GET', `${at}/usage`, { key: reader })).status).toBe(200);
    for (const where of [path, `${at}/usage`])
      expect(errorOf(await api.call('GET', where, { key: writer }))).toEqual([403, 'forbidden']);
    expect(errorOf(await create({}, reader))).toEqual([403, 'forbidden']);
    for (const [method, body] of [
      ['PUT', { value: 'x' }],
      ['PATCH', { note: 'x' }],
      ['DELETE', undefined],
    ] as const)
      expect(errorOf(await api.call(method, at, { key: reader, body }))).toEqual([403, 'forbidden']);
    expect((await create({}, writer)).status).toBe(201);
    expect((await api.call('PUT', at, { key: writer, body: { value: 'x' } })).status).toBe(200);
  });

  test("another organization's secret is a missing one", async () => {
    const { id } = await made({});
    const { slug, key } = await api.createOrganization('Stranger');
    const at = `/v3/organizations/${slug}/secrets/${String(id)}`;
    const answers = [
      await api.call('PUT', at, { key, body: { value: 'x' } }),
      await api.call('PATCH', at, { key, body: { note: 'x' } }),
      await api.call('GET', `${at}/usage`, { key }),
      await api.call('DELETE', at, { key }),
    ];
    for (const answer of answers) expect(errorOf(answer)).toEqual([404, 'secret_not_found']);
  });

  test('every change is on record, without the value', async () => {
    const { id } = await made({ key: 'AUDITED', note: 'n' });
    const at = `${path}/${String(id)}`;
    await api.call('PUT', at, { body: { value: `${canary}-2` } });
    await api.call('PATCH', at, { body: { note: 'other' } });
    await api.call('DELETE', at);
    const { rows } = await api.ctx.db.pool.query<{ action: string; changes: object }>(
      'select action, changes from audit_entries where resource_id = $1 order by id',
      [id],
    );
    expect(rows).toEqual([
      {
        action: 'secret.create',
        changes: { key: 'AUDITED', scope: 'organization', kind: 'env', exposure: 'sandbox', allowed_hosts: [] },
      },
      { action: 'secret.set_value', changes: { key: 'AUDITED', version: 2 } },
      { action: 'secret.update', changes: { key: 'AUDITED', note: 'other' } },
      { action: 'secret.delete', changes: { key: 'AUDITED' } },
    ]);
  });
});
