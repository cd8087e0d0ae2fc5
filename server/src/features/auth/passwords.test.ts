import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { openBrowser, signedIn } from '../../../test/support/browser.ts';
import { join, personalKey } from '../../../test/support/members.ts';
import { scopes } from '../../lib/scopes.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';
import { setOperatorPassword } from './password-service.ts';

const password = 'a long enough secret';
const next = 'another long secret';

let api: TestApi;
let second: TestApi;
let orgId: string;
beforeAll(async () => {
  api = await startTestApi({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
  second = await api.another();
  orgId = String(Object((await api.call('GET', '/v3/self')).json['organization']).id);
});
afterAll(async () => {
  await second.close();
  await api.close();
});

let people = 0;

async function person(given = password): Promise<{ id: string; email: string }> {
  people += 1;
  const email = `p${people}@example.com`;
  const id = await join(api, orgId, 'admin', email);
  if (given !== '') await setOperatorPassword(api.ctx, email, given);
  return { id, email };
}

function errorOf({ status, json }: Answer): unknown[] {
  return [status, json['error']];
}

function trySignIn(email: string, given: string, from: string, to = api): Promise<Answer> {
  const headers = { 'x-forwarded-for': from };
  return to.call('POST', '/v3/auth/sign-in', { key: '', body: { email, password: given }, headers });
}

async function hashOf(userId: string): Promise<string | undefined> {
  const { rows } = await api.ctx.db.pool.query<{ hash: string }>('select hash from user_passwords where user_id = $1', [
    userId,
  ]);
  return rows[0]?.hash;
}

describe('a password', () => {
  test('is kept as argon2id with the parameters that OWASP asks for, and made anew when those changed', async () => {
    const { id, email } = await person();
    expect(await hashOf(id)).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const weak = '$argon2id$v=19$m=64,t=1,p=1$';
    const { hash } = await import('@node-rs/argon2');
    await api.ctx.db.pool.query('update user_passwords set hash = $1 where user_id = $2', [
      await hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 }),
      id,
    ]);
    expect(await hashOf(id)).toContain(weak);
    await signedIn(api, email, password);
    expect(await hashOf(id)).toMatch(/m=19456,t=2,p=1/);
    await signedIn(api, email, password);
  });

  test('is the same however its letters were typed', async () => {
    const { email } = await person('passe-partout é ﬁn');
    await signedIn(api, email, 'passe-partout e\u0301 fin');
  });

  test('is hashed two at a time, and a flood is turned away', async () => {
    const hash = await hashPassword(password);
    const many = Array.from({ length: 80 }, () =>
      verifyPassword(hash, password).catch((error: unknown) => Object(error).code),
    );
    const results = await Promise.all(many);
    expect(results.filter((result) => result === true)).toHaveLength(66);
    expect(results.filter((result) => result === 'capacity_unavailable')).toHaveLength(14);
    expect(await verifyPassword(hash, next)).toBe(false);
  });

  test.each([
    ['short', 'eleven char'],
    ['too long', 'x'.repeat(1_001)],
    ['one character', 'aaaaaaaaaaaaaaaa'],
    ['a run of the keyboard', 'qwertyuiopas'],
    ['what everybody takes', 'Password1234'],
    ['the product', 'Guildhall2026!'],
    ['the e-mail', 'admin@localhost'],
  ])('that is %s is refused', async (_name, new_password) => {
    const answer = await api.call('PUT', '/v3/self/password', { body: { new_password } });
    expect(errorOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.json['message']).toContain('new_password');
    expect(answer.text).not.toContain(new_password);
  });

  test.each([
    ['of twelve characters', 'zebra 4 moon'],
    ['of a thousand', 'zebra four '.repeat(91).slice(0, 1_000)],
    ['of emoji', '🦓🌙🍵🎻🚲🧭🦓🌙🍵🎻🚲🧭'],
  ])('%s will do', async (_name, given) => {
    const { email } = await person(given);
    await signedIn(api, email, given);
  });
});

