import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { openBrowser, signedIn, type Browser } from '../../../test/support/browser.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { setOperatorPassword } from './password-service.ts';

const password = 'a long enough secret';
const org = '/v3/organizations/default';

let api: TestApi;
let second: TestApi;
let orgId: string;
let other: { id: string; slug: string; key: string };
/** A member of both organizations: an administrator of `default` and a viewer of the other one. */
let both: Browser;
let one: Browser;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
  second = await api.another();
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
  other = await api.createOrganization('Elsewhere');
  const id = await join(api, orgId, 'admin', 'both@example.com');
  await api.ctx.db.pool.query('insert into members (org_id, user_id, permission) values ($1, $2, $3)', [
    other.id,
    id,
    'viewer',
  ]);
  await join(api, orgId, 'admin', 'one@example.com');
  for (const email of ['both@example.com', 'one@example.com']) await setOperatorPassword(api.ctx, email, password);
  both = await signedIn(api, 'both@example.com', password);
  one = await signedIn(api, 'one@example.com', password);
});
afterAll(async () => {
  await second.close();
  await api.close();
});

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

function inside(organization: string): Record<string, string> {
  return { 'x-guildhall-organization': organization };
}

describe('the organization', () => {
  test('is the one in the path, with what the person may do there', async () => {
    expect((await both.call('GET', `${org}/members`)).status).toBe(200);
    expect((await both.call('GET', `/v3/organizations/${other.slug}/members`)).status).toBe(200);
    expect((await both.call('GET', `/v3/organizations/${other.id}`)).json['slug']).toBe(other.slug);
    expect((await both.call('POST', `${org}/service-users`, { body: { name: 'x' } })).status).toBe(201);
    const refused = await both.call('POST', `/v3/organizations/${other.id}/service-users`, { body: { name: 'x' } });
    expect(errorOf(refused)).toEqual([403, 'forbidden']);
    // The path determines the organization; the header is ignored.
    const named = await both.call('GET', `/v3/organizations/${other.id}`, { headers: inside('default') });
    expect(named.json['slug']).toBe(other.slug);
  });

  test('of others is as one that does not exist', async () => {
    const foreign = await one.call('GET', `/v3/organizations/${other.slug}`);
    const missing = await one.call('GET', '/v3/organizations/elsewherf');
    const plain = ({ status, text }: Answer, name: string) => [status, text.replace(name, '').replace(/req_\w+/, '')];
    expect(plain(foreign, other.slug)).toEqual(plain(missing, 'elsewherf'));
    expect(errorOf(foreign)).toEqual([404, 'organization_not_found']);
    for (const path of ['/v3/organizations/%00', '/v3/organizations/-', '/v3/organizations/%27%22'])
      expect(errorOf(await one.call('GET', path))).toEqual([404, 'organization_not_found']);
    expect(errorOf(await one.call('GET', '/agents', { headers: inside(other.id) }))).toEqual([
      404,
      'organization_not_found',
    ]);
  });

  test('is named by a header where the path has none, and only the only one may go without', async () => {
    for (const path of ['/v3/self', '/agents']) {
      const missing = await both.call('GET', path);
      expect([path, ...errorOf(missing)]).toEqual([path, 400, 'invalid_request']);
      expect(missing.json['message']).toContain('x-guildhall-organization');
      for (const named of [other.id, other.slug])
        expect((await both.call('GET', path, { headers: inside(named) })).status).toBe(200);
      expect((await one.call('GET', path)).status).toBe(200);
    }
    const { json } = await both.call('GET', '/v3/self', { headers: inside(other.slug) });
    expect(json).toMatchObject({ organization: { id: other.id }, permission: 'viewer' });
    const write = await both.call('POST', '/agents', { body: { name: 'x' }, headers: inside(other.slug) });
    expect(errorOf(write)).toEqual([403, 'forbidden']);
  });

  test('may go without for what concerns the person', async () => {
    const { status, json } = await both.call('GET', '/v3/organizations');
    expect([status, json['total']]).toEqual([200, 2]);
  });

  test('keeps resolving by the slug it gave up', async () => {
    const { id, key, slug } = await api.createOrganization('Renamed');
    await api.ctx.db.pool.query(
      'insert into members (org_id, user_id, permission) select $1, id, $2 from users where email = $3',
      [id, 'member', 'one@example.com'],
    );
    await api.call('PATCH', `/v3/organizations/${id}`, { key, body: { slug: 'renamed-again' } });
    const { json } = await one.call('GET', `/v3/organizations/${slug}`);
    expect(json['slug']).toBe('renamed-again');
    await api.ctx.db.pool.query('delete from members where org_id = $1', [id]);
    expect(errorOf(await one.call('GET', `/v3/organizations/${slug}`))).toEqual([404, 'organization_not_found']);
  });

  test("its IP access list holds for cookies, and another organization's does not", async () => {
    const list = `/v3/organizations/${other.slug}/ip-access-list`;
    const body = { enabled: true, entries: [{ cidr: '192.0.2.7' }], force: true };
    expect((await api.call('PUT', list, { key: other.key, body })).status).toBe(200);
    const refused = await both.call('GET', `/v3/organizations/${other.slug}`);
    expect(errorOf(refused)).toEqual([403, 'ip_not_allowed']);
    const office = { 'x-forwarded-for': '192.0.2.7' };
    expect((await both.call('GET', `/v3/organizations/${other.slug}`, { headers: office })).status).toBe(200);
    expect((await both.call('GET', org)).status).toBe(200);
    expect((await both.call('GET', '/v3/organizations')).status).toBe(200);
    await api.call('PUT', list, { key: other.key, headers: office, body: { enabled: false, entries: [] } });
  });
});

