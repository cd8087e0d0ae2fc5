import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLiveFixture, organization, type LiveFixture } from '../../../../test/support/live-sessions.ts';
import { join } from '../../../../test/support/members.ts';
import { HandshakeRefused, openSocket } from '../../../../test/support/terminals.ts';
import { createProcessDriver } from '../../../adapters/sandbox/process/driver.ts';
import { startSignIn } from '../../../features/auth/sign-in-service.ts';
import { issueTicket } from '../../../features/sessions/live/tickets.ts';
import { signInCookieName } from '../../../http/cookie.ts';

let fixture: LiveFixture;
beforeAll(async () => {
  fixture = await createLiveFixture();
});
beforeEach(() => fixture.worker());
afterAll(() => fixture.close());

/** A server that tells what it got, and sends what no preview may pass on. */
const server = `
  const http = require('node:http');
  const crypto = require('node:crypto');
  const app = http.createServer((request, response) => {
    if (request.url.startsWith('/away')) return response.writeHead(302, { location: '/there?x=1' }).end();
    if (request.url.startsWith('/self')) return response.writeHead(302, { location: 'http://127.0.0.1:3000/there' }).end();
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      response.setHeader('set-cookie', ['guildhall=stolen; Path=/', 'own=1; Path=/']);
      response.setHeader('clear-site-data', '"*"');
      response.setHeader('x-accel-redirect', '/internal');
      response.setHeader('www-authenticate', 'Basic realm="Guildhall"');
      response.setHeader('content-security-policy', "default-src *");
      response.setHeader('access-control-allow-credentials', 'true');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(pieces).toString() }));
    });
  });
  app.on('upgrade', (request, socket) => {
    const accept = crypto.createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
    socket.write('HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: upgrade\\r\\nset-cookie: a=b\\r\\nsec-websocket-accept: ' + accept + '\\r\\n\\r\\n');
    socket.on('data', () => socket.write(Buffer.from([0x81, 2, 0x68, 0x69])));
  });
  app.listen(3000, '127.0.0.1');
`;
const serve = [
  `cat > ~/server.cjs <<'END'\n${server}\nEND`,
  '(setsid node ~/server.cjs > /dev/null 2>&1 &); until curl -s -o /dev/null http://127.0.0.1:3000/; do sleep 0.1; done',
];
const path = (id: string, rest: string): string => `${organization}/sessions/${id}/preview/${rest}`;
const get = (id: string, rest: string, headers: Record<string, string> = {}, key = fixture.api.adminKey) =>
  fixture.api.call('GET', path(id, rest), { redirect: 'manual', headers, key });

