import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { signedIn } from '../../../test/support/browser.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { scopes } from '../../lib/scopes.ts';

const organization = '/v3/organizations/default';
const password = 'violet-anvil-harbour-92';
const refusal = ({ status, json }: Answer) => [status, json['error']];

let api: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi();
  orgId = String((await api.call('GET', organization)).json['id']);
});
afterAll(() => api.close());

const signIn = (body: object) => api.call('POST', '/v3/auth/sign-in', { key: '', body });
const isFirstRun = async () => (await api.call('GET', '/v3/auth/methods', { key: '' })).json['first_run'];

describe('while nobody has a password', () => {
  test('a key that may do everything its user may signs in, and no lesser one', async () => {
    expect(await isFirstRun()).toBe(true);
    const bounded = { scopes, expires_at: '2099-01-01T00:00:00Z' };
    for (const limits of [{ scopes: ['run'] }, bounded, { scopes, ip_ranges: ['127.0.0.0/8', '::1'] }]) {
      const { json } = await api.call('POST', '/v3/self/keys', { body: { name: 'x', ...limits } });
      expect(refusal(await signIn({ key: json['key'] }))).toEqual([403, 'forbidden']);
    }
    expect(refusal(await signIn({ key: await api.keyWith([...scopes]) }))).toEqual([403, 'forbidden']);
    const revoked = await api.call('POST', '/v3/self/keys', { body: { name: 'x', scopes } });
    await api.call('DELETE', `/v3/self/keys/${String(revoked.json['id'])}`);
    expect(refusal(await signIn({ key: revoked.json['key'] }))).toEqual([401, 'key_revoked']);
    for (const body of [{ key: api.adminKey, email: 'admin@localhost' }, { email: 'admin@localhost' }, {}])
      expect(refusal(await signIn(body))).toEqual([400, 'invalid_request']);
    // The failures slow the next attempt down.
    await api.ctx.db.pool.query('delete from sign_in_attempts');
    const { json: unknown } = await signIn({ key: `guild_${'0'.repeat(48)}` });
    expect(unknown).toMatchObject({ error: 'unauthorized', message: expect.stringContaining('administrator key') });
    const signed = await signIn({ key: api.adminKey });
    expect([signed.status, signed.json]).toMatchObject([200, { email: 'admin@localhost' }]);
    expect(signed.headers.get('set-cookie')).toMatch(/^guildhall=[\w-]{43}; .*HttpOnly/);
    const cookie = String(signed.headers.get('set-cookie')).split(';')[0] ?? '';
    const self = await api.call('GET', '/v3/self', { key: '', headers: { cookie } });
    expect(self.json).toMatchObject({ permission: 'admin', scopes: expect.arrayContaining([...scopes]) });
    const methods = async (value: string) =>
      (await api.call('GET', '/v3/auth/methods', { key: '', headers: { cookie: value } })).json['signed_in'];
    expect([await methods(cookie), await methods('guildhall=none')]).toEqual([true, false]);
    await api.call('POST', '/v3/auth/sign-out', { key: '', body: {}, headers: { cookie, 'x-guildhall-csrf': '1' } });
    expect(await methods(cookie)).toBe(false);
  });

  test('it is slowed down after several failures', async () => {
    const tries = Array.from({ length: 12 }, async () => (await signIn({ key: `guild_${'0'.repeat(48)}` })).status);
    const statuses = await Promise.all(tries);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    await api.ctx.db.pool.query('delete from sign_in_attempts');
  });
});

describe('once somebody has one', () => {
  test('no key signs in any more', async () => {
    await api.call('PUT', '/v3/self/password', { body: { new_password: password } });
    expect(await isFirstRun()).toBe(false);
    expect(refusal(await signIn({ key: api.adminKey }))).toEqual([403, 'forbidden']);
  });

  test('a user sees the sign-ins in all browsers, and ends one of them', async () => {
    const [one, other] = [
      await signedIn(api, 'admin@localhost', password),
      await signedIn(api, 'admin@localhost', password),
    ];
    const { json } = await one.call('GET', '/v3/self/sign-ins');
    const items = [json['items']].flat();
    expect(items).toMatchObject([{ current: false }, { current: true }]);
    expect(items[1]).toEqual({
      id: expect.stringMatching(/^sgn_/),
      method: 'password',
      ip: expect.stringMatching(/127\.0\.0\.1|::1/),
      user_agent: expect.any(String),
      current: true,
      created_at: expect.any(String),
      last_used_at: expect.any(String),
      expires_at: expect.any(String),
    });
    const id = String(Object(items[0]).id);
    const stranger = await personalKey(api, orgId, await join(api, orgId, 'admin'));
    const attempt = await api.call('DELETE', `/v3/self/sign-ins/${id}`, { key: stranger });
    expect(refusal(attempt)).toEqual([404, 'sign_in_not_found']);
    expect((await api.call('GET', '/v3/self/sign-ins', { key: stranger })).json['items']).toEqual([]);
    expect((await one.call('DELETE', `/v3/self/sign-ins/${id}`)).status).toBe(204);
    expect((await other.call('GET', '/v3/self')).status).toBe(401);
    expect((await one.call('GET', '/v3/self')).status).toBe(200);
    expect(refusal(await one.call('DELETE', `/v3/self/sign-ins/${id}`))).toEqual([404, 'sign_in_not_found']);
    const audited = await api.call('GET', `${organization}/audit-logs?action=sign_in.delete`);
    expect(Object([audited.json['items']].flat()[0]).changes).toEqual({ id });
    const machine = await api.keyWith(['run']);
    expect((await api.call('GET', '/v3/self/sign-ins', { key: machine })).status).toBe(403);
  });
});
