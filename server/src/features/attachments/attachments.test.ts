import { createHash, randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type Answer, type TestApi } from '../../../test/support/api.ts';
import { maxBytes, sweepAttachments } from './service.ts';

const path = '/v3/organizations/default/attachments';

let api: TestApi;
let elsewhere: { id: string; slug: string; key: string };
beforeAll(async () => {
  api = await startTestApi();
  elsewhere = await api.createOrganization('Elsewhere');
});
afterAll(() => api.close());

interface Upload {
  content: string | Uint8Array<ArrayBuffer>;
  name?: string;
  field?: string;
  type?: string;
  key?: string;
  headers?: Record<string, string>;
}

async function upload(input: Upload): Promise<Answer> {
  const { content, name = 'notes.txt', field = 'file', type = '', key = api.adminKey, headers = {} } = input;
  const form = new FormData();
  form.append(field, new Blob([content], { type }), name);
  const response = await fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: form,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

async function linkTo(id: string, key = api.adminKey): Promise<string> {
  const response = await fetch(`${api.url}${path}/${id}/download`, {
    headers: { authorization: `Bearer ${key}` },
    redirect: 'manual',
  });
  expect([response.status, await response.text()]).toEqual([307, '']);
  return response.headers.get('location') ?? '';
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

async function blobs(): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of api.ctx.blobs.list('attachments/')) keys.push(key);
  return keys;
}

/** Sends bytes that are made as they go, and nothing of them is kept. */
function stream(chunks: Iterable<Buffer>): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const outgoing = request(
    `${api.url}${path}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${api.adminKey}`, 'content-type': 'multipart/form-data; boundary=xxxx' },
    },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    },
  );
  outgoing.on('error', reject);
  const head = '--xxxx\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n';
  function* body(): Iterable<Buffer> {
    yield Buffer.from(head);
    yield* chunks;
    yield Buffer.from('\r\n--xxxx--\r\n');
  }
  pipeline(Readable.from(body()), outgoing).catch(() => undefined);
  return promise;
}

const mebibyte = Buffer.alloc(1_048_576, 7);
function* mebibytes(count: number): Iterable<Buffer> {
  for (let n = 0; n < count; n += 1) yield mebibyte;
}

