import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { openBrowser, signedIn } from '../../../test/support/browser.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { scopes } from '../../lib/scopes.ts';
import { setOperatorPassword } from '../auth/password-service.ts';

const path = '/v3/organizations/default/members/invites';
const password = 'a long enough secret';
const day = 86_400_000;

let api: TestApi;
let orgId: string;
let laterMs = 0;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
  api.ctx.clock.now = () => new Date(Date.now() + laterMs);
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
});
afterAll(() => api.close());

interface Item {
  id: string;
  email: string;
  permission: string;
  state: string;
  expires_at: string;
  result: string;
  accept_url: string;
}

function itemsOf({ json }: Answer): Item[] {
  return Array.isArray(json['items']) ? json['items'].map((item: unknown): Item => Object(item)) : [];
}

async function invite(email: string, permission = 'member', key = api.adminKey, at = 'default') {
  const answer = await api.call('POST', `/v3/organizations/${at}/members/invites`, {
    key,
    body: { emails: [email], permission },
  });
  const [item] = itemsOf(answer);
  if (item === undefined) throw new Error(answer.text);
  return { ...item, token: item.accept_url.split('/').at(-1) ?? '' };
}

function accept(token: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  return api.call('POST', `/v3/invites/${token}/accept`, { key: '', body, headers });
}

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

const gone = [404, 'invite_not_found'];

async function stateOf(id: string): Promise<string | undefined> {
  return itemsOf(await api.call('GET', `${path}?first=200`)).find((item) => item.id === id)?.state;
}

