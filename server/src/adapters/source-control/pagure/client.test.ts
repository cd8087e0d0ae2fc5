import { expect, test } from 'vitest';
import { Type } from 'typebox';
import { CredentialRejected, type HostCredential, type HostRequest } from '../connection.ts';
import { createPagureClient, type PagureClient } from './client.ts';

const ref = { orgId: 'org_1', connectionId: 'gc_1' };
const secret = 's3cret-token';
const credential: HostCredential = { kind: 'token', token: secret };

/** A client whose host gives one answer. */
function answering(status: number, body: string, headers: Record<string, string> = {}, signsIn = credential) {
  const sent: { url: string; init: HostRequest }[] = [];
  const client: PagureClient = createPagureClient({
    connections: { open: async () => ({ ...ref, url: 'https://pagure.example.com', credential: signsIn }) },
    fetch: async (url, init = {}) => {
      sent.push({ url, init });
      return new Response(body, { status, headers });
    },
  });
  return { client, sent };
}

const Shape = Type.Object({ name: Type.String() });
const call = (status: number, body: unknown, headers?: Record<string, string>) =>
  answering(status, typeof body === 'string' ? body : JSON.stringify(body), headers).client.call(
    ref,
    { path: 'web' },
    Shape,
  );

test('a request has the token, its query and its form', async () => {
  const { client, sent } = answering(200, '{"name":"x","other":1}');
  const request = { method: 'POST', path: 'a/b', query: { q: '&=' }, form: { text: 'é&=' } } as const;
  expect(await client.call(ref, request, Shape)).toMatchObject({ name: 'x' });
  expect(sent).toEqual([
    {
      url: 'https://pagure.example.com/api/0/a/b?q=%26%3D',
      init: {
        method: 'POST',
        headers: {
          accept: 'application/json',
          authorization: `token ${secret}`,
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: 'text=%C3%A9%26%3D',
      },
    },
  ]);
});

const invalid = { error: 'Invalid or expired token.', error_code: 'EINVALIDTOK' };
test.each<[string, number, unknown, Record<string, string>, object]>([
  ['a page', 200, '<html>', {}, { retryable: false, message: /did not answer GET \/api\/0\/web as Pagure does/ }],
  ['another type', 200, { name: 7 }, {}, { retryable: false, message: /as Pagure does/ }],
  ['null', 200, 'null', {}, { retryable: false, message: /as Pagure does/ }],
  ['deep JSON', 200, `{"name":"x","a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, {}, { message: /as Pagure does/ }],
  ['many values', 200, `{"name":"x","a":[${'1,'.repeat(3e5)}1]}`, {}, { message: /as Pagure does/ }],
  [
    'a redirect',
    302,
    '',
    { location: 'https://elsewhere.example' },
    { retryable: false, message: /redirects its API/ },
  ],
  ['a failure', 500, 'oops', {}, { retryable: true, message: 'pagure.example.com failed with status 500.' }],
  ['a limit', 429, '', { 'retry-after': '17' }, { retryable: true, message: /limits requests for 17 s\. Try again/ }],
  ['a pause', 503, '', { 'retry-after': 'soon' }, { retryable: true, message: /limits requests\. Try again/ }],
  [
    'no permission',
    401,
    { ...invalid, errors: 'Missing ACLs: commit' },
    {},
    { message: /lacks the permission commit\./ },
  ],
  ['another project', 401, invalid, {}, { code: 'EINVALIDTOK', message: /belongs to another project/ }],
  [
    'no project',
    404,
    { error: 'Project not found', error_code: 'ENOPROJECT' },
    {},
    { status: 404, code: 'ENOPROJECT', message: /: Project not found\.$/ },
  ],
  [
    'no JSON',
    404,
    '<html>',
    {},
    { status: 404, code: '', message: 'pagure.example.com refused the request with status 404.' },
  ],
  [
    'a long text with controls',
    400,
    { error: `a\n\u001B[31m${'b'.repeat(9_000)}` },
    {},
    { message: /^pagure\.example\.com refused the request: a \[31mb{293}\.$/ },
  ],
])('%s is an error that says so', async (_name, status, body, headers, expected) => {
  const error: unknown = await call(status, body, headers).catch((thrown: unknown) => thrown);
  const { message, ...rest } = Object(expected);
  expect(error).toMatchObject({
    ...rest,
    message: message instanceof RegExp ? expect.stringMatching(message) : message,
  });
  expect(JSON.stringify([error, String(error)])).not.toContain(secret);
});

test.each(['Invalid token', 'Expired token'])('%s rejects the credential', async (errors) => {
  const error: unknown = await call(401, { ...invalid, errors }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CredentialRejected);
});

test('long texts are read only where they are wanted, and only to a limit', async () => {
  const long = 'x'.repeat(1_000);
  const read = (length: number) =>
    answering(200, JSON.stringify({ name: 'x'.repeat(length) })).client.call(ref, { path: 'web' }, Shape, {
      isWhole: true,
    });
  expect((await call(200, { name: long })).name).not.toBe(long);
  expect((await read(1_000)).name).toBe(long);
  await expect(read(2 ** 20)).rejects.toThrow(/as Pagure does/);
  expect(await call(200, { name: 'x', comments: 'y'.repeat(16 * 2 ** 20) })).toMatchObject({ name: 'x' });
});

test('of thousands of long comments each is read to a limit', async () => {
  const comments = Array.from({ length: 1_200 }, (_, id) => ({ id, name: `${id} ${'é'.repeat(10_000)}` }));
  comments.push({ id: 1_200, name: 'x'.repeat(2 ** 20) });
  const { client } = answering(200, JSON.stringify({ comments }));
  const Comments = Type.Object({ comments: Type.Array(Shape) });
  const { comments: read } = await client.call(ref, { path: 'web' }, Comments, { textBytes: 65_536 });
  expect(read).toHaveLength(1_201);
  expect(read[7]?.name).toBe(comments[7]?.name);
  expect(read[1_200]?.name).toMatch(/^x{65536}$/);
});

test('Pagure has no apps', async () => {
  const app: HostCredential = { kind: 'app', appId: '1', privateKey: 'key', installationId: '2' };
  const { client, sent } = answering(200, '{}', {}, app);
  await expect(client.call(ref, { path: 'web' }, Shape)).rejects.toThrow(/Connect it with an API token/);
  expect(sent).toEqual([]);
});