describe('an upload', () => {
  test('is kept as it came, and read back with its digest', async () => {
    const answer = await upload({ content: 'Grüße\n', name: 'grüße.txt' });
    expect([answer.status, answer.json]).toEqual([
      201,
      {
        id: expect.stringMatching(/^att_/),
        name: 'grüße.txt',
        content_type: 'text/plain; charset=utf-8',
        size_bytes: 8,
        sha256: sha256('Grüße\n'),
        created_by: { type: 'user', id: expect.stringMatching(/^usr_/) },
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    const id = String(answer.json['id']);
    expect((await api.call('GET', `${path}/${id}`)).json).toEqual(answer.json);
    const list = await api.call('GET', path);
    expect(list.json).toMatchObject({ items: [answer.json], total: 1, has_next_page: false });
  });

  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  test.each([
    [
      'an image that is called a page',
      { content: new Uint8Array(png), name: 'x.html', type: 'text/html' },
      'image/png',
    ],
    ['a page', { content: '<script>alert(1)</script>', name: 'x.png', type: 'image/png' }, 'text/plain; charset=utf-8'],
    ['a PDF', { content: '%PDF-1.7\n1 0 obj', name: 'x' }, 'application/pdf'],
    ['bytes', { content: new Uint8Array([0, 1, 2, 3]) }, 'application/octet-stream'],
    ['nothing', { content: '' }, 'text/plain; charset=utf-8'],
    [
      'text whose last character is cut at what is looked at',
      { content: `x${'é'.repeat(4_000)}` },
      'text/plain; charset=utf-8',
    ],
  ])('%s is what it is, whatever it is called', async (_what, input: Upload, type) => {
    expect((await upload(input)).json['content_type']).toBe(type);
  });

  test.each([
    ['../../etc/passwd', 'passwd'],
    ['a\\b\\c.txt', 'c.txt'],
    ['..', 'file'],
    ['x\u202etxt.exe', 'xtxt.exe'],
    [`${'n'.repeat(300)}.txt`, 'n'.repeat(200)],
  ])('called %s is called %s', async (claimed, name) => {
    expect((await upload({ content: 'x', name: claimed })).json['name']).toBe(name);
  });

  test('without a name is called file', async () => {
    const raw =
      '--xxxx\r\ncontent-disposition: form-data; name="file"\r\ncontent-type: application/octet-stream\r\n\r\nx\r\n--xxxx--\r\n';
    const headers = { 'content-type': 'multipart/form-data; boundary=xxxx' };
    const answer = await api.call('POST', path, { raw, headers });
    expect([answer.status, answer.json['name']]).toEqual([201, 'file']);
  });

  test('that is no form with one file is refused, and leaves nothing behind', async () => {
    const before = await blobs();
    const json = await api.call('POST', path, { body: { file: 'x' } });
    expect([json.status, json.json['error']]).toEqual([415, 'unsupported_media_type']);
    const other = await upload({ content: 'x', field: 'other' });
    expect([other.status, other.json['error']]).toEqual([400, 'invalid_request']);
    expect(other.json['message']).toContain('"other"');
    for (const raw of [
      '--xxxx--\r\n',
      '--xxxx\r\ncontent-disposition: form-data; name="file"\r\n\r\nx\r\n--xxxx--\r\n',
    ]) {
      const headers = { 'content-type': 'multipart/form-data; boundary=xxxx' };
      const empty = await api.call('POST', path, { raw, headers });
      expect([raw, empty.status, empty.json['error']]).toEqual([raw, 400, 'invalid_request']);
    }
    expect(await blobs()).toEqual(before);
  });

  test('a form with two files is refused, and nothing of it is kept', async () => {
    const before = await blobs();
    for (const field of ['file', 'other']) {
      const form = new FormData();
      form.append('file', new Blob(['one']), 'one.txt');
      form.append(field, new Blob(['two'.repeat(100_000)]), 'two.txt');
      const headers = { authorization: `Bearer ${api.adminKey}` };
      const response = await fetch(`${api.url}${path}`, { method: 'POST', headers, body: form });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        { error: 'invalid_request', message: expect.stringContaining('more than one file') },
      ]);
    }
    expect(await blobs()).toEqual(before);
  });

  test('of 100 MiB is taken and one byte more is not, both in constant memory', { timeout: 120_000 }, async () => {
    const before = await blobs();
    const fits = await stream(mebibytes(100));
    expect([fits.status, JSON.parse(fits.text).size_bytes]).toEqual([201, maxBytes]);
    const baseline = process.memoryUsage().rss;
    let most = 0;
    function* watched(): Iterable<Buffer> {
      for (const chunk of mebibytes(100)) {
        most = Math.max(most, process.memoryUsage().rss - baseline);
        yield chunk;
      }
      yield Buffer.from('x');
    }
    const tooLarge = await stream(watched());
    expect([tooLarge.status, JSON.parse(tooLarge.text).error]).toEqual([413, 'payload_too_large']);
    // The test's own process sends and takes: both sides together stay far below what passes through them.
    expect(most).toBeLessThan(48 * 1_048_576);
    expect(await blobs()).toHaveLength(before.length + 1);
  });

  test('that breaks off leaves nothing behind', async () => {
    const before = await blobs();
    const outgoing = request(`${api.url}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api.adminKey}`,
        'content-type': 'multipart/form-data; boundary=xxxx',
        'content-length': 10_000_000,
      },
    });
    outgoing.on('error', () => undefined);
    outgoing.write('--xxxx\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n');
    await new Promise<void>((resolve) => outgoing.write(mebibyte, () => resolve()));
    outgoing.destroy();
    // It is answered, and so over, when the next request that came later is.
    await expect.poll(blobs).toEqual(before);
    expect((await api.call('GET', path)).status).toBe(200);
  });

  test('is repeated by its key only with the same file', async () => {
    const headers = { 'idempotency-key': 'one' };
    const first = await upload({ content: 'same', headers });
    const count = (await blobs()).length;
    const again = await upload({ content: 'same', headers });
    expect([again.status, again.json, again.headers.get('idempotent-replayed')]).toEqual([201, first.json, 'true']);
    const other = await upload({ content: 'other', headers });
    expect([other.status, other.json['error']]).toEqual([409, 'idempotency_conflict']);
    expect(await blobs()).toHaveLength(count);
  });

  test('takes attachments:write, and reads take attachments:read', async () => {
    const reader = await api.keyWith(['attachments:read']);
    const refused = await upload({ content: 'x', key: reader });
    expect([refused.status, refused.json['error']]).toEqual([403, 'forbidden']);
    const writer = await api.keyWith(['attachments:write']);
    const made = await upload({ content: 'x', key: writer });
    expect(made.status).toBe(201);
    const one = `${path}/${String(made.json['id'])}`;
    expect((await api.call('GET', one, { key: writer })).status).toBe(403);
    expect((await api.call('GET', one, { key: reader })).status).toBe(200);
    expect((await api.call('DELETE', one, { key: reader })).status).toBe(403);
    expect((await api.call('DELETE', one, { key: writer })).status).toBe(204);
    expect((await api.call('GET', one)).json['error']).toBe('attachment_not_found');
  });
});

