import type { Readable } from 'node:stream';

/**
 * Stores large content: artifacts, checkpoints, attachments.
 *
 * Keys are paths of 1 to 10 segments, 512 characters in all; a segment has 1 to 128 of `A-Z a-z 0-9 . _ -` and does not
 * begin with a dot. A key must not be the directory of another key. An invalid key throws a RangeError, because the program
 * makes the keys, not a caller of the API. All other failures throw `ProviderError`, or the signal's reason.
 */
export interface BlobStore {
  /**
   * Stores the content and replaces an existing blob. Once it resolves, the content survives a crash; until then, and after
   * an abort or an error of the source, readers see the old content. One of several concurrent puts wins as a whole.
   */
  put(key: string, content: Readable | Uint8Array, options?: { signal?: AbortSignal }): Promise<StoredBlob>;
  /** The content at the time of the call, even if it is replaced or deleted during the read. Destroy the stream if unread. */
  get(key: string): Promise<Readable | undefined>;
  /** @throws ProviderError, not retryable, if the content is larger than `maxBytes` */
  getBuffer(key: string, options: { maxBytes: number }): Promise<Buffer | undefined>;
  head(key: string): Promise<BlobInfo | undefined>;
  /** Does nothing if the blob is missing. */
  delete(key: string): Promise<void>;
  /**
   * Returns a URL of the store itself that serves the content to its bearer, for a limited time and with these headers.
   * Absent if the store does not support it.
   */
  signedUrl?(
    key: string,
    options: { expiresInSeconds: number; contentType: string; contentDisposition: string },
  ): Promise<string>;
  /** Every blob whose key begins with the prefix (`''` for all), in the order of the keys' characters. */
  list(prefix: string): AsyncIterable<BlobInfo>;
}

export interface StoredBlob {
  sizeBytes: number;
  /** 64 hexadecimal digits. */
  sha256: string;
}

export interface BlobInfo {
  key: string;
  sizeBytes: number;
  modifiedAt: Date;
}

const segment = '[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}';
const keyPattern = new RegExp(`^${segment}(/${segment}){0,9}$`);
const prefixPattern = new RegExp(`^(${segment}/){0,9}(${segment})?$`);
const maxKeyLength = 512;

/** For providers: true for a valid key. */
export function isKey(key: string): boolean {
  return key.length <= maxKeyLength && keyPattern.test(key);
}

/** For providers. @throws RangeError */
export function checkKey(key: string): void {
  if (!isKey(key)) {
    throw new RangeError(`${JSON.stringify(key.slice(0, maxKeyLength))} is not a valid blob key.`);
  }
}

/** For providers. @throws RangeError */
export function checkPrefix(prefix: string): void {
  if (prefix.length > maxKeyLength || !prefixPattern.test(prefix)) {
    throw new RangeError(`${JSON.stringify(prefix.slice(0, maxKeyLength))} is not a valid prefix of blob keys.`);
  }
}