describe('a preview', () => {
  test('passes requests on without what identifies their caller, and answers without what would act on us', async () => {
    const { id } = await fixture.live({}, ...serve);
    const cookie = 'guildhall=x; other=y';
    const answer = await get(id, '3000/a/b%20c?d=e', { cookie, 'x-app': 'mine', 'x-forwarded-for': '10.0.0.1' });
    expect(answer.status).toBe(200);
    const { headers, ...told } = answer.json;
    expect(told).toEqual({ method: 'GET', url: '/a/b%20c?d=e', body: '' });
    expect(headers).toMatchObject({ host: 'localhost:3000', 'x-app': 'mine' });
    const names = Object.keys(Object(headers));
    for (const name of ['cookie', 'authorization', 'x-forwarded-for']) expect(names).not.toContain(name);
    expect(answer.text).not.toContain(fixture.api.adminKey);
    expect(answer.headers.get('content-security-policy')).toBe('sandbox allow-scripts allow-forms');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    for (const name of [
      'set-cookie',
      'clear-site-data',
      'x-accel-redirect',
      'www-authenticate',
      'access-control-allow-credentials',
    ])
      expect([name, answer.headers.get(name)]).toEqual([name, null]);
    const sent = await fixture.api.call('POST', path(id, '3000/form'), {
      raw: 'a=1&b=2',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(sent.json).toMatchObject({ method: 'POST', url: '/form', body: 'a=1&b=2' });
    expect(await fixture.audited(id)).toContain('session.preview');
  });

  test('keeps redirects of the server below the preview', async () => {
    const { id } = await fixture.live({}, ...serve);
    expect((await get(id, '3000')).headers.get('location')).toBe(path(id, '3000/'));
    expect((await get(id, '3000/away')).headers.get('location')).toBe(path(id, '3000/there?x=1'));
    expect((await get(id, '3000/self')).headers.get('location')).toBe(path(id, '3000/there'));
  });

  test('gives a signed-in person a ticket for this preview alone, which ends with the sign-in', async () => {
    const { id } = await fixture.live({}, ...serve);
    const cookie = await fixture.signIn();
    const first = await get(id, '3000/page?x=1', { cookie }, '');
    expect(first.status).toBe(302);
    const location = first.headers.get('location') ?? '';
    expect(location).toMatch(/\/preview\/3000\/~[\w-]{60,}\/page\?x=1$/);
    const ask = (method: string, url: string, headers: Record<string, string> = {}) =>
      fixture.api.call(method, url, { key: '', headers, redirect: 'manual' });
    const page = await ask('GET', location);
    expect(page.json).toMatchObject({ url: '/page?x=1' });
    expect(page.headers.get('access-control-allow-origin')).toBe('*');
    expect((await ask('POST', location, { origin: 'null' })).json).toMatchObject({ method: 'POST' });
    const preflight = await ask('OPTIONS', location, { origin: 'null', 'access-control-request-headers': 'x-app' });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'x-app']);
    expect((await ask('GET', location.replace('/3000/', '/3001/'))).status).toBe(401);
    expect((await ask('GET', location.replace('/~', '/~A'))).status).toBe(401);
    // Only the cookie gets a ticket: the page could renew its own for ever.
    for (const encoded of ['/%7E', '/%7e'])
      expect((await ask('GET', location.replace('/~', encoded))).status).toBe(401);
    expect((await ask('GET', path(id, '3000/page'))).status).toBe(401);
    // A change by cookie needs our header, as everywhere.
    expect((await ask('POST', path(id, '3000/page'), { cookie })).status).toBe(403);
    const socket = await openSocket(`${fixture.api.url}${location}`, { origin: 'null' });
    socket.send('hello');
    const [message] = await new Promise<[unknown]>((resolve) => void socket.once('message', (data) => resolve([data])));
    expect(String(message)).toBe('hi');
    await expect(openSocket(fixture.url(id, '/preview/3000/'), { cookie })).rejects.toThrow(HandshakeRefused);
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    await fixture.api.call('POST', '/v3/auth/sign-out', {
      key: '',
      headers: { cookie, 'x-guildhall-csrf': '1' },
      body: {},
    });
    await closed;
    expect((await ask('GET', location)).status).toBe(401);
  });

  test('ends with the rights of the person whom its ticket is for, and within an hour', async () => {
    const { id } = await fixture.live({}, ...serve);
    const { ctx } = fixture.api;
    const other = await fixture.api.createOrganization(`Also theirs ${id}`);
    const userId = await join(fixture.api, String((await fixture.api.call('GET', organization)).json['id']), 'member');
    await ctx.db.pool.query('insert into members (org_id, user_id, permission) values ($1, $2, $3)', [
      other.id,
      userId,
      'admin',
    ]);
    const facts = { ip: '127.0.0.1', userAgent: '', id: 'req_1' };
    const person = { id: userId, email: '', name: '' };
    const now = ctx.clock.now();
    const { token } = await ctx.db.transaction((trx) =>
      startSignIn(trx, { person, method: 'sso', facts, replaced: undefined, now }),
    );
    const cookie = `${signInCookieName(fixture.api.url)}=${token}`;
    const location = (await get(id, '3000/', { cookie }, '')).headers.get('location') ?? '';
    const ask = async (url = location) => (await fixture.api.call('GET', url, { key: '', redirect: 'manual' })).status;
    expect(await ask()).toBe(200);
    expect(await ask(location.replace(organization, `/v3/organizations/${other.slug}`))).toBe(401);
    const { rows } = await ctx.db.pool.query<{ id: string }>('select id from sign_ins where user_id = $1', [userId]);
    const place = { organization: 'default', session: id, port: '3000' };
    const issuedAgo = (ms: number) => {
      const clock = { now: () => new Date(Date.now() - ms) };
      const ticket = issueTicket({ keyRing: ctx.keyRing, clock }, String(rows[0]?.id), place);
      return path(id, `3000/~${ticket}/`);
    };
    expect([await ask(issuedAgo(59 * 60_000)), await ask(issuedAgo(61 * 60_000))]).toEqual([200, 401]);

    const socket = await openSocket(`${fixture.api.url}${location}`, { origin: 'null' });
    const closed = new Promise((resolve) => void socket.once('close', resolve));
    const member = `${organization}/members/${userId}`;
    await fixture.api.call('PATCH', member, { body: { permission: 'viewer' } });
    expect([await ask(), (await get(id, '3000/', { cookie }, '')).status]).toEqual([403, 403]);
    await closed;
    await fixture.api.call('PATCH', member, { body: { permission: 'member' } });
    expect(await ask()).toBe(200);
    await fixture.api.call('DELETE', member);
    expect(await ask()).toBe(404);
  });

  test('says what is wrong: no server, no sandbox, a reserved port, another organization, a missing scope', async () => {
    const { id } = await fixture.live();
    const none = await get(id, '3999/');
    expect([none.status, none.json['error']]).toEqual([502, 'upstream_error']);
    expect(none.json['message']).toContain('Nothing listens on port 3999');
    expect((await get(id, '3128/')).json['message']).toContain("platform's own");
    expect((await get(id, '0/')).status).toBe(400);
    expect((await get(id, '65536/x')).status).toBe(404);
    expect((await get('ses_none', '3000/')).json['error']).toBe('session_not_found');
    expect((await get(id, '3000/x', {}, await fixture.api.keyWith(['sessions:read']))).status).toBe(403);
    const { key } = await fixture.api.createOrganization(`Other ${id}`);
    expect((await get(id, '3000/x', {}, key)).status).toBe(404);
    const ended = await fixture.run({ agent: { steps: [{ run: 'true' }], summary: '' } });
    expect((await get(ended.id, '3000/')).json['error']).toBe('sandbox_not_running');
  });

  test('never reaches a port of the machine: a driver without a network of its own refuses, and names itself', async () => {
    await fixture.worker({ id: 'unisolated', sandbox: createProcessDriver });
    const { id } = await fixture.live();
    const answer = await get(id, `${new URL(fixture.api.url).port}/healthz`);
    expect([answer.status, answer.json['error']]).toEqual([409, 'not_supported']);
    expect(answer.json['message']).toContain('process');
    // A terminal needs no network.
    const terminal = await fixture.terminal(id);
    terminal.type('echo "up $((1+1))"; exit\n');
    await terminal.shows(/up 2/);
    expect((await terminal.closed).code).toBe(1000);
  });
});