describe('a download', () => {
  test('needs no key but the link, and is nothing a browser would run', async () => {
    const content = randomBytes(300_000);
    const { json } = await upload({ content, name: 'a "b" ü.bin' });
    const response = await fetch(await linkTo(String(json['id'])));
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '300000',
      'content-disposition': `attachment; filename="a _b_ _.bin"; filename*=UTF-8''a%20%22b%22%20%C3%BC.bin`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
    });
  });

  test('has a name that reads as what it is, and is whole whatever ranges are asked for', async () => {
    const { json } = await upload({ content: 'whole', name: 'a\u061c\u200e\u202etxt.exe' });
    expect(json['name']).toBe('atxt.exe');
    const range = `bytes=${'0-,'.repeat(2_000)}0-`;
    const response = await fetch(await linkTo(String(json['id'])), { headers: { range } });
    expect([response.status, await response.text()]).toEqual([200, 'whole']);
  });

  test('opens with the link of a key from where that works alone, and no longer than it does', async () => {
    const { json } = await upload({ content: 'bound' });
    const proxied = await api.another({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.0/8' });
    const from = (ip: string) => ({ key: '', headers: { 'x-forwarded-for': ip } });
    const linkOf = async (bounds: object): Promise<string> => {
      const body = { name: 'bound', scopes: ['attachments:read'], ...bounds };
      const key = String((await api.call('POST', '/v3/self/keys', { body })).json['key']);
      const options = { ...from('192.0.2.7'), key, redirect: 'manual' as const };
      const answer = await proxied.call('GET', `${path}/${String(json['id'])}/download`, options);
      return new URL(answer.headers.get('location') ?? '').pathname;
    };
    try {
      const near = await linkOf({ ip_ranges: ['192.0.2.0/24'] });
      expect((await proxied.call('GET', near, from('192.0.2.9'))).text).toBe('bound');
      const far = await proxied.call('GET', near, from('203.0.113.9'));
      expect([far.status, far.json['error']]).toEqual([403, 'ip_not_allowed']);
      const now = Date.now();
      const short = await linkOf({ expires_at: new Date(now + 120_000).toISOString() });
      expect((await proxied.call('GET', short, from('192.0.2.9'))).status).toBe(200);
      Object.assign(proxied.ctx.clock, { now: () => new Date(now + 121_000) });
      expect((await proxied.call('GET', short, from('192.0.2.9'))).status).toBe(404);
    } finally {
      Object.assign(proxied.ctx.clock, { now: () => new Date() });
      await proxied.close();
    }
  });

  test('opens one attachment, for ten minutes, and only as it was signed', async () => {
    const { json } = await upload({ content: 'one' });
    const other = await upload({ content: 'two' });
    const link = await linkTo(String(json['id']));
    const [payload = '', signature = ''] = link.split('/').at(-1)?.split('.') ?? [];
    const forged = Buffer.from(payload, 'base64url').toString().replace(String(json['id']), String(other.json['id']));
    for (const token of [`${Buffer.from(forged).toString('base64url')}.${signature}`, `${payload}.x`, 'x', payload]) {
      const answer = await api.call('GET', `/v3/attachments/downloads/${token}`, { key: '' });
      expect([answer.status, answer.json['error']]).toEqual([404, 'attachment_not_found']);
    }
    expect(await (await fetch(link)).text()).toBe('one');
    const now = api.ctx.clock.now().getTime();
    const later = await api.another();
    Object.assign(later.ctx.clock, { now: () => new Date(now + 601_000) });
    try {
      const expired = await later.call('GET', `/v3/attachments/downloads/${payload}.${signature}`, { key: '' });
      expect([expired.status, expired.json['error']]).toEqual([404, 'attachment_not_found']);
    } finally {
      Object.assign(later.ctx.clock, { now: () => new Date() });
      await later.close();
    }
    await api.call('DELETE', `${path}/${String(json['id'])}`);
    expect((await fetch(link)).status).toBe(404);
  });

  test("of another organization's attachment is one of none", async () => {
    const { json } = await upload({ content: 'x' });
    for (const rest of ['', '/download']) {
      const foreign = `/v3/organizations/${elsewhere.slug}/attachments/${String(json['id'])}${rest}`;
      const answer = await api.call('GET', foreign, { key: elsewhere.key });
      expect([answer.status, answer.json['error']]).toEqual([404, 'attachment_not_found']);
    }
  });

  test("follows the organization's IP access list", async () => {
    const proxied = await api.another({ GUILDHALL_TRUSTED_PROXIES: '127.0.0.1' });
    try {
      const { json } = await upload({ content: 'inside' });
      const link = await linkTo(String(json['id']));
      const token = link.split('/').at(-1) ?? '';
      const entries = [{ cidr: '127.0.0.1/32' }];
      const list = '/v3/organizations/default/ip-access-list';
      expect((await api.call('PUT', list, { body: { enabled: true, entries } })).status).toBe(200);
      const outside = await proxied.call('GET', `/v3/attachments/downloads/${token}`, {
        key: '',
        headers: { 'x-forwarded-for': '198.51.100.7' },
      });
      expect([outside.status, outside.json['error']]).toEqual([403, 'ip_not_allowed']);
      expect(await (await fetch(link)).text()).toBe('inside');
      await api.call('PUT', list, { body: { enabled: false, entries } });
    } finally {
      await proxied.close();
    }
  });
});

test('what uploads and deletions that were cut short left is swept, and nothing else', async () => {
  const { json } = await upload({ content: 'kept' });
  const org = String((await api.call('GET', '/v3/organizations/default')).json['id']);
  await api.ctx.blobs.put(`attachments/${org}/att_left`, Buffer.from('x'));
  await sweepAttachments(api.ctx);
  expect(await blobs()).toContain(`attachments/${org}/att_left`);
  const tomorrow = new Date(Date.now() + 25 * 3_600_000);
  await sweepAttachments({ ...api.ctx, clock: { now: () => tomorrow } });
  const left = await blobs();
  expect(left).not.toContain(`attachments/${org}/att_left`);
  expect(left).toContain(`attachments/${org}/${String(json['id'])}`);
});
