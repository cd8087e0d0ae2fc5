import { createHash } from 'node:crypto';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buffer } from 'node:stream/consumers';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { limitResponses } from './response-limit.ts';
import { checkKey, checkPrefix, isKey, type BlobInfo, type BlobStore, type StoredBlob } from '../port.ts';

export interface S3Options {
  bucket: string;
  /** Prefix of every key; `''` or ending in `/`. */
  prefix: string;
  /** Overrides of the AWS SDK's own configuration (region, credentials, endpoint). */
  client?: S3ClientConfig;
  /** Time without a byte in either direction after which a call fails; default 150,000: a client may pause its download for two minutes. */
  idleTimeoutMs?: number;
  /** Time for the first response, on which the start of a process waits; default 30,000. */
  openTimeoutMs?: number;
}

/** Size of one part of an upload, which is held in memory. S3's minimum is 5 MiB. */
const partBytes = 8 * 1_048_576;
const connectMs = 10_000;

/** Keys per page: the XML of a page is parsed in one step. */
const pageKeys = 250;

/** Opens an S3 bucket (of Amazon or a compatible server) as a blob store. Throws ProviderError if it is unusable. */
export async function openS3BlobStore(options: S3Options): Promise<BlobStore> {
  const client = new S3Client({
    // Some servers do not support the checksums that newer clients send by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // The SDK has no timeout by default.
    requestHandler: { connectionTimeout: connectMs, socketTimeout: options.idleTimeoutMs ?? 150_000 },
    ...options.client,
  });
  limitResponses(client);
  const { bucket: Bucket, prefix } = options;
  const at = (key: string) => {
    checkKey(key);
    return { Bucket, Key: `${prefix}${key}` };
  };
  const store: BlobStore = {
    put: async (key, content, { signal } = {}) => put(client, at(key), content, signal),
    get: async (key) => get(client, at(key)),
    async getBuffer(key, { maxBytes }) {
      const content = await get(client, at(key));
      return content === undefined ? undefined : readWhole(content, key, maxBytes);
    },
    async head(key) {
      const command = new HeadObjectCommand(at(key));
      const found = await unlessMissing(`The status of the blob ${key} could not be read`, () => client.send(command));
      if (found === undefined) return undefined;
      return { key, sizeBytes: found.ContentLength ?? 0, modifiedAt: found.LastModified ?? new Date(0) };
    },
    async delete(key) {
      const command = new DeleteObjectCommand(at(key));
      await unlessMissing(`The blob ${key} could not be deleted`, () => client.send(command));
    },
    signedUrl: async (key, { expiresInSeconds, contentType, contentDisposition }) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          ...at(key),
          ResponseContentType: contentType,
          ResponseContentDisposition: contentDisposition,
        }),
        { expiresIn: expiresInSeconds },
      ),
    list(wanted) {
      checkPrefix(wanted);
      return list(client, Bucket, prefix, wanted);
    },
  };
  // Fails at the start, instead of with the first session, if the bucket is missing or not accessible.
  await checkBucket(client, new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 }), options.openTimeoutMs);
  return store;
}

async function checkBucket(client: S3Client, command: ListObjectsV2Command, timeoutMs = 30_000): Promise<void> {
  const what = `The bucket ${command.input.Bucket} cannot be used`;
  const late = AbortSignal.timeout(timeoutMs);
  await attempt(what, () => client.send(command, { abortSignal: late })).catch((error: unknown) => {
    if (!late.aborted) throw error;
    const message = `${what}: the server did not respond within ${timeoutMs / 1_000} s.`;
    throw new ProviderError(message, { retryable: true, cause: error });
  });
}

interface Place {
  Bucket: string;
  Key: string;
}

/** Uploads an object. It appears only when it is complete. */
async function put(
  client: S3Client,
  place: Place,
  content: Readable | Uint8Array,
  signal: AbortSignal | undefined,
): Promise<StoredBlob> {
  signal?.throwIfAborted();
  const hash = createHash('sha256');
  let sizeBytes = 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      sizeBytes += chunk.length;
      done(null, chunk);
    },
  });
  const source = content instanceof Readable ? content : Readable.from([content]);
  const upload = new Upload({ client, params: { ...place, Body: counted }, partSize: partBytes, queueSize: 1 });
  const sent = upload.done();
  // The pipeline ends when the last part is in memory; from then on only this ends the upload.
  const abort = (): void => void upload.abort().catch(() => undefined);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    await Promise.all([pipeline(source, counted, { signal }), sent]);
    signal?.throwIfAborted();
  } catch (error) {
    await upload.abort().catch(() => undefined);
    counted.destroy();
    await sent.catch(() => undefined);
    signal?.throwIfAborted();
    throw failure(`The blob ${place.Key} could not be stored`, error);
  } finally {
    signal?.removeEventListener('abort', abort);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

async function get(client: S3Client, place: Place): Promise<Readable | undefined> {
  const what = `The blob ${place.Key} could not be read`;
  const found = await unlessMissing(what, () => client.send(new GetObjectCommand(place)));
  if (found?.Body === undefined) return undefined;
  if (!(found.Body instanceof Readable)) throw new Error('The S3 client did not return a stream.');
  // Without a length a truncated response could not be detected.
  if (found.ContentLength !== undefined && found.ContentRange === undefined) return found.Body;
  found.Body.destroy();
  throw new ProviderError(`${what}: the server sent only a part of it, or no length.`, {
    retryable: false,
  });
}

async function readWhole(content: Readable, key: string, maxBytes: number): Promise<Buffer> {
  let sizeBytes = 0;
  async function* limited(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of source) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes)
        throw new ProviderError(`The blob ${key} is larger than ${maxBytes} bytes.`, { retryable: false });
      yield chunk;
    }
  }
  return attempt(`The blob ${key} could not be read`, () => buffer(limited(content)));
}

async function* list(client: S3Client, bucket: string, root: string, wanted: string): AsyncGenerator<BlobInfo> {
  let next: string | undefined;
  let last = '';
  do {
    const page = await attempt('Blobs could not be listed', () =>
      client.send(
        new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: `${root}${wanted}`,
          ContinuationToken: next,
          MaxKeys: pageKeys,
        }),
      ),
    );
    for (const { Key = '', Size = 0, LastModified = new Date(0) } of page.Contents ?? []) {
      if (!Key.startsWith(`${root}${wanted}`) || Key <= last || !Number.isSafeInteger(Size) || Size < 0)
        throw new ProviderError('Blobs could not be listed: the server returned invalid entries.', {
          retryable: false,
        });
      last = Key;
      const key = Key.slice(root.length);
      // Other objects in the bucket may have any name.
      if (isKey(key)) yield { key, sizeBytes: Size, modifiedAt: LastModified };
    }
    const token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
    if (token !== undefined && token === next)
      throw new ProviderError('Blobs could not be listed: the server returned the same page twice.', {
        retryable: false,
      });
    next = token;
  } while (next !== undefined);
}

async function unlessMissing<T>(what: string, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404 && error.name !== 'NoSuchBucket')
      return undefined;
    throw failure(what, error);
  }
}

async function attempt<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw failure(what, error);
  }
}

/** Classifies failures: an error without a response is a network error, which is retryable; of responses only 429 and 5xx are. */
function failure(what: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  const retryable = status === undefined || status === 429 || status >= 500;
  const why = error instanceof S3ServiceException ? `${error.name}: ${error.message}` : messageOf(error);
  // Only the first line: the SDK's hints about its own fields follow.
  const [line = ''] = why.split('\n');
  return new ProviderError(`${what}: ${line}`, { retryable, cause: error });
}
