import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { BlobStore } from '../port.ts';
import { openS3BlobStore } from './blob-store.ts';

let server: Server;
let store: BlobStore;
/** Responds to everything but the initial check of the bucket. */
let answer: RequestListener;
let sentBytes = 0;

beforeAll(async () => {
  answer = (_request, response) => void response.end(listOf(''));
  server = createServer((request, response) => answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo = Object(server.address());
  store = await openS3BlobStore({
    bucket: 'bucket',
    prefix: 'guildhall/',
    client: {
      endpoint: `http://127.0.0.1:${address.port}`,
      region: 'us-east-1',
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    },
  });
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  sentBytes = 0;
});

const listOf = (entries: string, next?: string): string =>
  `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}${entries}</ListBucketResult>`;

const entry = (key: string, size = '1'): string => `<Contents><Key>${key}</Key><Size>${size}</Size></Contents>`;

/** Writes until the client has enough, at most 200 MB. */
function writeWithoutEnd(response: ServerResponse, piece: string): void {
  while (sentBytes < 200_000_000 && !response.destroyed) {
    sentBytes += piece.length;
    if (!response.write(piece)) return void response.once('drain', () => writeWithoutEnd(response, piece));
  }
  response.end();
}

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list('')) found.push(key);
  return found;
}

describe('a server that speaks S3', () => {
  test.each([
    ['an error', 500, 'a'.repeat(65_536)],
    ['a missing key', 404, 'a'.repeat(65_536)],
  ])('is not read any further when the words of %s do not end', async (_what, status, piece) => {
    answer = (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/xml' });
      writeWithoutEnd(response, piece);
    };
    await expect(store.get('a/b')).rejects.toThrow('the server answered with more than 1048576 bytes');
    expect(sentBytes).toBeLessThan(50_000_000);
  });

  test('is not read any further when a list does not end', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' }).write('<ListBucketResult>');
      writeWithoutEnd(response, entry('guildhall/a').repeat(1_000));
    };
    await expect(keys()).rejects.toThrow('the server answered with more than 1048576 bytes');
    expect(sentBytes).toBeLessThan(50_000_000);
  });

  test('is not asked for ever when it gives the same page again', async () => {
    answer = (_request, response) => void response.end(listOf(entry('guildhall/a'), 'next'));
    await expect(keys()).rejects.toThrow('invalid entries');
    answer = (_request, response) => void response.end(listOf('', 'next'));
    await expect(keys()).rejects.toThrow('the same page twice');
  });

  test.each([
    ['a key of another prefix', entry('elsewhere/a')],
    ['a negative size', entry('guildhall/a', '-5')],
    ['a size that is no number', entry('guildhall/a', 'large')],
  ])('is not believed: %s', async (_what, entries) => {
    answer = (_request, response) => void response.end(listOf(entries));
    await expect(keys()).rejects.toThrow('invalid entries');
  });

  test('may keep what others put there: what no key can be called is left out', async () => {
    const entries = ['guildhall/../etc/passwd', 'guildhall/My file.txt', 'guildhall/a'].map((key) => entry(key));
    answer = (_request, response) => void response.end(listOf(entries.toSorted().join('')));
    expect(await keys()).toEqual(['a']);
  });

  test.each([
    ['a part', { 'content-range': 'bytes 0-4/1000', 'content-length': '5' }, 206],
    ['content without its length', {}, 200],
  ])('gives no blob with %s', async (_what, headers, status) => {
    answer = (_request, response) => {
      response.writeHead(status, headers).write('hello');
      response.end();
    };
    await expect(store.get('a/b')).rejects.toThrow('a part of it, or no length');
  });
});
