import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import { crc32, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type CallOptions, type TestApi } from '../../test/support/api.ts';

let api: TestApi;
let other: { id: string; slug: string; key: string };
let reader: string;
let bound: string;
beforeAll(async () => {
  api = await startTestApi();
  other = await api.createOrganization('Elsewhere');
  reader = await api.keyWith(['sessions:read']);
  bound = await keyFor({ name: 'far away', scopes: ['run'], ip_ranges: ['203.0.113.0/24'] });
});
afterAll(() => api.close());

const sessions = '/v3/organizations/default/sessions';

async function keyFor(body: object): Promise<string> {
  return String((await api.call('POST', '/v3/self/keys', { body })).json['key']);
}

/** Checks an error response of `/v3`: exactly the documented keys, and the request id in both places. */
function expectRefusal(answer: Answer, status: number, error: string): void {
  expect([answer.status, answer.json['error']]).toEqual([status, error]);
  expect(Object.keys(answer.json).filter((key) => key !== 'details')).toEqual(['error', 'message', 'request_id']);
  expect(answer.json['request_id']).toBe(answer.headers.get('x-request-id'));
  expect(String(answer.json['message'])).toMatch(/[.?]$/);
}

describe('the order of refusal', () => {
  const huge = JSON.stringify({ prompt: 'x'.repeat(1_100_000) });
  const text = { 'content-type': 'text/plain' };
  const elsewhere = '/v3/organizations/nowhere/sessions';
  // Each request also has the faults of all rows below it.
  const rows: [string, () => [string, CallOptions], number, string][] = [
    ['401 before all', () => [elsewhere, { key: 'guild_no', raw: huge, headers: text }], 401, 'unauthorized'],
    ['403 address', () => [elsewhere, { key: bound, raw: huge, headers: text }], 403, 'ip_not_allowed'],
    ['404 organization', () => [elsewhere, { key: reader, raw: huge, headers: text }], 404, 'organization_not_found'],
    ['403 scope', () => [sessions, { key: reader, raw: huge, headers: text }], 403, 'forbidden'],
    ['415', () => [sessions, { raw: huge, headers: text }], 415, 'unsupported_media_type'],
    ['413', () => [sessions, { raw: huge }], 413, 'payload_too_large'],
    ['400', () => [`${sessions}/ses_none/messages`, { raw: '{' }], 400, 'invalid_json'],
    ['400', () => [`${sessions}/ses_none/messages`, { body: { content: 'x', nme: 1 } }], 400, 'invalid_request'],
    ['404 resource', () => [`${sessions}/ses_none/messages`, { body: { content: 'x' } }], 404, 'session_not_found'],
  ];
  test.each(rows)('%s', async (_name, ask, status, error) => {
    const [path, options] = ask();
    expectRefusal(await api.call('POST', path, options), status, error);
  });

  test.each<[string, string, CallOptions]>([
    ['GET', '/v3/organizations/default/groups/grp_none/usage?date=2026-02-30', {}],
    ['GET', '/v3/organizations/default/service-users/svc_none/keys?status=lost', {}],
    ['POST', '/v3/self/keys', { body: { name: 'x', scopes: ['run'], organization_id: 'nowhere', ip_ranges: ['x'] } }],
  ])('%s %s: what no schema can say is 400 before 404 too', async (method, path, options) => {
    expectRefusal(await api.call(method, path, options), 400, 'invalid_request');
  });

  test('for persons alone comes with the scope: before the body', async () => {
    const key = await api.keyWith(['org:write', 'run']);
    for (const path of ['/v3/organizations', '/v3/self/keys'])
      expectRefusal(await api.call('POST', path, { key, raw: '{' }), 403, 'forbidden');
  });
});

