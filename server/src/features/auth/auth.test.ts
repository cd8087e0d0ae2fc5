import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { openBrowser, signedIn, type Browser } from '../../../test/support/browser.ts';
import { openStream } from '../../../test/support/event-stream.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { sessionIn } from '../../../test/support/session-states.ts';
import { scopes, type Permission } from '../../lib/scopes.ts';
import { setOperatorPassword } from './password-service.ts';
import { deleteExpiredSignIns } from './sign-in-service.ts';

const password = 'a long enough secret';
const org = '/v3/organizations/default';

let api: TestApi;
let second: TestApi;
let orgId: string;
/** Milliseconds added to the clock of both processes. */
let laterMs = 0;
beforeAll(async () => {
  // The tests act as the proxy, so they can use any address.
  api = await startTestApi({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
  second = await api.another();
  for (const { ctx } of [api, second]) ctx.clock.now = () => new Date(Date.now() + laterMs);
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
});
afterAll(async () => {
  await second.close();
  await api.close();
});

let people = 0;
let addresses = 0;

/** Creates a user with a password. */
async function person(permission: Permission = 'admin', at = orgId): Promise<{ id: string; email: string }> {
  people += 1;
  const email = `Person${people}@Example.com`;
  const id = await join(api, at, permission, email);
  await setOperatorPassword(api.ctx, email.toLowerCase(), password);
  return { id, email };
}

/** Returns an unused address. */
function address(): string {
  addresses += 1;
  return `198.51.${100 + Math.floor(addresses / 200)}.${addresses % 200}`;
}

function trySignIn(email: string, given: string, from = address(), to = api): Promise<Answer> {
  const headers = { 'x-forwarded-for': from };
  return to.call('POST', '/v3/auth/sign-in', { key: '', body: { email, password: given }, headers });
}

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

const signedOut = [401, 'unauthorized'];

async function isSignedIn(browser: Browser, to = api): Promise<boolean> {
  return (await browser.call('GET', '/v3/self', { to })).status === 200;
}

async function audit(userId: string, at = orgId): Promise<unknown[]> {
  const { rows } = await api.ctx.db.pool.query(
    `select action, outcome, changes from audit_entries where org_id = $1 and resource_id = $2 order by id`,
    [at, userId],
  );
  return rows.map((row: unknown) => Object(row));
}

describe('signing in', () => {
  test('sets a cookie that no script reads and no other site sends, and stores a hash of it alone', async () => {
    const { id, email } = await person();
    const answer = await trySignIn(email.toUpperCase(), password);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      user_id: id,
      email,
      name: expect.stringMatching(/^Person/),
      organizations: [{ id: orgId, slug: 'default', name: 'Default', permission: 'admin' }],
      expires_at: expect.stringMatching(/Z$/),
    });
    const [line = '', ...more] = answer.headers.getSetCookie();
    expect(more).toEqual([]);
    expect(line).toMatch(/^guildhall=[\w-]{43}; Path=\/; Expires=[^;]+ GMT; HttpOnly; SameSite=Lax$/);
    const days = (Date.parse(String(answer.json['expires_at'])) - Date.now()) / 86_400_000;
    expect(days).toBeCloseTo(30, 2);
    const token = /=([\w-]+)/.exec(line)?.[1] ?? '';
    const { rows } = await api.ctx.db.pool.query('select * from sign_ins where user_id = $1', [id]);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(answer.text).not.toContain(token);
  });

  test('works on every process at once, and the cookie is the person', async () => {
    const { id, email } = await person('member');
    const browser = await signedIn(api, email, password);
    const { status, json } = await browser.call('GET', '/v3/self', { to: second });
    expect(status).toBe(200);
    expect(json).toMatchObject({ principal_type: 'user', principal_id: id, permission: 'member', role: 'regular' });
    expect(json['scopes']).toEqual(scopes.filter((scope) => scope !== 'org:write' && scope !== 'guardrails:write'));
    expect(json['key']).toMatchObject({ id: expect.stringMatching(/^sgn_/), prefix: '', last4: '' });
    const refused = await browser.call('POST', `${org}/service-users`, { body: { name: 'x' } });
    expect(errorOf(refused)).toEqual([403, 'forbidden']);
    expect(refused.json['message']).toContain('org:write');
    expect((await audit(id)).at(-1)).toEqual({
      action: 'sign_in.create',
      outcome: 'success',
      changes: { method: 'password' },
    });
  });

  test('a key takes precedence over a cookie', async () => {
    const { email } = await person();
    const browser = await signedIn(api, email, password);
    expect(errorOf(await browser.call('GET', '/v3/self', { key: 'guild_no' }))).toEqual(signedOut);
    const answer = await browser.call('GET', '/v3/self', { key: api.adminKey });
    expect(answer.json['email']).toBe('admin@localhost');
  });

  test('a wrong e-mail, a wrong password and no password are one and the same', async () => {
    const { email } = await person();
    const without = `${await join(api, orgId, 'member')}@example.com`;
    const plain = async (answer: Promise<Answer>) => {
      const { status, text, headers } = await answer;
      expect(headers.getSetCookie()).toEqual([]);
      return [status, text.replace(/req_\w+/, '')];
    };
    const wrong = await plain(trySignIn(email, 'another long secret'));
    expect(wrong[0]).toBe(401);
    expect(wrong[1]).toContain('"invalid_credentials"');
    expect(await plain(trySignIn('nobody@example.com', password))).toEqual(wrong);
    expect(await plain(trySignIn(without, password))).toEqual(wrong);
    expect(await plain(trySignIn('admin@localhost', 'admin'))).toEqual(wrong);
  });

  test.each([
    ['no password', { email: 'a@example.com' }],
    ['an empty password', { email: 'a@example.com', password: '' }],
    ['a password that is too long', { email: 'a@example.com', password: 'x'.repeat(1_001) }],
    ['an e-mail that is too long', { email: 'x'.repeat(321), password }],
    ['something else', { email: 'a@example.com', password, remember: true }],
  ])('%s is 400', async (_name, body) => {
    expect(errorOf(await api.call('POST', '/v3/auth/sign-in', { key: '', body }))).toEqual([400, 'invalid_request']);
  });

  test('is nothing that another site or a form can do', async () => {
    const { email } = await person();
    const body = { email, password };
    const others: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of others) {
      const answer = await api.call('POST', '/v3/auth/sign-in', { key: '', body, headers });
      expect([headers, ...errorOf(answer)]).toEqual([headers, 403, 'forbidden']);
    }
    const form = {
      key: '',
      raw: 'email=a&password=b',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    };
    expect((await api.call('POST', '/v3/auth/sign-in', form)).status).toBe(415);
  });

  test('again in the same browser ends the sign-in of before', async () => {
    const { email } = await person();
    const browser = await signedIn(api, email, password);
    const before = new Map(browser.cookies);
    await browser.call('POST', '/v3/auth/sign-in', { body: { email, password } });
    expect(browser.cookies).not.toEqual(before);
    expect(await isSignedIn(browser)).toBe(true);
    const stolen = openBrowser(api);
    for (const [name, value] of before) stolen.cookies.set(name, value);
    expect(errorOf(await stolen.call('GET', '/v3/self'))).toEqual(signedOut);
  });

  test('needs an organization', async () => {
    const { email } = await person();
    await api.ctx.db.pool.query('delete from members using users where id = user_id and email = $1', [email]);
    expect(errorOf(await trySignIn(email, password))).toEqual([403, 'forbidden']);
    expect(errorOf(await trySignIn(email, 'another long secret'))).toEqual([401, 'invalid_credentials']);
  });

  test('over https the cookie is bound to the host', async () => {
    const secure = await api.another({ GUILDHALL_URL: 'https://guildhall.example' });
    const { email } = await person();
    const answer = await secure.call('POST', '/v3/auth/sign-in', { key: '', body: { email, password } });
    expect(answer.headers.getSetCookie()[0]).toMatch(
      /^__Host-guildhall=[\w-]{43}; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    await secure.close();
  });
});

