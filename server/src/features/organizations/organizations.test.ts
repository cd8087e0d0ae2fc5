import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { createOperatorOrganization, requireOrganizationId } from './service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());

const path = '/v3/organizations';

function create(body: object) {
  return api.call('POST', path, { body });
}

describe('creating one', () => {
  test('answers the whole organization and, once, a key of its administrator', async () => {
    const { status, json } = await create({ name: 'Acme Robotics', slug: 'acme' });
    expect(status).toBe(201);
    const fields = ['id', 'slug', 'name', 'state', 'created_at', 'updated_at', 'key'];
    expect(Object.keys(json)).toEqual(fields);
    expect(json).toMatchObject({ id: expect.stringMatching(/^org_/), slug: 'acme', state: 'active' });
    const key = String(json['key']);
    const self = (await api.call('GET', '/v3/self', { key })).json;
    expect(self).toMatchObject({ permission: 'admin', organization: { slug: 'acme', name: 'Acme Robotics' } });
    const read = (await api.call('GET', `${path}/acme`, { key })).json;
    expect(read).toEqual(Object.fromEntries(Object.entries(json).filter(([name]) => name !== 'key')));
    // It has the content of every new organization.
    expect((await api.call('GET', '/agents', { key })).json).toMatchObject({ total: 1, items: [{ name: 'builtin' }] });
    const connections = await api.call('GET', `${path}/acme/git-connections`, { key });
    expect(connections.json).toMatchObject({ total: 1, items: [{ provider: 'local', state: 'connected' }] });
  });

  test.each([
    ['Ümläut & Söhne!', 'umlaut-sohne'],
    ['日本', 'org'],
    ['A', 'org-a'],
    ['long '.repeat(30), 'long-long-long-long-long-long-lo'],
  ])('makes a slug of the name %j, and another one when that is taken', async (name, slug) => {
    expect((await create({ name })).json['slug']).toBe(slug);
    expect((await create({ name })).json['slug']).toMatch(new RegExp(`^${slug}-[0-9a-f]{6}$`));
  });

  test.each([
    ['too short', { name: 'x', slug: 'ab' }],
    ['too long', { name: 'x', slug: 'a'.repeat(41) }],
    ['upper case', { name: 'x', slug: 'Acme' }],
    ['a dot', { name: 'x', slug: 'a.b.c' }],
    ['an empty name', { name: '' }],
    ['a long name', { name: 'x'.repeat(201) }],
    ['no name', { slug: 'nameless' }],
  ])('%s is 400', async (_name, body) => {
    const answer = await create(body);
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request']);
  });

  test('its name is one line, without what a terminal obeys or what turns the direction of text', async () => {
    const { json } = await create({ name: ' Def\u202eault\u001b[2J\nInc.\u0007 ' });
    expect(json['name']).toBe('Default[2J Inc.');
    const blank = await create({ name: '\u202e\u001b' });
    expect([blank.status, blank.json['error']]).toEqual([400, 'invalid_request']);
  });

  test('a taken slug is 409, also for those who ask at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => create({ name: 'Race', slug: 'race' })));
    const statuses = answers.map(({ status, json }) => [status, json['error']]);
    expect(statuses.filter(([status]) => status === 201)).toHaveLength(1);
    expect(statuses.filter(([status, error]) => status === 409 && error === 'slug_taken')).toHaveLength(7);
  });

  test('is for persons with org:write', async () => {
    const machine = await api.call('POST', path, { key: await api.keyWith(['org:write']), body: { name: 'x' } });
    expect([machine.status, machine.json['error']]).toEqual([403, 'forbidden']);
    const reader = (await api.call('POST', '/v3/self/keys', { body: { name: 'k', scopes: ['org:read'] } })).json['key'];
    const person = await api.call('POST', path, { key: String(reader), body: { name: 'x' } });
    expect(person.json['message']).toContain('org:write');
  });
});