describe('changing it', () => {
  test('the first one is set with a key that has every scope and no bounds, and by no lesser one', async () => {
    const { id, email } = await person('');
    const full = await personalKey(api, orgId, id);
    const weak = await api.call('POST', '/v3/self/keys', {
      key: full,
      body: { name: 'x', scopes: ['run', 'org:read'] },
    });
    const body = { new_password: password };
    const refused = await api.call('PUT', '/v3/self/password', { key: String(weak.json['key']), body });
    expect(errorOf(refused)).toEqual([403, 'forbidden']);
    expect(refused.json['message']).toContain('org:write');
    for (const bounds of [{ expires_at: '2099-01-01T00:00:00Z' }, { ip_ranges: ['127.0.0.0/8', '::1'] }]) {
      const bounded = { name: 'x', scopes, ...bounds };
      const { json } = await api.call('POST', '/v3/self/keys', { key: full, body: bounded });
      const answer = await api.call('PUT', '/v3/self/password', { key: String(json['key']), body });
      expect(errorOf(answer)).toEqual([403, 'forbidden']);
    }
    const set = await api.call('PUT', '/v3/self/password', { key: full, body });
    expect([set.status, set.json]).toEqual([200, { changed_at: expect.stringMatching(/Z$/) }]);
    await signedIn(api, email, password);
    const machine = await api.keyWith([...scopes]);
    expect(errorOf(await api.call('PUT', '/v3/self/password', { key: machine, body }))).toEqual([403, 'forbidden']);
  });

  test('needs the one of before, ends every sign-in, and leaves a new one to the browser that asked', async () => {
    const { id, email } = await person();
    const [browser, other] = [await signedIn(api, email, password), await signedIn(second, email, password)];
    for (const current_password of [undefined, next]) {
      const body = { new_password: next, ...(current_password === undefined ? {} : { current_password }) };
      const answer = await browser.call('PUT', '/v3/self/password', { body });
      if (current_password === undefined) expect(answer.status).toBe(401);
      expect(errorOf(answer)).toEqual([401, 'invalid_credentials']);
    }
    const before = new Map(browser.cookies);
    const body = { current_password: password, new_password: next };
    expect((await browser.call('PUT', '/v3/self/password', { body })).status).toBe(200);
    expect(browser.cookies).not.toEqual(before);
    expect((await browser.call('GET', '/v3/self', { to: second })).status).toBe(200);
    expect((await other.call('GET', '/v3/self')).status).toBe(401);
    const stolen = openBrowser(api);
    for (const [name, value] of before) stolen.cookies.set(name, value);
    expect((await stolen.call('GET', '/v3/self')).status).toBe(401);
    expect(errorOf(await trySignIn(email, password, '192.0.2.1'))).toEqual([401, 'invalid_credentials']);
    await signedIn(api, email, next);
    const { rows } = await api.ctx.db.pool.query(
      `select action, changes from audit_entries where resource_id = $1 and action like 'password.%' order by id`,
      [id],
    );
    expect(rows).toEqual([
      { action: 'password.set', changes: {} },
      { action: 'password.change', changes: {} },
    ]);
    const everything = await api.ctx.db.pool.query('select row_to_json(a)::text as row from audit_entries a');
    expect(JSON.stringify(everything.rows)).not.toContain(next);
  });

  test('the operator sets one from standard input', async () => {
    const { email } = await person('');
    const run = async (line: string): Promise<[number | null, string]> => {
      const admin = new URL('../../admin.ts', import.meta.url).pathname;
      const args = [admin, 'password', 'set', '--email', email.toUpperCase()];
      const env = { ...process.env, DATABASE_URL: api.connectionString };
      const child = spawn(process.execPath, args, { env, stdio: 'pipe' });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
      child.stdin.end(line);
      await once(child, 'close');
      return [child.exitCode, said];
    };
    expect(await run('short\n')).toEqual([2, expect.stringContaining('at least 12 characters')]);
    expect(await run('long enough '.repeat(100))).toEqual([2, expect.stringContaining('at most 1,000 characters')]);
    expect(await run(`${password}\nmore\n`)).toEqual([0, `The password of ${email.toUpperCase()} is set.\n`]);
    await signedIn(api, email, password);
  });
});