describe('forgery', () => {
  test('a request that changes something comes from a page of ours', async () => {
    const body = { name: 'x' };
    const without = openBrowser(api);
    for (const [name, value] of one.cookies) without.cookies.set(name, value);
    const cookie = [...one.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (const [method, path] of [
      ['POST', `${org}/service-users`],
      ['PATCH', org],
      ['DELETE', `${org}/service-users/svc_none`],
      ['PUT', `${org}/roles`],
      ['POST', '/v3/auth/sign-out'],
      ['POST', '/v3/auth/sign-out-everywhere'],
      ['POST', '/agents'],
    ] as const) {
      const answer = await api.call(method, path, {
        key: '',
        ...(method === 'DELETE' || path.includes('/auth/') ? {} : { body }),
        headers: { cookie },
      });
      expect([method, path, ...errorOf(answer)]).toEqual([method, path, 403, 'forbidden']);
    }
    expect((await api.call('GET', org, { key: '', headers: { cookie } })).status).toBe(200);
    const origins: [Record<string, string>, number][] = [
      [{ 'sec-fetch-site': 'same-origin', origin: api.url }, 201],
      [{ 'sec-fetch-site': 'none' }, 201],
      [{ origin: api.url }, 201],
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site', origin: api.url }, 403],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
    ];
    for (const [headers, status] of origins) {
      const answer = await one.call('POST', `${org}/service-users`, { body, headers });
      expect([headers, answer.status]).toEqual([headers, status]);
    }
  });

  test('comes behind whether the cookie is anybody’s', async () => {
    const headers = { cookie: [...one.cookies.keys()].map((name) => `${name}=nobody`).join('; ') };
    const answer = await api.call('POST', `${org}/service-users`, { key: '', body: { name: 'x' }, headers });
    expect(errorOf(answer)).toEqual([401, 'unauthorized']);
  });

  test('a key needs nothing of that', async () => {
    const headers = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    expect((await api.call('POST', `${org}/service-users`, { body: { name: 'x' }, headers })).status).toBe(201);
  });
});

describe('a sign-in is a credential like a key', () => {
  test('its Idempotency-Key replays, on every process, and in one organization does not answer in another', async () => {
    const headers = { 'idempotency-key': 'once', ...inside('default') };
    const options = { body: { name: 'once' }, headers };
    const first = await both.call('POST', '/agents', options);
    expect(first.status).toBe(201);
    const again = await both.call('POST', '/agents', { ...options, to: second });
    expect([again.status, again.headers.get('idempotent-replayed'), again.json]).toEqual([201, 'true', first.json]);
    const elsewhere = await signedIn(api, 'both@example.com', password);
    const fresh = await elsewhere.call('POST', '/agents', options);
    expect([fresh.status, fresh.headers.get('idempotent-replayed')]).toEqual([201, null]);
    await api.ctx.db.pool.query(`update members set permission = 'admin' where org_id = $1`, [other.id]);
    const there = await both.call('POST', '/agents', {
      ...options,
      headers: { ...headers, ...inside(other.slug) },
    });
    expect(errorOf(there)).toEqual([409, 'idempotency_conflict']);
  });

  test('it issues personal keys, for any organization of the person, shown once', async () => {
    for (const organization_id of ['default', other.id]) {
      const options = {
        body: { name: 'mine', scopes: ['org:read'], organization_id },
        headers: { ...inside('default'), 'idempotency-key': `key ${organization_id}`.replace(' ', '-') },
      };
      const { status, json } = await both.call('POST', '/v3/self/keys', options);
      expect(status).toBe(201);
      expect((await api.call('GET', '/v3/self', { key: String(json['key']) })).status).toBe(200);
      expect((await both.call('POST', '/v3/self/keys', options)).json['key']).toBe('');
    }
    const list = await both.call('GET', '/v3/self/keys', { headers: inside('default') });
    expect(list.json['total']).toBe(1);
  });

  test('it has a rate limit of its own, over all organizations', async () => {
    const limited = await api.another({ GUILDHALL_RATE_LIMIT: '2:4' });
    const browser = await signedIn(limited, 'both@example.com', password);
    const ask = (slugs: string[]) => Promise.all(slugs.map((slug) => browser.call('GET', `/v3/organizations/${slug}`)));
    // In parallel, because on a slow machine the limit would refill between sequential requests.
    const answers = await ask(Array.from({ length: 12 }, (_, n) => (n % 2 === 0 ? 'default' : other.slug)));
    const refused = answers.find(({ status }) => status === 429);
    expect(errorOf(refused ?? answers[0] ?? Object())).toEqual([429, 'rate_limited']);
    expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(answers[0]?.headers.get('ratelimit-limit')).toBe('4');
    // Invalid cookies are limited, too.
    const strange = await ask(Array.from({ length: 12 }, () => 'nobodys-own'));
    expect(strange.map(({ status }) => status)).toContain(429);
    await limited.close();
  });

  test('its person is on record as who did it', async () => {
    await one.call('POST', `${org}/service-users`, { body: { name: 'recorded' } });
    const { rows } = await api.ctx.db.pool.query(
      `select actor_type, actor_display, ip, user_agent from audit_entries
       where org_id = $1 and action = 'service_user.create' order by id desc limit 1`,
      [orgId],
    );
    expect(rows).toEqual([
      { actor_type: 'user', actor_display: 'one@example.com', ip: '127.0.0.1', user_agent: 'node' },
    ]);
  });

  test('a cookie that is none is 401', async () => {
    const browser = openBrowser(api);
    browser.cookies.set('guildhall', 'x'.repeat(43));
    expect(errorOf(await browser.call('GET', '/v3/self'))).toEqual([401, 'unauthorized']);
  });

  test('a membership that ends, ends it there and nowhere else', async () => {
    const id = await join(api, orgId, 'member', 'leaving@example.com');
    await setOperatorPassword(api.ctx, 'leaving@example.com', password);
    const browser = await signedIn(api, 'leaving@example.com', password);
    expect((await api.call('DELETE', `${org}/members/${id}`)).status).toBe(204);
    for (const to of [api, second])
      expect(errorOf(await browser.call('GET', org, { to }))).toEqual([401, 'unauthorized']);
    const removed = await api.ctx.db.pool.query<{ user_id: string }>(
      `delete from members using users where users.id = user_id and email = 'both@example.com' and org_id = $1 returning user_id`,
      [orgId],
    );
    expect(removed.rows).toHaveLength(1);
    expect(errorOf(await both.call('GET', org))).toEqual([404, 'organization_not_found']);
    expect((await both.call('GET', '/v3/self')).json['organization']).toMatchObject({ id: other.id });
    expect(
      (await api.call('GET', '/v3/self', { key: await personalKey(api, other.id, String(removed.rows[0]?.user_id)) }))
        .status,
    ).toBe(200);
  });
});