describe('a sign-in ends', () => {
  test('when its browser signs out, on every process, with the cookie', async () => {
    const { id, email } = await person();
    const [browser, other] = [await signedIn(api, email, password), await signedIn(api, email, password)];
    const before = new Map(browser.cookies);
    const answer = await browser.call('POST', '/v3/auth/sign-out');
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(browser.cookies.size).toBe(0);
    for (const [name, value] of before) browser.cookies.set(name, value);
    expect([await isSignedIn(browser), await isSignedIn(browser, second)]).toEqual([false, false]);
    expect(await isSignedIn(other)).toBe(true);
    expect((await browser.call('POST', '/v3/auth/sign-out')).status).toBe(204);
    expect((await api.call('POST', '/v3/auth/sign-out', { key: '' })).status).toBe(204);
    expect((await audit(id)).at(-1)).toMatchObject({ action: 'sign_in.delete' });
  });

  test('with all others of the person, by cookie or by key; keys stay', async () => {
    const { id, email } = await person();
    const key = await personalKey(api, orgId, id);
    const browsers = [await signedIn(api, email, password), await signedIn(second, email, password)];
    const answer = await browsers[0]?.call('POST', '/v3/auth/sign-out-everywhere');
    expect([answer?.status, answer?.json]).toEqual([200, { ended: 2 }]);
    for (const browser of browsers)
      expect([await isSignedIn(browser), await isSignedIn(browser, second)]).toEqual([false, false]);
    expect((await api.call('GET', '/v3/self', { key })).status).toBe(200);
    const late = await signedIn(api, email, password);
    expect((await api.call('POST', '/v3/auth/sign-out-everywhere', { key })).json).toEqual({ ended: 1 });
    expect(await isSignedIn(late)).toBe(false);
    const machine = await api.keyWith([...scopes]);
    expect(errorOf(await api.call('POST', '/v3/auth/sign-out-everywhere', { key: machine }))).toEqual([
      403,
      'forbidden',
    ]);
    expect((await audit(id)).at(-1)).toMatchObject({ action: 'sign_in.delete_all', changes: { ended: 1 } });
  });

  test('after seven days without use, and after thirty in any case', async () => {
    const { email } = await person();
    const [idle, busy] = [await signedIn(api, email, password), await signedIn(api, email, password)];
    const day = 86_400_000;
    for (let days = 0; days < 30; days += 6) {
      laterMs = days * day;
      expect([days, await isSignedIn(busy)]).toEqual([days, true]);
      // Last-use times are written when a process closes, and every few seconds.
      await api.ctx.db.pool.query('update sign_ins set last_used_at = $1 where expires_at > $1 and last_used_at > $2', [
        new Date(Date.now() + laterMs),
        new Date(Date.now() + laterMs - 7 * day),
      ]);
      if (days === 0) await api.ctx.db.pool.query('update sign_ins set last_used_at = created_at');
    }
    laterMs = 30 * day - 60_000;
    expect(await isSignedIn(busy)).toBe(true);
    laterMs = 30 * day + 1_000;
    expect(await isSignedIn(busy)).toBe(false);
    laterMs = 0;
    await api.ctx.db.pool.query(`update sign_ins set last_used_at = now() - interval '6 days 23 hours'`);
    expect(await isSignedIn(idle)).toBe(true);
    await api.ctx.db.pool.query(`update sign_ins set last_used_at = now() - interval '7 days'`);
    expect(await isSignedIn(idle)).toBe(false);
    await deleteExpiredSignIns(api.ctx);
    expect((await api.ctx.db.pool.query('select 1 from sign_ins')).rows).toEqual([]);
  });

  test('its last use is noted, and that its person was there', async () => {
    const { id, email } = await person();
    const third = await api.another();
    const browser = await signedIn(third, email, password);
    await api.ctx.db.pool.query(`update sign_ins set last_used_at = now() - interval '1 hour' where user_id = $1`, [
      id,
    ]);
    expect(await isSignedIn(browser, third)).toBe(true);
    await third.close();
    const { rows } = await api.ctx.db.pool.query<{ age: number }>(
      'select extract(epoch from now() - last_used_at)::float8 as age from sign_ins where user_id = $1',
      [id],
    );
    expect(rows[0]?.age).toBeLessThan(60);
    const member = await api.call('GET', `${org}/members/${id}`);
    expect(Date.now() - Date.parse(String(member.json['last_active_at']))).toBeLessThan(60_000);
  });

  test.each<[string, (who: { id: string; email: string }, browser: Browser) => Promise<unknown>]>([
    ['signing out', (_who, browser) => browser.call('POST', '/v3/auth/sign-out', { to: second })],
    ['signing out everywhere', (_who, browser) => browser.call('POST', '/v3/auth/sign-out-everywhere', { to: second })],
    ['a new password', ({ email }) => setOperatorPassword(second.ctx, email, `${password}!`)],
    ['removal from the organization', ({ id }) => second.call('DELETE', `${org}/members/${id}`)],
  ])('and its open streams with it: %s', async (_name, end) => {
    const who = await person();
    // A second organization, so that the removal from the first does not end the sign-in.
    const home = await api.createOrganization('Second home');
    await api.ctx.db.pool.query('insert into members (org_id, user_id, permission) values ($1, $2, $3)', [
      home.id,
      who.id,
      'member',
    ]);
    const browser = await signedIn(api, who.email, password);
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'x-guildhall-organization': 'default' };
    const session = await sessionIn(api, 'queued');
    const stream = await openStream(api, `${session.path}/events/stream`, { cookie });
    await stream.reaches(1);
    await end(who, browser);
    await stream.ended;
    expect((await browser.call('GET', '/v3/self', { headers })).status).not.toBe(200);
  });
});
