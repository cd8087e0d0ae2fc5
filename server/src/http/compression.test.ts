import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../test/support/api.ts';
import { sendRaw, type RawAnswer } from '../../test/support/raw.ts';
import { codingOf } from './compression.ts';

const org = '/v3/organizations/default';
const decoders = { br: brotliDecompressSync, gzip: gunzipSync };

let api: TestApi;
let group = '';
beforeAll(async () => {
  api = await startTestApi();
  const bodies = Array.from({ length: 10 }, (_, at) => ({
    name: `Group ${at}`,
    description: 'Described. '.repeat(180),
  }));
  for (const body of bodies) group = String((await api.call('POST', `${org}/groups`, { body })).json['id']);
});
afterAll(() => api.close());

function send(method: string, path: string, more: Record<string, string> = {}, body?: object): Promise<RawAnswer> {
  const headers = { authorization: `Bearer ${api.adminKey}`, 'content-type': 'application/json', ...more };
  return sendRaw(api, method, path, headers, body);
}

function get(path: string, accepted: string, more: Record<string, string> = {}): Promise<RawAnswer> {
  return send('GET', path, { 'accept-encoding': accepted, ...more });
}

describe.each(['br', 'gzip'] as const)('with %s', (coding) => {
  test('a list is the same, and a fraction of its size', async () => {
    const plain = await get(`${org}/groups`, 'identity');
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'accept-encoding']);
    const { status, headers, bytes } = await get(`${org}/groups`, coding);
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, coding, 'accept-encoding']);
    expect(headers['content-length']).toBe(String(bytes.length));
    expect(bytes.length).toBeLessThan(plain.bytes.length / 4);
    expect(decoders[coding](bytes).equals(plain.bytes)).toBe(true);
    const head = await send('HEAD', `${org}/groups`, { 'accept-encoding': coding });
    for (const name of ['content-encoding', 'content-length', 'content-type', 'vary'])
      expect([name, head.headers[name]]).toEqual([name, headers[name]]);
    expect(head.bytes.length).toBe(0);
  });

  test('a record has a tag of its own, for which it is 304, and which If-Match takes as long as it is current', async () => {
    const path = `${org}/groups/${group}`;
    const plain = String((await get(path, 'identity')).headers.etag);
    const { headers, bytes } = await get(path, coding);
    const etag = String(headers.etag);
    expect(etag).toBe(plain.replace(/"$/, `.${coding}"`));
    expect(JSON.parse(decoders[coding](bytes).toString())['id']).toBe(group);
    expect((await send('HEAD', path, { 'accept-encoding': coding })).headers.etag).toBe(etag);
    for (const accepted of [coding, 'identity'])
      for (const known of [etag, plain]) {
        const same = await get(path, accepted, { 'if-none-match': `"x", ${known}` });
        expect([same.status, same.bytes.length, same.headers.etag]).toEqual([304, 0, known]);
        expect([same.headers.vary, same.headers['content-encoding']]).toEqual(['accept-encoding', undefined]);
      }
    const change = (ifMatch: string) => send('PATCH', path, { 'if-match': ifMatch }, { name: `With ${coding}` });
    expect((await change(`W/${etag}`)).status).toBe(412);
    const changed = await change(etag);
    expect([changed.status, changed.headers['content-encoding']]).toEqual([200, undefined]);
    expect((await change(etag)).status).toBe(412);
    expect((await get(path, coding, { 'if-none-match': etag })).status).toBe(200);
  });
});

test('small responses, mutations and requests of other sites are not compressed', async () => {
  const small = await get(org, 'br, gzip');
  expect([small.status, small.headers['content-encoding']]).toEqual([200, undefined]);
  const body = { name: 'Large', description: 'x'.repeat(2_000) };
  const made = await send('POST', `${org}/groups`, { 'accept-encoding': 'br, gzip' }, body);
  expect([made.status, made.headers['content-encoding']]).toEqual([201, undefined]);
  expect(JSON.parse(made.bytes.toString())).toMatchObject(body);
  const elsewhere = await get(`${org}/groups`, 'br', { 'sec-fetch-site': 'cross-site' });
  expect([elsewhere.status, elsewhere.headers['content-encoding']]).toEqual([200, undefined]);
  const own = await get(`${org}/groups`, 'br', { 'sec-fetch-site': 'same-origin' });
  expect(own.headers['content-encoding']).toBe('br');
});

test('a stream of events is sent as they come', async () => {
  const { json } = await api.call('POST', `${org}/sessions`, { body: { prompt: 'x' } });
  const headers = { authorization: `Bearer ${api.adminKey}`, 'accept-encoding': 'br, gzip' };
  const outgoing = request(`${api.url}${org}/sessions/${String(json['id'])}/events/stream`, { headers }).end();
  const [answer]: IncomingMessage[] = await once(outgoing, 'response');
  expect([answer?.statusCode, answer?.headers['content-encoding']]).toEqual([200, undefined]);
  const [first] = await once(answer ?? outgoing, 'data');
  expect(String(first)).toContain('event: ');
  outgoing.destroy();
});

test.each([
  [undefined, undefined],
  ['', undefined],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['BR', 'br'],
  ['*', 'br'],
  ['*, br;q=0', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['identity', undefined],
  ['br;q=x', undefined],
])('of accept-encoding %j it is %s', (header, coding) => {
  expect(codingOf(header, ['br', 'gzip'])).toBe(coding);
});
