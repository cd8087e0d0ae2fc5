import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { signedIn, type Browser } from '../../../test/support/browser.ts';
import { join } from '../../../test/support/members.ts';
import { scopes } from '../../lib/scopes.ts';
import { setOperatorPassword } from '../auth/password-service.ts';

const password = 'a long enough secret';
const org = '/v3/organizations/default';

let api: TestApi;
let orgId: string;
let people = 0;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', org)).json['id']);
});
afterAll(() => api.close());

interface Key {
  id: string;
  key: string;
}

async function post(key: string, path: string, body: object = {}): Promise<Answer['json']> {
  const { status, json, text } = await api.call('POST', path, { key, body });
  if (status >= 300) throw new Error(text);
  return json;
}

async function issue(key: string, path: string, more: object = {}): Promise<Key> {
  const json = await post(key, path, { name: 'made', scopes, ...more });
  return { id: String(json['id']), key: String(json['key']) };
}

const personal = (key: string, more?: object): Promise<Key> => issue(key, '/v3/self/keys', more);

async function machine(key: string, at = org): Promise<Key> {
  return issue(
    key,
    `${at}/service-users/${String((await post(key, `${at}/service-users`, { name: 'ci' }))['id'])}/keys`,
  );
}

async function app(key: string): Promise<Key> {
  return issue(key, `/apps/${String((await post(key, '/apps', { name: 'app' }))['id'])}/keys`);
}

async function works({ key }: { key: string }): Promise<boolean> {
  return (await api.call('GET', '/v3/self', { key })).status === 200;
}

function working(keys: readonly { key: string }[]): Promise<boolean[]> {
  return Promise.all(keys.map(works));
}

/** Creates a user with a browser, and a key that this browser created. */
async function person(): Promise<{ browser: Browser; first: Key; userId: string }> {
  people += 1;
  const email = `maker${people}@example.com`;
  const userId = await join(api, orgId, 'admin', email);
  await setOperatorPassword(api.ctx, email, password);
  const browser = await signedIn(api, email, password);
  const { json } = await browser.call('POST', '/v3/self/keys', { body: { name: 'first', scopes } });
  return { browser, userId, first: { id: String(json['id']), key: String(json['key']) } };
}

async function invite(key: string): Promise<string> {
  people += 1;
  const body = { emails: [`invited${people}@example.com`], permission: 'admin' };
  const json = await post(key, `${org}/members/invites`, body);
  return new URL(String(Object(Object(json['items'])[0]).accept_url)).pathname;
}

function accept(link: string): Promise<Answer> {
  return api.call('POST', `/v3${link}/accept`, { key: '', body: { name: 'Invited', password } });
}