describe('authentication', () => {
  test.each([
    ['no key', {}],
    ['another scheme', { authorization: 'Token abc' }],
    ['basic, where only git takes it', { authorization: `Basic ${Buffer.from('x:y').toString('base64')}` }],
    ['a wrong checksum', { authorization: `Bearer guild_${'0'.repeat(48)}` }],
  ])('%s is 401', async (_name, headers) => {
    const answer = await api.call('GET', '/v3/self', { key: '', headers });
    expectRefusal(answer, 401, 'unauthorized');
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  test('keys have the checksum of the contract, and only their hash is stored', async () => {
    expect(api.adminKey).toMatch(/^guild_[0-9a-f]{48}$/);
    expect(crc32(api.adminKey.slice(0, 46)).toString(16).padStart(8, '0')).toBe(api.adminKey.slice(46));
    const { rows } = await api.ctx.db.pool.query('select row_to_json(k)::text as row from api_keys k');
    expect(JSON.stringify(rows)).not.toContain(api.adminKey.slice(16, 40));
  });

  test('another organization answers as a missing one', async () => {
    for (const id of [other.id, other.slug, 'org_missing', '%00', 'x'.repeat(300)])
      expectRefusal(await api.call('GET', `/v3/organizations/${id}/sessions`), 404, 'organization_not_found');
  });

  test('the organization is found by id and by slug', async () => {
    const { json } = await api.call('GET', '/v3/self');
    const organization = { id: expect.stringMatching(/^org_/), slug: 'default', name: 'Default' };
    expect(json).toMatchObject({ principal_type: 'user', organization, permission: 'admin', api_version: '3.0.0' });
    const id = /org_\w+/.exec(JSON.stringify(json))?.[0] ?? '';
    expect((await api.call('GET', `/v3/organizations/${id}`)).json['slug']).toBe('default');
  });
});

describe('error envelopes', () => {
  test.each([
    ['/v3/nothing', 'GET', 404, 'not_found'],
    ['/nothing', 'GET', 404, 'not_found'],
    ['/', 'PUT', 404, 'not_found'],
    ['/V3/self', 'GET', 404, 'not_found'],
    ['/v3/self', 'PUT', 404, 'not_found'],
    ['/v3/organizations/default/sessions/x/nothing', 'GET', 404, 'not_found'],
    ['/v3/%zz', 'GET', 400, 'invalid_request'],
    [`/v3/organizations/default/sessions/${'x'.repeat(2_000)}`, 'GET', 404, 'not_found'],
    ['/v3/organizations/default/sessions/%00', 'GET', 400, 'invalid_request'],
    ['/v3/organizations/default/sessions?search=%00', 'GET', 400, 'invalid_request'],
    ['/v3/organizations/default/sessions?nme=1', 'GET', 400, 'invalid_request'],
    ['/v3/self?nme=1', 'GET', 400, 'invalid_request'],
    ['/v3/organizations/default/members/usr_none?nme=1', 'DELETE', 400, 'invalid_request'],
    ['/v3/organizations/default/sessions?created_after=2026-12-31T23:59:60Z', 'GET', 400, 'invalid_request'],
  ])('%s %s', async (path, method, status, error) => {
    expectRefusal(await api.call(method, path), status, error);
  });

  test.each([
    ['/agents', 'DELETE', 404, 'not_found'],
    ['/agents/agt_none', 'GET', 404, 'agent_not_found'],
    ['/agents?after=bm9uZQ', 'GET', 400, 'invalid_cursor'],
  ])('unversioned %s %s is exactly error and message', async (path, method, status, error) => {
    const answer = await api.call(method, path);
    expect([answer.status, answer.json]).toEqual([status, { error, message: expect.any(String) }]);
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
  });

  test('unversioned refusals of the core are exactly error and message too', async () => {
    const both = { error: expect.any(String), message: expect.any(String) };
    const rows: [CallOptions, number][] = [
      [{ key: '' }, 401],
      [{ key: reader }, 403],
      [{ raw: 'x', headers: { 'content-type': 'text/plain' } }, 415],
      [{ raw: JSON.stringify('x'.repeat(1_100_000)) }, 413],
    ];
    for (const [options, status] of rows) {
      const answer = await api.call('POST', '/agents', options);
      expect([answer.status, answer.json]).toEqual([status, both]);
    }
  });

  test('every answer has the constant headers', async () => {
    const { headers } = await api.call('GET', '/v3/self');
    const expected = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'x-frame-options': 'DENY' };
    for (const [name, value] of Object.entries(expected)) expect(headers.get(name)).toBe(value);
  });

  test.each([
    ['no request line', 'what?\r\n\r\n', 400, 'is not valid HTTP'],
    ['a line break in a header', 'GET /v3/self HTTP/1.1\r\nhost: x\r\nx-a: b\nc\r\n\r\n', 400, 'is not valid HTTP'],
    ['large headers', `GET /v3/self HTTP/1.1\r\nhost: x\r\nx-a: ${'x'.repeat(20_000)}\r\n\r\n`, 431, '16384 bytes'],
  ])('%s, which node itself refuses, gets the envelope too', async (_name, sent, status, words) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1').on('error', () => undefined);
    socket.end(sent);
    const [head = '', body = ''] = (await textOf(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const refused: unknown = JSON.parse(body);
    const request_id = /^x-request-id: (req_\w+)$/m.exec(head)?.[1];
    expect(refused).toEqual({ error: 'invalid_request', message: expect.stringContaining(words), request_id });
    expect(request_id).toBeDefined();
  });
});

describe('bodies', () => {
  const path = '/v3/organizations/default/service-users';
  const cases: [string, CallOptions, string, string][] = [
    ['an unknown key', { body: { name: 'x', nme: 'y' } }, 'invalid_request', 'body.nme'],
    ['an unknown key with a slash', { body: { name: 'x', 'a/b': 'y' } }, 'invalid_request', 'body.a/b'],
    ['a number for a string', { body: { name: 7 } }, 'invalid_request', 'body.name'],
    ['a boolean for a string', { body: { name: true } }, 'invalid_request', 'body.name'],
    ['null', { body: { name: null } }, 'invalid_request', 'body.name'],
    ['an array', { body: [] }, 'invalid_request', 'body must be an object'],
    ['no body', {}, 'invalid_request', 'body.name is required'],
    ['U+0000', { raw: '{"name":"a\\u0000"}' }, 'invalid_request', 'body.name'],
    ['U+0000 in a key', { raw: '{"name":"a","\\u0000":1}' }, 'invalid_request', 'body'],
    ['a lone surrogate', { raw: '{"name":"\\uD800"}' }, 'invalid_request', 'body.name'],
    ['a low surrogate alone', { raw: '{"name":"\\udc00x"}' }, 'invalid_request', 'body.name'],
    ['a prototype', { raw: '{"name":"x","__proto__":{}}' }, 'invalid_request', '__proto__'],
    ['half an object', { raw: '{"name":' }, 'invalid_json', 'not valid JSON'],
    ['what is no UTF-8', { raw: Buffer.from([0x22, 0xff, 0x22]) }, 'invalid_json', 'UTF-8'],
    ['endless nesting', { raw: `{"name":${'['.repeat(50_000)}${']'.repeat(50_000)}}` }, 'invalid_request', 'nested'],
    ['nesting that hides U+0000', { raw: `${'['.repeat(9_000)}"\\u0000"${']'.repeat(9_000)}` }, 'invalid_request', ''],
  ];
  test.each(cases)('%s is 400 on /v3', async (_name, options, error, words) => {
    const answer = await api.call('POST', path, options);
    expectRefusal(answer, 400, error);
    expect(answer.json['message']).toContain(words);
  });

  test('a compressed one is 415, which says so, and an identical one is taken', async () => {
    const sent = (coding: string, raw: string | Buffer) =>
      api.call('POST', path, { raw, headers: { 'content-type': 'application/json', 'content-encoding': coding } });
    const answer = await sent('gzip', gzipSync('{"name":"x"}'));
    expectRefusal(answer, 415, 'unsupported_media_type');
    expect(answer.json['message']).toContain('Content-Encoding');
    expect((await sent('gzip', '{"name":"x"}')).status).toBe(415);
    expect((await sent('Identity', '{"name":"x"}')).status).toBe(201);
  });

  test.each([
    ['a pair of surrogates', '{"name":"\\ud83d\\ude00"}', '😀'],
    ['text that only looks like an escape', '{"name":"\\\\u0000"}', '\\u0000'],
    ['a byte order mark', '\ufeff{"name":"x"}', 'x'],
  ])('%s is taken', async (_name, raw, name) => {
    const answer = await api.call('POST', path, { raw });
    expect([answer.status, answer.json['name']]).toEqual([201, name]);
  });

  test('the limit is 1 MiB, to the byte', async () => {
    const body = (size: number) => JSON.stringify({ name: 'x'.repeat(size - '{"name":""}'.length) });
    expectRefusal(await api.call('POST', path, { raw: body(1_048_576) }), 400, 'invalid_request');
    const large = await api.call('POST', path, { raw: body(1_048_577) });
    expectRefusal(large, 413, 'payload_too_large');
    expect(large.json['message']).toContain('1048576 bytes');
  });

  test('what requires nothing needs no body, and takes no unknown key either', async () => {
    const { json } = await api.call('POST', sessions, { body: { prompt: 'x' } });
    const cancel = `${sessions}/${String(json['id'])}/cancel`;
    const organization = '/v3/organizations/default';
    const pause = `${organization}/automations/aut_none/pause`;
    for (const action of [cancel, `${organization}/restore`, `${organization}/members/invites/inv_none/resend`, pause])
      expectRefusal(await api.call('POST', action, { body: { why: 'x' } }), 400, 'invalid_request');
    expect((await api.call('POST', cancel)).status).toBe(200);
  });

  test('times have milliseconds and Z; ids have their prefix and sort by creation', async () => {
    const made = [];
    for (const name of ['a', 'b', 'c']) made.push((await api.call('POST', path, { body: { name } })).json);
    const ids = made.map(({ id }) => String(id));
    expect([...ids].sort()).toEqual(ids);
    for (const { id, created_at: at } of made) {
      expect(id).toMatch(/^svc_[0-9a-z]{26}$/);
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
  });
});

describe('what is served beside the operations', () => {
  test('the document, the reference page and health need no key', async () => {
    const json = await api.call('GET', '/openapi.json', { key: '' });
    expect(json.json).toMatchObject({ openapi: '3.1.0', info: { version: '3.0.0' } });
    expect((await api.call('GET', '/openapi.yaml', { key: '' })).text).toContain('openapi: 3.1.0');
    expect((await api.call('GET', '/healthz', { key: '' })).status).toBe(200);
    expect((await api.call('GET', '/readyz', { key: '' })).json['status']).toBe('ready');
  });

  test('the reference page is ours alone: its script comes from us', async () => {
    const page = await fetch(`${api.url}/docs`);
    const html = await page.text();
    expect(html).not.toMatch(/(?:src|href)="https?:/);
    const script = /src="([^"]+)"/.exec(html)?.[1] ?? '';
    expect((await fetch(new URL(script, page.url))).headers.get('content-type')).toContain('javascript');
  });
});