describe('how many', () => {
  test('a person may have made at most what the operator allows, also at once', async () => {
    const few = await api.another({ GUILDHALL_ORGANIZATIONS_PER_PERSON: '3' });
    const orgId = String((await api.call('GET', `${path}/default`)).json['id']);
    const person = await join(api, orgId, 'admin');
    await api.ctx.db.pool.query("update members set source = 'invite' where user_id = $1", [person]);
    const key = await personalKey(api, orgId, person);
    const body = { name: 'Many' };
    const answers = await Promise.all(Array.from({ length: 6 }, () => few.call('POST', path, { key, body })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 201, 201, 403, 403, 403]);
    const made = answers.find(({ status }) => status === 201);
    const more = await few.call('POST', path, { key: String(made?.json['key']), body });
    expect([more.status, more.json['error'], more.json['message']]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('a user can create at most 3'),
    ]);
    await few.close();
  });

  test('where Only the operator makes them, nobody else does', async () => {
    const closed = await api.another({ GUILDHALL_ORGANIZATIONS: 'operator' });
    const { status, json } = await closed.call('POST', path, { body: { name: 'Mine' } });
    expect([status, json['error'], json['message']]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('Only the operator'),
    ]);
    await closed.close();
    const email = 'tenant@example.com';
    const first = await createOperatorOrganization(api.ctx, { name: 'Tenant\u202e', email });
    const second = await createOperatorOrganization(api.ctx, { name: 'Tenant', email: 'TENANT@example.com' });
    const selves = [];
    for (const { key } of [first, second]) selves.push((await api.call('GET', '/v3/self', { key })).json);
    expect(selves[0]).toMatchObject({ email, permission: 'admin', organization: { slug: 'tenant', name: 'Tenant' } });
    expect(selves[1]).toMatchObject({ email, principal_id: selves[0]?.['principal_id'], permission: 'admin' });
  });
});

describe('renaming one', () => {
  test('changes what is named and nothing else', async () => {
    const { slug, key } = await api.createOrganization('Before');
    const { status, json } = await api.call('PATCH', `${path}/${slug}`, { key, body: { name: 'After' } });
    expect([status, json['name'], json['slug']]).toEqual([200, 'After', slug]);
  });

  test('the old slug leads to it for 90 days, and is nobody else’s meanwhile', async () => {
    const { key, slug } = await api.createOrganization('Old name');
    const renamed = await api.call('PATCH', `${path}/${slug}`, { key, body: { slug: 'new-name' } });
    expect(renamed.json['slug']).toBe('new-name');
    for (const known of [slug, 'new-name'])
      expect((await api.call('GET', `${path}/${known}/sessions`, { key })).status).toBe(200);
    expect((await create({ name: 'x', slug })).json['error']).toBe('slug_taken');

    await api.ctx.db.pool.query(`update retired_slugs set expires_at = expires_at - interval '89 days 23 hours'`);
    expect((await api.call('GET', `${path}/${slug}`, { key })).status).toBe(200);
    await api.ctx.db.pool.query(`update retired_slugs set expires_at = expires_at - interval '2 hours'`);
    const gone = await api.call('GET', `${path}/${slug}`, { key });
    expect([gone.status, gone.json['error']]).toEqual([404, 'organization_not_found']);
    expect((await create({ name: 'x', slug })).status).toBe(201);
  });

  test('it may go back to a slug of its own', async () => {
    const { key, slug } = await api.createOrganization('There and back');
    await api.call('PATCH', `${path}/${slug}`, { key, body: { slug: 'there' } });
    const back = await api.call('PATCH', `${path}/there`, { key, body: { slug } });
    expect([back.status, back.json['slug']]).toEqual([200, slug]);
    expect((await api.call('GET', `${path}/there`, { key })).status).toBe(200);
  });

  test('to a slug of another is 409 slug_taken; an unknown key or null is 400', async () => {
    const { key, slug } = await api.createOrganization('Envious');
    const rows: [object, number, string][] = [
      [{ slug: 'default' }, 409, 'slug_taken'],
      [{ state: 'suspended' }, 400, 'invalid_request'],
      [{ name: null }, 400, 'invalid_request'],
    ];
    for (const [body, status, error] of rows) {
      const answer = await api.call('PATCH', `${path}/${slug}`, { key, body });
      expect([answer.status, answer.json['error']]).toEqual([status, error]);
    }
  });

  test('takes org:write, and reading org:read', async () => {
    const reader = await api.keyWith(['org:read']);
    expect((await api.call('GET', `${path}/default`, { key: reader })).status).toBe(200);
    expect((await api.call('PATCH', `${path}/default`, { key: reader, body: {} })).status).toBe(403);
    expect((await api.call('GET', `${path}/default`, { key: await api.keyWith(['run']) })).status).toBe(403);
  });
});

test('a person lists every organization of theirs, a machine its own', async () => {
  const all = (await api.call('GET', `${path}?first=200`)).json;
  expect(Number(all['total'])).toBeGreaterThan(5);
  const machine = (await api.call('GET', path, { key: await api.keyWith(['run']) })).json;
  expect(machine).toMatchObject({ total: 1, items: [{ slug: 'default' }] });
});

test('the operator names one by its id or its slug; one that is not there is 404', async () => {
  const db = api.ctx.db.kysely;
  const id = await requireOrganizationId(db, 'default');
  expect(id).toMatch(/^org_/);
  expect(await requireOrganizationId(db, id)).toBe(id);
  await expect(requireOrganizationId(db, 'nobody')).rejects.toThrow('organization "nobody"');
});