describe('revoking a key', () => {
  test('ends all that it made, however far down and of whatever kind, each on record', async () => {
    const { browser, first } = await person();
    const other = await browser.call('POST', '/v3/self/keys', { body: { name: 'beside', scopes } });
    const own = await personal(first.key);
    const deep = await personal(own.key);
    const rotated = await post(deep.key, `/v3/self/keys/${deep.id}/rotate`, { overlap_seconds: 600 });
    const made = [own, deep, { id: String(rotated['id']), key: String(rotated['key']) }];
    made.push(await machine(first.key), await app(own.key));
    const organization = await post(first.key, '/v3/organizations', { name: `Made ${people}` });
    const there = await machine(String(organization['key']), `/v3/organizations/${String(organization['slug'])}`);
    const token = String((await post(own.key, '/session/mcp-token'))['token']);
    expect(await working(made)).toEqual(made.map(() => true));
    const headers = { 'x-guildhall-organization': orgId };
    expect((await browser.call('DELETE', `/v3/self/keys/${first.id}`, { headers })).status).toBe(204);
    expect(await working([...made, { key: String(organization['key']) }, there])).toEqual([
      ...made.map(() => false),
      false,
      false,
    ]);
    const ping = { key: token, body: { jsonrpc: '2.0', id: 1, method: 'ping' } };
    expect((await api.call('POST', '/mcp', ping)).status).toBe(401);
    expect(await works({ key: String(other.json['key']) })).toBe(true);
    const { rows } = await api.ctx.db.pool.query(
      `select resource_id, changes from audit_entries where action = 'key.revoke' and resource_id = any ($1)`,
      [[...made.map(({ id }) => id), there.id]],
    );
    expect(rows).toHaveLength(made.length + 1);
    for (const { changes } of rows) expect(changes).toEqual({ made_by: first.id });
  });

  test('takes back the invitations that wait; who has joined stays', async () => {
    const { browser, first } = await person();
    const [used, waiting] = [await invite(first.key), await invite((await personal(first.key)).key)];
    const joined = await accept(used);
    expect(joined.status).toBe(201);
    await browser.call('DELETE', `/v3/self/keys/${first.id}`);
    expect((await accept(waiting)).status).toBe(404);
    expect((await api.call('GET', `${org}/members/${String(joined.json['user_id'])}`)).status).toBe(200);
  });

  test('of a machine ends what it made too', async () => {
    const parent = await machine(api.adminKey);
    const child = await machine(parent.key);
    const { json } = await api.call('GET', '/v3/self', { key: parent.key });
    const path = `${org}/service-users/${String(json['principal_id'])}/keys/${parent.id}`;
    expect((await api.call('DELETE', path)).status).toBe(204);
    expect(await working([parent, child])).toEqual([false, false]);
    const origin = await app(api.adminKey);
    const made = await app(origin.key);
    const { principal_id: appId } = (await api.call('GET', '/v3/self', { key: origin.key })).json;
    expect((await api.call('DELETE', `/apps/${String(appId)}/keys/${origin.id}`)).status).toBe(200);
    expect(await working([origin, made])).toEqual([false, false]);
  });

  test('leaves what it made where that is asked for', async () => {
    const { browser, first } = await person();
    const made = [await personal(first.key), await machine(first.key)];
    const link = await invite(first.key);
    expect((await browser.call('DELETE', `/v3/self/keys/${first.id}?made=keep`)).status).toBe(204);
    expect(await working([first, ...made])).toEqual([false, true, true]);
    expect((await accept(link)).status).toBe(201);
  });

  test('leaves the key that asks, and what that made: a successor may end the one before', async () => {
    const { first } = await person();
    const successor = await personal(first.key);
    const [beside, after] = [await personal(first.key), await machine(successor.key)];
    expect((await api.call('DELETE', `/v3/self/keys/${first.id}`, { key: successor.key })).status).toBe(204);
    expect(await working([first, beside, successor, after])).toEqual([false, false, true, true]);
  });

  test('by a key that may not revoke those of machines leaves them', async () => {
    const { browser, first } = await person();
    const weak = await personal(first.key, { scopes: ['sessions:read'] });
    const made = [await personal(first.key), await machine(first.key)];
    const link = await invite(first.key);
    expect((await api.call('DELETE', `/v3/self/keys/${first.id}`, { key: weak.key })).status).toBe(204);
    expect(await working([first, weak, ...made])).toEqual([false, true, false, true]);
    expect((await accept(link)).status).toBe(201);
    expect((await browser.call('GET', '/v3/self')).status).toBe(200);
  });

  test('at the same moment as it makes others leaves none', async () => {
    const { browser, first } = await person();
    const path = `/v3/self/keys/${first.id}`;
    const making = Array.from({ length: 12 }, () => personal(first.key).then((key) => personal(key.key)));
    const [, ...results] = await Promise.allSettled([browser.call('DELETE', path), ...making]);
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(await works(first)).toBe(false);
    expect(await working(made)).toEqual(made.map(() => false));
    const { rows } = await api.ctx.db.pool.query(
      `select id from api_keys where created_by_key is not null and revoked_at is null and principal_id =
        (select principal_id from api_keys where id = $1)`,
      [first.id],
    );
    expect(rows).toEqual([]);
  });
});

test('a list says which key made each, and nothing of one that a sign-in made', async () => {
  const { browser, first } = await person();
  const made = await personal(first.key);
  const { json } = await browser.call('GET', '/v3/self/keys');
  const items: unknown[] = Array.isArray(json['items']) ? json['items'] : [];
  expect(items.map((item) => [Object(item).id, Object(item).created_by_key])).toEqual([
    [made.id, first.id],
    [first.id, ''],
  ]);
});

describe('a person, service user or app', () => {
  test('has at most 500 keys that work; those that ended count no more', async () => {
    const { first, userId } = await person();
    const fill = `insert into api_keys (id, org_id, principal_type, principal_id, name, scopes, hash, prefix, last4)
      select 'key_' || $2 || n, $1, 'user', $2, 'many', '{run}', $2 || n, '', '' from generate_series(1, 498) n`;
    await api.ctx.db.pool.query(fill, [orgId, userId]);
    const attempts = await Promise.all(
      Array.from({ length: 4 }, () =>
        api.call('POST', '/v3/self/keys', { key: first.key, body: { name: 'one more', scopes: ['run'] } }),
      ),
    );
    expect(attempts.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    const refused = attempts.find(({ status }) => status === 409);
    expect(refused?.json).toMatchObject({ error: 'conflict', message: expect.stringContaining('500') });
    const rotate = `/v3/self/keys/key_${userId}1/rotate`;
    const kept = await api.call('POST', rotate, { key: first.key, body: { overlap_seconds: 60 } });
    expect([kept.status, kept.json['error']]).toEqual([409, 'conflict']);
    expect((await api.call('POST', rotate, { key: first.key, body: {} })).status).toBe(200);
    await api.call('DELETE', `/v3/self/keys/key_${userId}2`, { key: first.key });
    expect(await works(await personal(first.key))).toBe(true);
  });
});