describe('inviting', () => {
  test('each address has a result of its own', async () => {
    await join(api, orgId, 'viewer', 'Member@example.com');
    const emails = [
      'Ada@example.com',
      'ADA@EXAMPLE.COM',
      'mEMBER@example.com',
      'nobody',
      '',
      'a b@example.com',
      'x@',
      'a@-b.com',
      'ü@example.com',
      'root@localhost',
    ];
    const { status, json, text } = await api.call('POST', path, { body: { emails, permission: 'viewer' } });
    expect(status).toBe(201);
    const items = itemsOf({ status, json, text, headers: new Headers() });
    expect([json['total'], items.map(({ result }) => result)]).toEqual([
      10,
      ['created', 'already_invited', 'already_member', ...Array.from({ length: 6 }, () => 'invalid'), 'created'],
    ]);
    expect(Object.keys(items[0] ?? {})).toEqual([
      'id',
      'email',
      'permission',
      'state',
      'expires_at',
      'result',
      'accept_url',
    ]);
    expect(items[0]).toMatchObject({ email: 'Ada@example.com', permission: 'viewer', state: 'pending' });
    expect(items[0]?.accept_url).toMatch(new RegExp(`^${api.url}/invites/[\\w-]{43}$`));
    expect(items[1]).toMatchObject({ id: items[0]?.id, state: 'pending', accept_url: '' });
    expect(items[2]).toEqual({
      id: '',
      email: 'mEMBER@example.com',
      permission: 'viewer',
      state: '',
      expires_at: '',
      result: 'already_member',
      accept_url: '',
    });
    expect(Date.parse(items[0]?.expires_at ?? '') - Date.now()).toBeGreaterThan(7 * day - 60_000);
    const token = items[0]?.accept_url.split('/').at(-1) ?? '-';
    const list = await api.call('GET', path);
    expect(list.text).not.toContain(token);
    expect(Object.keys(itemsOf(list)[0] ?? {})).toEqual([
      'id',
      'email',
      'permission',
      'state',
      'created_at',
      'expires_at',
    ]);
    const { rows } = await api.ctx.db.pool.query('select * from invites');
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test.each([
    ['nobody', { emails: [] }],
    ['more than a hundred', { emails: Array.from({ length: 101 }, (_, n) => `p${n}@example.com`) }],
    ['no list', {}],
    ['an unknown permission', { emails: ['a@example.com'], permission: 'owner' }],
    ['something else', { emails: ['a@example.com'], role: 'pro' }],
  ])('%s is 400', async (_name, body) => {
    expect(errorOf(await api.call('POST', path, { body }))).toEqual([400, 'invalid_request']);
  });

  test('a hundred at once', async () => {
    const emails = Array.from({ length: 100 }, (_, n) => `crowd${n}@example.com`);
    const items = itemsOf(await api.call('POST', path, { body: { emails, permission: 'member' } }));
    expect(new Set(items.map(({ accept_url: url }) => url)).size).toBe(100);
  });

  test('the same address by many at once is invited once', async () => {
    const many = Array.from({ length: 8 }, () => invite('once@example.com'));
    expect((await Promise.all(many)).filter(({ result }) => result === 'created')).toHaveLength(1);
  });

  test('its links are shown once: a replay has none', async () => {
    const options = { body: { emails: ['replay@example.com'] }, headers: { 'idempotency-key': 'invite-once' } };
    const first = await api.call('POST', path, options);
    expect(itemsOf(first)[0]).toMatchObject({ permission: 'member', accept_url: expect.stringContaining('/invites/') });
    const again = await api.call('POST', path, options);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(itemsOf(again)).toEqual([{ ...itemsOf(first)[0], accept_url: '' }]);
    const resend = { headers: { 'idempotency-key': 'resend-once' } };
    const url = `${path}/${itemsOf(first)[0]?.id ?? ''}/resend`;
    expect((await api.call('POST', url, resend)).json['accept_url']).toContain('/invites/');
    expect((await api.call('POST', url, resend)).json['accept_url']).toBe('');
  });

  test('is for administrators; reading takes org:read', async () => {
    const key = await api.keyWith(['org:read']);
    expect((await api.call('GET', path, { key })).status).toBe(200);
    const { id } = await invite('scoped@example.com');
    for (const [method, url, body] of [
      ['POST', path, { emails: ['x@example.com'] }],
      ['DELETE', `${path}/${id}`, undefined],
      ['POST', `${path}/${id}/resend`, undefined],
    ] as const)
      expect(errorOf(await api.call(method, url, { key, body }))).toEqual([403, 'forbidden']);
    expect(errorOf(await api.call('GET', path, { key: await api.keyWith(['run']) }))).toEqual([403, 'forbidden']);
  });

  test('gives no scope that the key which asks lacks, by a new link of an older invite neither', async () => {
    const key = await api.keyWith(['org:read', 'org:write']);
    const body = { emails: ['lifted@example.com'], permission: 'admin' };
    const refused = await api.call('POST', path, { key, body });
    expect(errorOf(refused)).toEqual([403, 'forbidden']);
    expect(refused.json['message']).toMatch(/secrets:write.*"admin"/);
    const { id, token } = await invite('lifted@example.com', 'admin');
    expect(errorOf(await api.call('POST', `${path}/${id}/resend`, { key }))).toEqual([403, 'forbidden']);
    expect((await accept(token, { name: 'L', password })).status).toBe(201);
  });

  test('lasts no longer than the key that asks', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const made = await api.call('POST', '/v3/self/keys', { body: { name: 'short', scopes, expires_at } });
    const key = String(made.json['key']);
    const { id, expires_at: ends } = await invite('short@example.com', 'member', key);
    expect(ends).toBe(expires_at);
    expect((await api.call('POST', `${path}/${id}/resend`, { key })).json['expires_at']).toBe(expires_at);
    const again = await api.call('POST', `${path}/${id}/resend`);
    expect(Date.parse(String(again.json['expires_at'])) - Date.now()).toBeGreaterThan(6 * day);
  });

  test('is on record, without the link', async () => {
    const { id, token } = await invite('record@example.com', 'viewer');
    await accept(token, { name: 'R', password });
    const { rows } = await api.ctx.db.pool.query(
      'select action, actor_display, changes from audit_entries where resource_id = $1 order by id',
      [id],
    );
    expect(rows).toEqual([
      {
        action: 'invite.create',
        actor_display: 'admin@localhost',
        changes: { email: 'record@example.com', permission: 'viewer' },
      },
      {
        action: 'invite.accept',
        actor_display: 'record@example.com',
        changes: expect.objectContaining({ permission: 'viewer', joined: true }),
      },
    ]);
  });
});

describe('the link', () => {
  const offerOf = (token: string, headers: Record<string, string> = {}) =>
    api.call('GET', `/v3/invites/${token}`, { key: '', headers });

  test('says who is invited to what, as what, and until when', async () => {
    const { token, expires_at } = await invite("o'hara@example.com", 'viewer');
    const { status, json } = await offerOf(token);
    expect(status).toBe(200);
    expect(json).toEqual({
      email: "o'hara@example.com",
      permission: 'viewer',
      organization: { id: orgId, slug: 'default', name: 'Default' },
      signed_in: false,
      expires_at,
    });
    expect(errorOf(await offerOf('none'))).toEqual(gone);
  });

  test('knows who is signed in with its e-mail, and does not tell who else has an account', async () => {
    const elsewhere = await api.createOrganization('Elsewhere');
    for (const email of ['here@example.com', 'other@example.com']) {
      await join(api, elsewhere.id, 'member', email);
      await setOperatorPassword(api.ctx, email, password);
    }
    const { token } = await invite('here@example.com');
    expect((await offerOf(token)).json['signed_in']).toBe(false);
    for (const [email, isSignedIn] of [
      ['here@example.com', true],
      ['other@example.com', false],
    ] as const) {
      const browser = await signedIn(api, email, password);
      expect((await browser.call('GET', `/v3/invites/${token}`)).json['signed_in']).toBe(isSignedIn);
    }
  });
});

describe('accepting', () => {
  test('somebody new becomes a member with the name and password they chose, and signs in', async () => {
    const { id, token } = await invite('Grace@example.com', 'admin');
    const { status, json } = await accept(token, { name: 'Grace', password });
    expect(status).toBe(201);
    expect(json).toEqual({
      user_id: expect.stringMatching(/^usr_/),
      email: 'Grace@example.com',
      organization: { id: orgId, slug: 'default', name: 'Default' },
    });
    const member = await api.call('GET', `/v3/organizations/default/members/${String(json['user_id'])}`);
    expect(member.json).toMatchObject({ name: 'Grace', permission: 'admin', source: 'invite', role: 'regular' });
    await signedIn(api, 'grace@example.com', password);
    expect(await stateOf(id)).toBe('accepted');
    expect(errorOf(await accept(token, { name: 'Eve', password }))).toEqual(gone);
    expect(errorOf(await api.call('DELETE', `${path}/${id}`))).toEqual([409, 'conflict']);
    expect(errorOf(await api.call('POST', `${path}/${id}/resend`))).toEqual([409, 'conflict']);
  });

  test('at once by many makes one member', async () => {
    const { token } = await invite('rush@example.com');
    const answers = await Promise.all(Array.from({ length: 5 }, () => accept(token, { name: 'Rush', password })));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 404, 404, 404, 404]);
  });

  test('a link that is revoked, expired, replaced or none is not found', async () => {
    const body = { name: 'Late', password };
    for (const token of ['none', 'x'.repeat(43), '%00'])
      expect([token, ...errorOf(await accept(token, body))]).toEqual([
        token,
        token === '%00' ? 400 : 404,
        token === '%00' ? 'invalid_request' : 'invite_not_found',
      ]);
    const revoked = await invite('revoked@example.com');
    expect((await api.call('DELETE', `${path}/${revoked.id}`)).status).toBe(204);
    expect(errorOf(await accept(revoked.token, body))).toEqual(gone);
    expect(await stateOf(revoked.id)).toBe('revoked');
    expect(errorOf(await api.call('DELETE', `${path}/${revoked.id}`))).toEqual([409, 'already_revoked']);
    const expired = await invite('expired@example.com');
    laterMs = 7 * day + 1_000;
    expect(errorOf(await accept(expired.token, body))).toEqual(gone);
    expect(await stateOf(expired.id)).toBe('expired');
    const newer = await invite('Expired@example.com');
    expect(newer.result).toBe('created');
    const resent = await api.call('POST', `${path}/${expired.id}/resend`);
    laterMs = 0;
    expect(resent.json['state']).toBe('pending');
    for (const { token } of [expired, newer]) expect(errorOf(await accept(token, body))).toEqual(gone);
    expect(await stateOf(newer.id)).toBe('revoked');
    expect((await accept(String(resent.json['accept_url']).split('/').at(-1) ?? '', body)).status).toBe(201);
  });

  test.each([
    ['no name', { password }],
    ['an empty name', { name: '', password }],
    ['no password', { name: 'A' }],
    ['a short password', { name: 'A', password: 'eleven char' }],
    ['a password that is guessed first', { name: 'A', password: 'Password1234' }],
    ['its own e-mail', { name: 'A', password: 'wanting@example.com' }],
    ['something else', { name: 'A', password, permission: 'admin' }],
  ])('somebody new with %s: 400, and the link stays', async (_name, body) => {
    const { token } = await invite(`wanting@example.com`).then(async (item) =>
      item.result === 'created'
        ? item
        : {
            token:
              String((await api.call('POST', `${path}/${item.id}/resend`)).json['accept_url'])
                .split('/')
                .at(-1) ?? '',
          },
    );
    expect(errorOf(await accept(token, body))).toEqual([400, 'invalid_request']);
  });

  test('somebody who is here already keeps name and password, and proves themselves by the password', async () => {
    const elsewhere = await api.createOrganization('Elsewhere');
    const id = await join(api, elsewhere.id, 'member', 'known@example.com');
    await setOperatorPassword(api.ctx, 'known@example.com', password);
    const { token } = await invite('KNOWN@example.com', 'viewer');
    expect(errorOf(await accept(token, { password: 'another long secret' }))).toEqual([400, 'invalid_request']);
    expect(errorOf(await accept(token, { name: 'Mallory' }))).toEqual([400, 'invalid_request']);
    const accepted = await accept(token, { name: 'Mallory', password });
    expect([accepted.status, accepted.json]).toEqual([
      201,
      expect.objectContaining({ user_id: id, email: 'known@example.com' }),
    ]);
    const member = await api.call('GET', `/v3/organizations/default/members/${id}`);
    expect(member.json['name']).toMatch(/^Person/);
    await signedIn(api, 'known@example.com', password);
  });

  test('somebody without a password has to be signed in: the link gives them none', async () => {
    const elsewhere = await api.createOrganization('Single sign-on');
    const id = await join(api, elsewhere.id, 'admin', 'sso@example.com');
    const { token } = await invite('sso@example.com');
    const another = await api.createOrganization('Another');
    const { token: taken } = await invite('sso@example.com', 'member', another.key, another.slug);
    const mallory = await accept(taken, { name: 'Mallory', password });
    expect([mallory.status, mallory.json['user_id'] === id]).toEqual([201, false]);
    const { rows } = await api.ctx.db.pool.query('select 1 from user_passwords where user_id = $1', [id]);
    expect(rows).toEqual([]);
    await setOperatorPassword(api.ctx, 'sso@example.com', password);
    const browser = await signedIn(api, 'sso@example.com', password);
    await api.ctx.db.pool.query('delete from user_passwords where user_id = $1', [id]);
    const other = await signedIn(api, 'known@example.com', password);
    expect(errorOf(await other.call('POST', `/v3/invites/${token}/accept`, { body: {} }))).toEqual([
      401,
      'invalid_credentials',
    ]);
    const forged = { body: {}, headers: { 'sec-fetch-site': 'cross-site' } };
    expect(errorOf(await browser.call('POST', `/v3/invites/${token}/accept`, forged))).toEqual([403, 'forbidden']);
    expect((await browser.call('POST', `/v3/invites/${token}/accept`, { body: {} })).status).toBe(201);
    expect((await browser.call('GET', '/v3/organizations/default')).status).toBe(200);
  });

  test('again after removal: no key and no role of before comes back', async () => {
    const { token } = await invite('back@example.com');
    const id = String((await accept(token, { name: 'Back', password })).json['user_id']);
    await api.call('PUT', '/v3/organizations/default/roles', { body: { user_id: id, role: 'pro' } });
    const key = await personalKey(api, orgId, id);
    // Deleted directly in the database, which revokes nothing.
    await api.ctx.db.pool.query('delete from members where user_id = $1', [id]);
    expect(errorOf(await api.call('GET', '/v3/self', { key }))).toEqual([401, 'key_revoked']);
    const again = await invite('back@example.com');
    expect((await accept(again.token, { name: 'Other', password })).status).toBe(201);
    expect(errorOf(await api.call('GET', '/v3/self', { key }))).toEqual([401, 'key_revoked']);
    const browser = openBrowser(api);
    await browser.call('POST', '/v3/auth/sign-in', { body: { email: 'back@example.com', password } });
    expect((await browser.call('GET', '/v3/self')).json).toMatchObject({ role: 'regular', permission: 'member' });
  });

  test('who became a member meanwhile stays what they are', async () => {
    const { token } = await invite('meanwhile@example.com', 'admin');
    const id = await join(api, orgId, 'viewer', 'meanwhile@example.com');
    await setOperatorPassword(api.ctx, 'meanwhile@example.com', password);
    expect((await accept(token, { password })).status).toBe(201);
    expect((await api.call('GET', `/v3/organizations/default/members/${id}`)).json['permission']).toBe('viewer');
  });

  test("another organization's invites are none of mine", async () => {
    const elsewhere = await api.createOrganization('Others');
    const { id } = await invite('theirs@example.com', 'member', elsewhere.key, elsewhere.slug);
    expect(await stateOf(id)).toBeUndefined();
    expect(errorOf(await api.call('DELETE', `${path}/${id}`))).toEqual(gone);
    expect(errorOf(await api.call('POST', `${path}/${id}/resend`))).toEqual(gone);
  });
});
