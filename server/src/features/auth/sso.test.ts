import { generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { openBrowser, signedIn, type Browser } from '../../../test/support/browser.ts';
import { openIdentityProvider, type Account, type IdentityProvider } from '../../../test/support/identity-provider.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { setOperatorPassword } from './password-service.ts';

const base = 'http://guildhall.test';
const start = '/v3/auth/sso/oidc/start';
const callbackPath = '/v3/auth/sso/oidc/callback';
const password = 'a long enough secret';

let provider: IdentityProvider;
let api: TestApi;
let orgId: string;
let other: { id: string; slug: string; key: string };
beforeAll(async () => {
  provider = await openIdentityProvider(`${base}${callbackPath}`);
  api = await startTestApi({
    GUILDHALL_URL: base,
    GUILDHALL_OIDC_ISSUER: provider.issuer,
    GUILDHALL_OIDC_CLIENT_ID: provider.clientId,
    GUILDHALL_OIDC_CLIENT_SECRET: provider.clientSecret,
    GUILDHALL_OIDC_NAME: 'Example SSO',
    GUILDHALL_OIDC_SCOPES: 'openid email profile groups',
    GUILDHALL_OIDC_GROUPS:
      'admins=default:admin,engineers=default:member,cn=team:all=elsewhere:viewer,engineers=elsewhere:member,x=nowhere:member',
  });
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
  other = await api.createOrganization('Elsewhere');
});
afterAll(async () => {
  await api.close();
  await provider.stop();
});

let people = 0;

/** Creates an account that only the provider knows. */
function account(more: Partial<Account> = {}): Account {
  people += 1;
  return {
    sub: `sub-${people}`,
    email: `sso${people}@example.com`,
    email_verified: true,
    name: `Person ${people}`,
    ...more,
  };
}

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

/**
 * Returns the URL to which the provider redirects the browser after a login; `tamper` changes the authorization URL.
 */
async function begin(browser: Browser, who: Account, tamper: (url: URL) => void = () => undefined): Promise<URL> {
  provider.account = who;
  const answer = await openStart(browser, start);
  const url = new URL(answer.headers.get('location') ?? '');
  tamper(url);
  return provider.visit(url.href);
}

async function openStart(browser: Browser, path: string): Promise<Answer> {
  const answer = await browser.call('GET', path, { redirect: 'manual' });
  expect(answer.status).toBe(302);
  return answer;
}

function finish(browser: Browser, url: URL): Promise<Answer> {
  return browser.call('GET', `${url.pathname}${url.search}`, { redirect: 'manual' });
}

async function login(who: Account, browser = openBrowser(api)): Promise<{ answer: Answer; browser: Browser }> {
  return { answer: await finish(browser, await begin(browser, who)), browser };
}

async function membership(email = '', at = orgId): Promise<unknown> {
  const { rows } = await api.ctx.db.pool.query(
    'select permission, source from members join users on users.id = user_id where email = $1 and org_id = $2',
    [email, at],
  );
  return rows[0];
}

test('is offered, and leads to the provider with PKCE, state, nonce and the exact address to come back to', async () => {
  const { json } = await api.call('GET', '/v3/auth/methods', { key: '' });
  expect(json).toEqual({
    password: true,
    first_run: true,
    signed_in: false,
    sso: [{ provider: 'oidc', name: 'Example SSO', start_url: start }],
  });
  const browser = openBrowser(api);
  const answer = await openStart(browser, start);
  const url = new URL(answer.headers.get('location') ?? '');
  expect(url.origin).toBe(provider.issuer);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'guildhall',
    response_type: 'code',
    redirect_uri: `${base}${callbackPath}`,
    scope: 'openid email profile groups',
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
  expect(answer.headers.getSetCookie()[0]).toMatch(/; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/);
  expect(errorOf(await api.call('GET', '/v3/auth/sso/other/start', { key: '' }))).toEqual([404, 'not_found']);
});

describe('somebody new', () => {
  test('comes in by a group, with the permission of the highest, into every organization that one maps to', async () => {
    const who = account({ groups: ['engineers', 'cn=team:all', 'unknown'] });
    const { answer, browser } = await login(who);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/console/']);
    expect([...browser.cookies.keys()]).toEqual(['guildhall']);
    expect(await membership(who.email)).toEqual({ permission: 'member', source: 'sso' });
    expect(await membership(who.email, other.id)).toEqual({ permission: 'member', source: 'sso' });
    const self = await browser.call('GET', '/v3/self', { headers: { 'x-guildhall-organization': 'default' } });
    expect(self.json).toMatchObject({ email: who.email, name: who.name, permission: 'member' });
    const { rows } = await api.ctx.db.pool.query(
      `select action, actor_type, actor_display, changes from audit_entries
       where org_id = $1 and resource_id = $2 order by id`,
      [orgId, self.json['principal_id']],
    );
    expect(rows).toEqual([
      {
        action: 'member.create',
        actor_type: 'system',
        actor_display: 'single sign-on',
        changes: { permission: 'member' },
      },
      { action: 'sign_in.create', actor_type: 'user', actor_display: who.email, changes: { method: 'sso' } },
    ]);
  });

  test('without a group that maps stays out, and leaves nothing behind', async () => {
    const who = account({ groups: ['unknown'] });
    const { answer, browser } = await login(who);
    expect(errorOf(answer)).toEqual([403, 'forbidden']);
    expect(browser.cookies.size).toBe(0);
    expect((await api.ctx.db.pool.query('select 1 from users where email = $1', [who.email])).rows).toEqual([]);
  });

  test.each([
    ['unverified', { email_verified: false }],
    ['of unknown standing', { email_verified: undefined }],
    ['absent', { email: undefined }],
  ])('whose e-mail is %s stays out', async (_name, more) => {
    const who = account({ groups: ['engineers'] });
    for (const key of Object.keys(more)) Reflect.deleteProperty(who, key);
    const { answer } = await login({
      ...who,
      ...('email_verified' in more && more.email_verified === false ? { email_verified: false } : {}),
    });
    expect(errorOf(answer)).toEqual([403, 'forbidden']);
  });
});

describe('at each sign-in', () => {
  test('the groups decide anew: another permission, and none ends the membership with its keys and sign-ins', async () => {
    const who = account({ groups: ['admins'] });
    const { browser } = await login(who);
    expect(await membership(who.email)).toEqual({ permission: 'admin', source: 'sso' });
    const { json } = await browser.call('GET', '/v3/self');
    const key = await personalKey(api, orgId, String(json['principal_id']));
    await login({ ...who, groups: ['engineers'] });
    expect(await membership(who.email)).toEqual({ permission: 'member', source: 'sso' });
    const { answer } = await login({ ...who, groups: [] });
    expect(errorOf(answer)).toEqual([403, 'forbidden']);
    expect([await membership(who.email), await membership(who.email, other.id)]).toEqual([undefined, undefined]);
    expect((await api.call('GET', '/v3/self', { key })).status).toBe(401);
    expect((await browser.call('GET', '/v3/self')).status).toBe(401);
    await login({ ...who, groups: ['engineers'] });
    expect(await membership(who.email)).toEqual({ permission: 'member', source: 'sso' });
    expect((await api.call('GET', '/v3/self', { key })).status).toBe(401);
  });

  test('groups that the provider did not send itself end no membership, and open none', async () => {
    const { groups, ...who } = account({ groups: 'engineers' });
    expect((await login({ ...who, groups })).answer.status).toBe(302);
    const elsewhere = {
      _claim_names: { groups: 'src1' },
      _claim_sources: { src1: { endpoint: 'https://graph.test' } },
    };
    const { answer, browser } = await login({ ...who, ...elsewhere });
    expect([errorOf(answer), answer.json['message']]).toEqual([
      [403, 'forbidden'],
      expect.stringContaining('because they are too many'),
    ]);
    expect(browser.cookies.size).toBe(0);
    expect(await membership(who.email)).toEqual({ permission: 'member', source: 'sso' });
    await login(who);
    expect(await membership(who.email)).toBe(undefined);
  });

  test('the last administrator stays one', async () => {
    const lonely = await api.createOrganization('Lonely');
    await api.ctx.db.pool.query('update organizations set slug = $1 where id = $2', ['nowhere', lonely.id]);
    const who = account({ groups: ['x'] });
    await login(who);
    await api.ctx.db.pool.query(`delete from members where org_id = $1 and source <> 'sso'`, [lonely.id]);
    await api.ctx.db.pool.query(`update members set permission = 'admin' where org_id = $1`, [lonely.id]);
    for (const groups of [['x'], []]) {
      const { answer } = await login({ ...who, groups });
      expect(answer.status).toBe(302);
      expect(await membership(who.email, lonely.id)).toEqual({ permission: 'admin', source: 'sso' });
    }
    await api.ctx.db.pool.query('update organizations set slug = $1 where id = $2', ['lonely-again', lonely.id]);
  });

  test('memberships that came another way stay as they are', async () => {
    const who = account({ groups: ['admins'] });
    const id = await join(api, orgId, 'viewer', who.email);
    await login(who);
    expect(await membership(who.email)).toEqual({ permission: 'viewer', source: 'direct' });
    await login({ ...who, groups: [] });
    expect(await membership(who.email)).toEqual({ permission: 'viewer', source: 'direct' });
    expect((await api.call('GET', `/v3/organizations/default/members/${id}`)).status).toBe(200);
  });
});

describe('an account', () => {
  test('is known by the subject, whatever its e-mail is by now', async () => {
    const who = account({ groups: ['engineers'] });
    const { browser } = await login(who);
    const headers = { 'x-guildhall-organization': 'default' };
    const before = await browser.call('GET', '/v3/self', { headers });
    const again = await login({ ...who, email: 'renamed@example.com' });
    const after = await again.browser.call('GET', '/v3/self', { headers });
    expect(after.json['principal_id']).toBe(before.json['principal_id']);
    expect(after.json['email']).toBe(who.email);
  });

  test('of somebody who is here already is linked by the e-mail, without case', async () => {
    const who = account();
    const id = await join(api, orgId, 'member', who.email);
    const { browser } = await login({ ...who, email: String(who.email).toUpperCase() });
    expect((await browser.call('GET', '/v3/self')).json['principal_id']).toBe(id);
  });

  test('whose e-mail was another one of the same provider does not take it over', async () => {
    const who = account({ groups: ['engineers'] });
    await login(who);
    const { answer } = await login({ ...who, sub: 'a newcomer' });
    expect(errorOf(answer)).toEqual([403, 'forbidden']);
  });

  test('that is signed in in this browser becomes theirs, without the password and keys that somebody else may have', async () => {
    const who = account();
    const { id, browser, key } = await joinedByLink(String(who.email));
    const elsewhere = await signedIn(api, String(who.email), password);
    const { answer } = await login(who, browser);
    expect(answer.status).toBe(302);
    const headers = { 'x-guildhall-organization': other.slug };
    expect((await browser.call('GET', '/v3/self', { headers })).json['principal_id']).toBe(id);
    expect((await elsewhere.call('GET', '/v3/self')).status).toBe(401);
    expect(errorOf(await api.call('GET', '/v3/self', { key }))).toEqual([401, 'key_revoked']);
    const body = { email: who.email, password };
    expect(errorOf(await api.call('POST', '/v3/auth/sign-in', { key: '', body }))).toEqual([
      401,
      'invalid_credentials',
    ]);
    await setOperatorPassword(api.ctx, String(who.email), password);
    await login(who);
    expect((await api.call('POST', '/v3/auth/sign-in', { key: '', body })).status).toBe(200);
  });

  test('of somebody without an organization is told how to join the one they have by password', async () => {
    const who = account();
    await joinedByLink(String(who.email));
    const { answer } = await login(who);
    expect([...errorOf(answer), answer.json['message']]).toEqual([
      403,
      'forbidden',
      expect.stringContaining('sign in with it first'),
    ]);
  });
});

/** Creates a user who accepted an invitation to the other organization by a forwarded link. */
async function joinedByLink(email: string) {
  const invited = await api.call('POST', `/v3/organizations/${other.slug}/members/invites`, {
    key: other.key,
    body: { emails: [email], permission: 'admin' },
  });
  const [{ accept_url }] = Object(invited.json['items']);
  const path = `/v3${new URL(String(accept_url)).pathname}/accept`;
  const accepted = await api.call('POST', path, { key: '', body: { name: 'By link', password } });
  expect(accepted.status).toBe(201);
  const browser = await signedIn(api, email, password);
  const made = await browser.call('POST', '/v3/self/keys', { body: { name: 'stays', scopes: ['org:read', 'run'] } });
  const token = await browser.call('POST', '/session/mcp-token', { body: {} });
  expect([made.status, token.status]).toEqual([201, 201]);
  return { id: String(accepted.json['user_id']), browser, key: String(made.json['key']) };
}

describe('whoever joined by an e-mail before the person of that e-mail', () => {
  test('keeps an account of their own, which gets nothing of what the person comes to', async () => {
    const who = account({ groups: ['admins'] });
    const { id, browser, key } = await joinedByLink(String(who.email));
    const owner = await login(who);
    expect(await membership(who.email)).toEqual({ permission: 'admin', source: 'sso' });
    const self = await owner.browser.call('GET', '/v3/self', { headers: { 'x-guildhall-organization': 'default' } });
    expect(self.json['principal_id']).not.toBe(id);
    const body = { name: 'taken', scopes: ['org:read'], organization_id: orgId };
    expect(errorOf(await api.call('POST', '/v3/self/keys', { key, body }))).toEqual([404, 'organization_not_found']);
    const list = await browser.call('GET', '/v3/organizations');
    expect(list.json['items']).toEqual([expect.objectContaining({ slug: other.slug })]);
    expect(errorOf(await owner.browser.call('GET', `/v3/organizations/${other.slug}`))).toEqual([
      404,
      'organization_not_found',
    ]);
    const again = await login(who);
    const after = await again.browser.call('GET', '/v3/self', { headers: { 'x-guildhall-organization': 'default' } });
    expect(after.json['principal_id']).toBe(self.json['principal_id']);
  });

  test('is not known by an e-mail that only has the same small letters', async () => {
    const who = account({ email: `mike${people}@example.com` });
    await join(api, orgId, 'admin', who.email);
    const { answer } = await login({ ...who, sub: 'kelvin', email: who.email?.replace('k', '\u212a') });
    expect(errorOf(answer)).toEqual([403, 'forbidden']);
  });
});

describe('is refused', () => {
  const who = account({ groups: ['engineers'] });
  const unconfirmed = [401, 'invalid_credentials'];

  test('with another state, without the browser that began it, and with a cookie that was changed', async () => {
    const browser = openBrowser(api);
    const url = await begin(browser, who);
    const cookies = new Map(browser.cookies);
    const wrong = new URL(url);
    wrong.searchParams.set('state', 'x'.repeat(43));
    expect(errorOf(await finish(browser, wrong))).toEqual([400, 'invalid_request']);
    expect(errorOf(await finish(openBrowser(api), url))).toEqual([400, 'invalid_request']);
    const [name = '', value = ''] = [...cookies][0] ?? [];
    browser.cookies.set(
      name,
      value.replace(/^./, (first) => (first === 'e' ? 'f' : 'e')),
    );
    expect(errorOf(await finish(browser, url))).toEqual([400, 'invalid_request']);
    browser.cookies.set(name, value);
    expect((await finish(browser, url)).status).toBe(302);
  });

  test('when its code is used again', async () => {
    const browser = openBrowser(api);
    const url = await begin(browser, who);
    const cookies = new Map(browser.cookies);
    expect((await finish(browser, url)).status).toBe(302);
    expect(errorOf(await finish(browser, url))).toEqual([400, 'invalid_request']);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    expect(errorOf(await finish(browser, url))).toEqual(unconfirmed);
  });

  test.each<[string, (url: URL) => void]>([
    ['another nonce', (url) => url.searchParams.set('nonce', 'x'.repeat(43))],
    ['another PKCE challenge', (url) => url.searchParams.set('code_challenge', 'x'.repeat(43))],
  ])('with %s', async (_name, tamper) => {
    const browser = openBrowser(api);
    const answer = await finish(browser, await begin(browser, who, tamper));
    expect(errorOf(answer)).toEqual(unconfirmed);
    expect(browser.cookies.has('guildhall')).toBe(false);
  });

  test('with another issuer, and when the provider says no', async () => {
    const browser = openBrowser(api);
    const url = await begin(browser, who);
    const cookies = new Map(browser.cookies);
    const wrong = new URL(url);
    wrong.searchParams.set('iss', 'https://evil.example');
    expect(errorOf(await finish(browser, wrong))).toEqual(unconfirmed);
    for (const [name, value] of cookies) browser.cookies.set(name, value);
    const denied = new URL(url);
    denied.searchParams.delete('code');
    denied.searchParams.set('error', 'access_denied');
    const answer = await finish(browser, denied);
    expect(errorOf(answer)).toEqual(unconfirmed);
    expect(answer.json['message']).toContain('access_denied');
  });

  test('after ten minutes', async () => {
    const browser = openBrowser(api);
    const url = await begin(browser, who);
    const { now } = api.ctx.clock;
    const later = new Date(Date.now() + 600_001);
    api.ctx.clock.now = () => later;
    expect(errorOf(await finish(browser, url))).toEqual([400, 'invalid_request']);
    api.ctx.clock.now = now;
  });

  test('with an ID token that somebody else signed', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const keys = [{ ...publicKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }];
    provider.instead = (request, response) => {
      if (request.url !== '/jwks') return false;
      response.setHeader('content-type', 'application/jwk-set+json').end(JSON.stringify({ keys }));
      return true;
    };
    const fresh = await api.another();
    const browser = openBrowser(fresh);
    expect(errorOf(await finish(browser, await begin(browser, who)))).toEqual(unconfirmed);
    provider.instead = () => false;
    await fresh.close();
  });

  test('when the answer of the provider has no end: 502, and little of it was read', async () => {
    let sent = 0;
    provider.instead = (request, response) => {
      if (request.url !== '/token') return false;
      response.setHeader('content-type', 'application/json');
      const piece = Buffer.alloc(65_536, ' ');
      Readable.from(
        (function* () {
          for (; sent < 200_000_000; sent += piece.length) yield piece;
        })(),
      ).pipe(response);
      return true;
    };
    const { answer } = await login(who);
    provider.instead = () => false;
    expect(errorOf(answer)).toEqual([502, 'upstream_error']);
    expect(sent).toBeLessThan(50_000_000);
  });

  test.each([
    ['a blank in its e-mail', { email: ' admin@localhost' }, [403, 'forbidden']],
    ['another line in its e-mail', { email: 'x\r\nBcc: y@example.com' }, [403, 'forbidden']],
    ['U+0000 in its e-mail', { email: 'a\u0000@example.com' }, [403, 'forbidden']],
    ['U+0000 in its subject', { sub: 'a\u0000b' }, unconfirmed],
  ])('with %s', async (_name, more, expected) => {
    expect(errorOf((await login(account({ groups: ['engineers'], ...more }))).answer)).toEqual(expected);
  });

  test('while the provider is down: 502, and it goes on when the provider is back', async () => {
    const fresh = await api.another();
    const waiting = openBrowser(api);
    const url = await begin(waiting, who);
    await provider.stop();
    expect(errorOf(await openBrowser(fresh).call('GET', start, { redirect: 'manual' }))).toEqual([
      502,
      'upstream_error',
    ]);
    expect(errorOf(await finish(waiting, url))).toEqual([502, 'upstream_error']);
    await provider.start();
    expect((await openBrowser(fresh).call('GET', start, { redirect: 'manual' })).status).toBe(302);
    await fresh.close();
  });
});

