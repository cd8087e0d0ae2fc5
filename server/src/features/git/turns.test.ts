import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../../test/support/api.ts';

let api: TestApi;
const open: Socket[] = [];

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await api.close();
});

/** Starts a fetch and never finishes the request; returns the status of the response, if any. */
function begin(organization: string, key: string): Promise<number> {
  const { port } = new URL(api.url);
  const socket = connect(Number(port), '127.0.0.1');
  open.push(socket);
  const headers = [
    `POST /git/${organization}/acme/app.git/git-upload-pack HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${key}`,
    'content-type: application/x-git-upload-pack-request',
    'content-length: 1000',
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n0`);
  return new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString())?.[1])));
    socket.once('error', () => resolve(0));
  });
}

test('of a principal some are under way and some wait, more are refused, and nobody else notices', async () => {
  const other = await api.createOrganization('Other');
  const body = { provider: 'local', repo: 'acme/app' };
  for (const [path, key] of [
    ['/v3/organizations/default', api.adminKey],
    [`/v3/organizations/${other.slug}`, other.key],
  ] as const)
    expect((await api.call('POST', `${path}/repositories`, { key, body })).status).toBe(201);
  const answers = Array.from({ length: 120 }, () => begin('default', api.adminKey));
  // The number of refused ones is certain, but not which ones.
  const refused: number[] = [];
  const enough = Promise.withResolvers<void>();
  const note = async (answer: Promise<number>): Promise<void> => {
    refused.push(await answer);
    if (refused.length === 40) enough.resolve();
  };
  for (const answer of answers) void note(answer);
  await enough.promise;
  expect(new Set(refused)).toEqual(new Set([429]));
  const colleague = await api.keyWith(['repos:read']);
  for (const [slug, key] of [
    ['default', colleague],
    [other.slug, other.key],
  ] as const) {
    const asked = `${api.url}/git/${slug}/acme/app.git/info/refs?service=git-upload-pack`;
    expect((await fetch(asked, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
  }
});
