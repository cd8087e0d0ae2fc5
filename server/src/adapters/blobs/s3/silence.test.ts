import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { S3ClientConfig } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { BlobStore } from '../port.ts';
import { openS3BlobStore } from './blob-store.ts';

let server: Server;
let store: BlobStore;
/** The endpoint's output before it falls silent. */
let head: string;
/** False if the endpoint is silent from the start. */
let isOpen = true;
let client: S3ClientConfig;

beforeAll(async () => {
  server = createServer((request, response) => {
    if (isOpen && request.url?.includes('max-keys=1') === true) response.end('<ListBucketResult/>');
    else if (head !== '') {
      response.writeHead(200, { 'content-length': 1_000 });
      response.write(head);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const credentials = { accessKeyId: 'id', secretAccessKey: 'secret' };
  client = { endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', forcePathStyle: true, credentials };
  store = await openS3BlobStore({ bucket: 'blobs', prefix: '', client, idleTimeoutMs: 200 });
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
});

const keys = async (): Promise<string[]> => {
  const found: string[] = [];
  for await (const { key } of store.list('')) found.push(key);
  return found;
};

test.each([
  ['get', () => store.getBuffer('a', { maxBytes: 10_000 })],
  ['head', () => store.head('a')],
  ['put', () => store.put('a', Buffer.from('content'))],
  ['delete', () => store.delete('a')],
  ['list', keys],
] as const)('%s ends as a failure that may pass where the endpoint says nothing', async (_name, call) => {
  head = '';
  await expect(call()).rejects.toMatchObject({ name: 'ProviderError', retryable: true });
});

test('an object that stops coming is a failure that may pass', async () => {
  head = 'the beginning';
  await expect(store.getBuffer('a', { maxBytes: 10_000 })).rejects.toMatchObject({
    name: 'ProviderError',
    retryable: true,
  });
});

test('an aborted put does not wait for an endpoint that says nothing', async () => {
  head = '';
  const patient = await openS3BlobStore({ bucket: 'blobs', prefix: '', client });
  const put = patient.put('a', Buffer.from('content'), { signal: AbortSignal.timeout(100) });
  await expect(put).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a start does not wait for an endpoint that says nothing', async () => {
  [isOpen, head] = [false, ''];
  const opened = openS3BlobStore({ bucket: 'blobs', prefix: '', client, openTimeoutMs: 300 });
  await expect(opened).rejects.toMatchObject({
    message: 'The bucket blobs cannot be used: the server did not respond within 0.3 s.',
    retryable: true,
  });
});