describe('guessing', () => {
  let moment: Date;
  const { now } = { now: () => new Date() };
  beforeEach(() => {
    moment = new Date();
    for (const { ctx } of [api, second]) ctx.clock.now = () => moment;
  });
  afterEach(() => {
    for (const { ctx } of [api, second]) ctx.clock.now = now;
  });
  const later = (seconds: number): void => {
    moment = new Date(moment.getTime() + seconds * 1_000);
  };

  test('from one address: five are free, then each waits twice as long, over all processes', async () => {
    const { email } = await person();
    const from = '203.0.113.1';
    for (let n = 0; n < 5; n += 1)
      expect((await trySignIn(email, `${next} ${n}`, from, n % 2 === 0 ? api : second)).status).toBe(401);
    for (const wait of [1, 2, 4, 8, 16]) {
      const refused = await trySignIn(email, password, from, second);
      expect([wait, ...errorOf(refused), refused.headers.get('retry-after')]).toEqual([
        wait,
        429,
        'rate_limited',
        String(wait),
      ]);
      later(wait);
      expect([wait, (await trySignIn(email, next, from)).status]).toEqual([wait, 401]);
    }
    // An account that does not exist behaves the same.
    for (let n = 0; n < 5; n += 1) await trySignIn('nobody@example.com', next, from);
    expect((await trySignIn('nobody@example.com', next, from)).headers.get('retry-after')).toBe('1');
  });

  test('is forgotten with time, and the right password after the wait works', async () => {
    const { email } = await person();
    const from = '203.0.113.2';
    for (let n = 0; n < 12; n += 1) {
      await trySignIn(email, next, from);
      later(900);
    }
    expect((await trySignIn(email, password, from)).status).toBe(200);
    later(7_200);
    for (let n = 0; n < 5; n += 1) expect((await trySignIn(email, next, from)).status).toBe(401);
  });

  test('all at once count one after the other', async () => {
    const { email } = await person();
    const many = Array.from({ length: 40 }, (_, n) =>
      trySignIn(email, next, '203.0.113.3', n % 2 === 0 ? api : second),
    );
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(35);
  });

  test('by a stranger from everywhere cannot keep the person out', async () => {
    const { email } = await person();
    const home = '203.0.113.4';
    expect((await trySignIn(email, password, home)).status).toBe(200);
    for (let n = 0; n < 30; n += 1) {
      await trySignIn(email, next, `198.51.100.${n}`);
      later(n);
    }
    await trySignIn(email, next, '198.51.100.99');
    // Earlier addresses of the user are never blocked, others for at most a minute.
    expect((await trySignIn(email, password, home)).status).toBe(200);
    const away = await trySignIn(email, password, '192.0.2.200');
    expect(away.status).toBe(429);
    expect(Number(away.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    later(60);
    expect((await trySignIn(email, password, '192.0.2.200')).status).toBe(200);
  });

  test('many accounts from one network is stopped, for IPv6 by its /64', async () => {
    const statuses = [];
    for (let n = 0; n < 32; n += 1)
      statuses.push((await trySignIn(`spray${n}@example.com`, next, `2001:db8:1:2::${(n + 1).toString(16)}`)).status);
    expect(statuses.slice(0, 30)).toEqual(Array.from({ length: 30 }, () => 401));
    expect(statuses.slice(30)).toEqual([429, 429]);
    expect((await trySignIn('spray@example.com', next, '2001:db8:1:3::1')).status).toBe(401);
  });

  test('that is turned away leaves nothing behind, whatever the address', async () => {
    const from = '203.0.113.30';
    for (let n = 0; n < 30; n += 1) await trySignIn(`flood${n}@example.com`, next, from);
    const rows = async () => (await api.ctx.db.pool.query('select count(*) from sign_in_attempts')).rows[0];
    const before = await rows();
    for (let n = 0; n < 20; n += 1) expect((await trySignIn(`more${n}@example.com`, next, from)).status).toBe(429);
    expect(await rows()).toEqual(before);
  });

  test('is on record in the organizations of the person, as one entry with its count', async () => {
    const { id, email } = await person();
    const third = await api.another();
    for (let n = 0; n < 4; n += 1) await trySignIn(email, next, '203.0.113.9', third);
    await trySignIn('nobody@example.com', next, '203.0.113.9', third);
    await third.close();
    const { rows } = await api.ctx.db.pool.query(
      `select org_id, actor_id, outcome, ip, changes from audit_entries where resource_id = $1 and action = 'sign_in.fail'`,
      [id],
    );
    expect(rows).toEqual([
      { org_id: orgId, actor_id: id, outcome: 'denied', ip: '203.0.113.9', changes: { method: 'password', count: 4 } },
    ]);
  });
});
