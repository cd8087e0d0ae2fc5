import type { Readable } from 'node:stream';

/**
 * Where large bytes live: artifacts, checkpoints, attachments.
 *
 * Keys are paths of 1 to 10 segments, 512 characters in all; a segment has 1 to 128 of `A-Z a-z 0-9 . _ -` and does not
 * begin with a dot. A key is never also the directory of another one. A key that breaks this throws a RangeError: keys
 * are made by the program, never by a caller of the API. All else throws `ProviderError`, or the signal's reason.
 */
export interface BlobStore {
  /**
   * Stores the content and replaces what was there. Once it resolves the content survives a crash; until then, and after
   * an abort or an error of the source, readers see what was there before. Of concurrent puts one wins whole.
   */
  put(key: string, content: Readable | Uint8Array, options?: { signal?: AbortSignal }): Promise<StoredBlob>;
  /** The content as it is at the time of the call, even if it is replaced or deleted while it is read; destroy it unread. */
  get(key: string): Promise<Readable | undefined>;
  /** @throws ProviderError, not retryable, when the content is larger than `maxBytes` */
  getBuffer(key: string, options: { maxBytes: number }): Promise<Buffer | undefined>;
  head(key: string): Promise<BlobInfo | undefined>;
  /** Nothing happens when there is none. */
  delete(key: string): Promise<void>;
  /**
   * A URL at the store itself that gives the content to whoever has it, for so long and with these headers. Absent where a
   * store cannot.
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

/** For providers: whether it is a key that the program could have made. */
export function isKey(key: string): boolean {
  return key.length <= maxKeyLength && keyPattern.test(key);
}

/** For providers. @throws RangeError */
export function checkKey(key: string): void {
  if (!isKey(key)) {
    throw new RangeError(`${JSON.stringify(key.slice(0, maxKeyLength))} is not a key of a blob.`);
  }
}

/** For providers. @throws RangeError */
export function checkPrefix(prefix: string): void {
  if (prefix.length > maxKeyLength || !prefixPattern.test(prefix)) {
    throw new RangeError(`${JSON.stringify(prefix.slice(0, maxKeyLength))} is not the beginning of a blob's key.`);
  }
}
