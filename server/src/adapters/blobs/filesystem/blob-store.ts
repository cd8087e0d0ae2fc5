import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { makeDirectory } from '../../../lib/directories.ts';
import { codeOf, messageOf, ProviderError } from '../../../lib/errors.ts';
import { type BlobInfo, type BlobStore, checkKey, checkPrefix, type StoredBlob } from '../port.ts';

/** Cannot be a blob's directory, because no key begins with a dot. */
const temporaryName = '.tmp';
/** Age at which a starting process removes the temporary file of a put. */
const leftoverAgeMs = 24 * 3_600_000;

/** Opens a directory as a blob store, and creates it if missing; several processes may share it. Files have mode 0600. */
export async function openFilesystemBlobStore(options: { directory: string }): Promise<BlobStore> {
  const root = resolve(options.directory);
  const temporary = join(root, temporaryName);
  makeDirectory(temporary, 0o700);
  await removeLeftovers(temporary);
  return {
    put: (key, content, { signal } = {}) => put(root, key, content, signal),
    get: (key) => get(root, key),
    getBuffer: (key, { maxBytes }) => getBuffer(root, key, maxBytes),
    head: (key) => head(root, key),
    delete: (key) => remove(root, key),
    list(prefix) {
      checkPrefix(prefix);
      return list(root, prefix.slice(0, prefix.lastIndexOf('/') + 1), prefix);
    },
  };
}

async function put(
  root: string,
  key: string,
  content: Readable | Uint8Array,
  signal?: AbortSignal,
): Promise<StoredBlob> {
  checkKey(key);
  const temporary = join(root, temporaryName, randomUUID());
  const hash = createHash('sha256');
  let sizeBytes = 0;
  async function* counted(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    try {
      for await (const chunk of source) {
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      // Not retryable: a retry would read the same broken source.
      throw new ProviderError(`The content of the blob ${key} could not be read: ${messageOf(error)}`, {
        retryable: false,
        cause: error,
      });
    }
  }
  try {
    const source = content instanceof Readable ? content : Readable.from([content]);
    // `flush` is an fsync before the file is closed.
    const target = createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(source, counted, target, { signal });
    signal?.throwIfAborted();
    await moveInto(temporary, root, key);
  } catch (error) {
    await rm(temporary, { force: true });
    signal?.throwIfAborted();
    throw failure(`The blob ${key} could not be stored`, error);
  }
  return { sizeBytes, sha256: hash.digest('hex') };
}

/** Renames a file into place and syncs its directories. A concurrent delete may remove an empty directory. */
async function moveInto(temporary: string, root: string, key: string): Promise<void> {
  const path = join(root, key);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(temporary, path);
    } catch (error) {
      if (codeOf(error) === 'ENOENT' && attempt < 10) {
        continue;
      }
      throw error;
    }
    // Syncs all of them: a concurrent put may have created one without syncing it yet.
    for (let directory = dirname(path); directory.length >= root.length; directory = dirname(directory)) {
      await syncDirectory(directory);
    }
    return;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await unlessMissing(open(path, 'r'), path);
  // The blob and its directory were deleted concurrently.
  if (handle === undefined) return;
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function get(root: string, key: string): Promise<Readable | undefined> {
  checkKey(key);
  const handle = await unlessMissing(open(join(root, key), 'r'), key);
  if (handle === undefined) {
    return undefined;
  }
  if (!(await handle.stat()).isFile()) {
    await handle.close();
    return undefined;
  }
  return createReadStream('', { fd: handle, autoClose: true });
}

async function getBuffer(root: string, key: string, maxBytes: number): Promise<Buffer | undefined> {
  const content = await get(root, key);
  if (content === undefined) {
    return undefined;
  }
  let sizeBytes = 0;
  async function* limited(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of source) {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) {
        throw new ProviderError(`The blob ${key} is larger than ${maxBytes} bytes.`, { retryable: false });
      }
      yield chunk;
    }
  }
  try {
    return await buffer(limited(content));
  } catch (error) {
    throw failure(`The blob ${key} could not be read`, error);
  }
}

async function head(root: string, key: string): Promise<BlobInfo | undefined> {
  checkKey(key);
  const info = await unlessMissing(stat(join(root, key)), key);
  return info?.isFile() === true ? { key, sizeBytes: info.size, modifiedAt: info.mtime } : undefined;
}

async function remove(root: string, key: string): Promise<void> {
  checkKey(key);
  const path = join(root, key);
  await unlessMissing(rm(path), key);
  for (let directory = dirname(path); directory.length > root.length; directory = dirname(directory)) {
    try {
      await rmdir(directory);
    } catch {
      // Not empty, or deleted concurrently. An empty directory that stays does no harm.
      return;
    }
  }
}

async function* list(root: string, directory: string, prefix: string): AsyncGenerator<BlobInfo> {
  const entries = await unlessMissing(readdir(join(root, directory), { withFileTypes: true }), directory);
  // Sorts directories with their slash, so that the walk follows the order of the keys.
  const names = (entries ?? [])
    .filter(({ name }) => !name.startsWith('.'))
    .map((entry) => directory + entry.name + (entry.isDirectory() ? '/' : ''))
    .filter((name) => name.startsWith(prefix) || prefix.startsWith(name))
    .sort(byCharacters);
  for (const name of names) {
    if (name.endsWith('/')) {
      yield* list(root, name, prefix);
      continue;
    }
    const info = await unlessMissing(stat(join(root, name)), name);
    if (info !== undefined) {
      yield { key: name, sizeBytes: info.size, modifiedAt: info.mtime };
    }
  }
}

function byCharacters(left: string, right: string): number {
  if (left === right) {
    return 0;
  }
  return left < right ? -1 : 1;
}

async function removeLeftovers(temporary: string): Promise<void> {
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name);
    const info = await unlessMissing(stat(path), name);
    if (info !== undefined && Date.now() - info.mtimeMs > leftoverAgeMs) {
      await rm(path, { force: true });
    }
  }
}

async function unlessMissing<T>(result: Promise<T>, key: string): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      return undefined;
    }
    throw failure(`The blob ${key} could not be reached`, error);
  }
}

/**
 * Temporary conditions, or ones that an operator can fix: a full disk, too many open files, a network drive, a mount that is
 * missing or read-only.
 */
const retryableCodes = new Set(
  'ENOSPC EDQUOT EMFILE ENFILE EIO ESTALE ETIMEDOUT EBUSY EROFS EACCES EPERM ENOENT'.split(' '),
);

function failure(what: string, error: unknown): ProviderError {
  if (error instanceof ProviderError) {
    return error;
  }
  return new ProviderError(`${what}: ${messageOf(error)}`, {
    retryable: retryableCodes.has(codeOf(error)),
    cause: error,
  });
}