test.each([
  ['/docs?a=1#b', '/docs?a=1#b'],
  ['//evil.example/x', '/console/'],
  ['/.//evil.example/x', '/console/'],
  ['/x/..//evil.example/x', '/console/'],
  ['/\\evil.example', '/console/'],
  ['https://evil.example', '/console/'],
  ['javascript:alert(1)', '/console/'],
  ['/%09/evil.example', '/%09/evil.example'],
  ['/\t/evil.example', '/console/'],
  ['', '/console/'],
])('return_to %j leads to %j', async (wanted, expected) => {
  const browser = openBrowser(api);
  const who = account({ groups: ['engineers'] });
  provider.account = who;
  const answer = await openStart(browser, `${start}?return_to=${encodeURIComponent(wanted)}`);
  const url = await provider.visit(answer.headers.get('location') ?? '');
  expect((await finish(browser, url)).headers.get('location')).toBe(expected);
});

test('a person whose login failed reads why, and gets back to the sign-in page; a program gets JSON', async () => {
  const headers = { accept: 'text/html,*/*' };
  const page = await api.call('GET', `${callbackPath}?state=x`, { key: '', headers });
  expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
  expect(page.text).toContain('href="/console/-/sign-in"');
  const nonce = /'nonce-([^']+)'/.exec(page.headers.get('content-security-policy') ?? '')?.[1] ?? '';
  expect(page.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
  );
  expect(page.text).not.toMatch(/https?:\/\/|<script|<img|<link|style="/);
  expect(errorOf(await api.call('GET', `${callbackPath}?state=x`, { key: '' }))).toEqual([400, 'invalid_request']);
});
