import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSwift, swiftProblem, type Swift } from '../../../../test/support/swift.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { blobStoreContract } from '../contract.ts';
import { openS3BlobStore } from './blob-store.ts';

const problem = swiftProblem();

/** Optional: Swift is a system package that only these tests need. */
describe.skipIf(problem !== '')(`S3 (optional${problem === '' ? '' : `: ${problem}`})`, () => {
  let swift: Swift | undefined;
  let client: S3ClientConfig;
  beforeAll(async () => {
    swift = await startSwift();
    const { endpoint, accessKeyId, secretAccessKey } = swift;
    client = { endpoint, region: 'us-east-1', forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } };
  }, 120_000);
  afterAll(() => swift?.close());

  async function open() {
    const bucket = `blobs-${randomUUID()}`;
    const admin = new S3Client(client);
    await admin.send(new CreateBucketCommand({ Bucket: bucket }));
    admin.destroy();
    return { bucket, store: await openS3BlobStore({ bucket, prefix: 'guildhall/', client }) };
  }

  blobStoreContract('S3', async () => {
    const { store } = await open();
    return { store, close: async () => undefined };
  });

  test('a signed URL gives one object, with the headers that were signed, and nothing when it is changed', async () => {
    const { store } = await open();
    await store.put('attachments/a', Buffer.from('content'));
    await store.put('attachments/b', Buffer.from('other'));
    const url = await store.signedUrl?.('attachments/a', {
      expiresInSeconds: 600,
      contentType: 'text/plain',
      contentDisposition: 'attachment; filename="a.txt"',
    });
    const response = await fetch(url ?? '');
    expect([response.status, await response.text()]).toEqual([200, 'content']);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.txt"');
    for (const changed of [
      url?.replace('attachments/a', 'attachments/b'),
      url?.replace('text%2Fplain', 'text%2Fhtml'),
      url?.replace('X-Amz-Expires=600', 'X-Amz-Expires=6000'),
    ])
      expect((await fetch(changed ?? '')).status).toBe(403);
  });

  test('a bucket that is missing, a wrong key and a server that is away show at the start', async () => {
    const { bucket } = await open();
    const prefix = '';
    const missing = openS3BlobStore({ bucket: 'nowhere-at-all', prefix, client });
    await expect(missing).rejects.toThrow(/nowhere-at-all cannot be used: NoSuchBucket/);
    await expect(missing).rejects.toMatchObject({ retryable: false });
    const credentials = { accessKeyId: 'test:tester', secretAccessKey: 'wrong' };
    const refused = openS3BlobStore({ bucket, prefix, client: { ...client, credentials } });
    await expect(refused).rejects.toMatchObject({ retryable: false });
    const away = openS3BlobStore({
      bucket,
      prefix,
      client: { ...client, endpoint: 'http://127.0.0.1:9', maxAttempts: 1 },
    });
    await expect(away).rejects.toThrow(ProviderError);
    await expect(away).rejects.toMatchObject({ retryable: true });
  });
});
