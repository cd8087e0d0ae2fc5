import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { principalJson } from '../src/db/principal.ts';
import { startTestApi, type TestApi } from './support/api.ts';
import { join, personalKey } from './support/members.ts';

/** Returns the schemas in the document that describe a principal, with their place in it. */
function principalsIn(schema: unknown, place: string): [place: string, properties: object][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const below = Object.entries(schema).flatMap(([key, inner]) => principalsIn(inner, `${place}/${key}`));
  const properties: unknown = Reflect.get(schema, 'properties');
  if (typeof properties !== 'object' || properties === null || !('type' in properties && 'id' in properties))
    return below;
  const kinds: unknown = Reflect.get(Object(properties.type), 'enum');
  const isPrincipal =
    (Array.isArray(kinds) && kinds.includes('service_user')) || /(_by|author|actor|creator|owner)$/.test(place);
  return isPrincipal ? [[place, properties], ...below] : below;
}

test('every principal in the API has a name', async () => {
  const document: unknown = JSON.parse(await readFile(new URL('../../client/openapi.json', import.meta.url), 'utf8'));
  const found = principalsIn(document, '');
  expect(found.map(([place]) => place)).toContain('/components/schemas/Principal');
  const nameless = found.filter(([, properties]) => !('name' in properties)).map(([place]) => place);
  // The audit log hashes its entries, so it has the name of that time, in `display`.
  expect(nameless).toEqual(['/components/schemas/AuditEntry/properties/actor']);
});

describe('names', () => {
  const organization = '/v3/organizations/default';
  let api: TestApi;
  let orgId: string;
  beforeAll(async () => {
    api = await startTestApi();
    orgId = String((await api.call('GET', organization)).json['id']);
  });
  afterAll(() => api.close());

  const note = async (key: string) => {
    const body = { name: 'A name', trigger: 'When it is so', body: 'Do it.' };
    return (await api.call('POST', `${organization}/knowledge/notes`, { key, body })).json;
  };
  const creators = async () => {
    const { json } = await api.call('GET', `${organization}/knowledge/notes`);
    return [json['items']].flat().map((item) => Object(item).created_by);
  };

  test('are current ones, of users, service users, apps and sessions, and "" of who is gone', async () => {
    const ada = await join(api, orgId, 'member');
    const machine = (await api.call('POST', `${organization}/service-users`, { body: { name: 'nightly' } })).json['id'];
    const issued = await api.call('POST', `${organization}/service-users/${String(machine)}/keys`, {
      body: { name: 'x', scopes: ['memory:write'] },
    });
    const app = (await api.call('POST', '/apps', { body: { name: 'Board' } })).json['id'];
    const keyOfApp = await api.call('POST', `/apps/${String(app)}/keys`, {
      body: { name: 'x', scopes: ['memory:write'] },
    });
    const made = await note(await personalKey(api, orgId, ada));
    expect(made['created_by']).toEqual({ type: 'user', id: ada, name: `Person ${ada.slice(-4)}` });
    await note(String(issued.json['key']));
    await note(String(keyOfApp.json['key']));
    await api.call('PATCH', `${organization}/service-users/${String(machine)}`, { body: { name: 'weekly' } });
    await api.ctx.db.pool.query('update users set name = $2 where id = $1', [ada, 'Ada Lovelace']);
    expect(await creators()).toEqual([
      { type: 'app', id: app, name: 'Board' },
      { type: 'service_user', id: machine, name: 'weekly' },
      { type: 'user', id: ada, name: 'Ada Lovelace' },
    ]);
    const session = await api.call('POST', `${organization}/sessions`, { body: { prompt: 'x', title: 'Mend it' } });
    const by = { type: 'session', id: session.json['id'] };
    await api.ctx.db.pool.query('update knowledge_notes set created_by_type = $1, created_by_id = $2', [
      by.type,
      by.id,
    ]);
    expect((await creators())[0]).toEqual({ ...by, name: 'Mend it' });
    await api.ctx.db.pool.query(`update knowledge_notes set created_by_type = 'user', created_by_id = 'usr_gone'`);
    expect((await creators())[0]).toEqual({ type: 'user', id: 'usr_gone', name: '' });
    expect(session.json['created_by']).toEqual({
      type: 'user',
      id: expect.any(String),
      name: expect.stringMatching(/./),
    });
  });

  test('are read by primary key', async () => {
    const { rows } = await api.ctx.db.pool.query<{ 'QUERY PLAN': string }>(
      `explain select ${principalJson('sessions.created_by')} from sessions where id = 'ses_1'`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan.match(/Index Scan using \w+_pkey on \w+ named/g)).toHaveLength(4);
  });
});
