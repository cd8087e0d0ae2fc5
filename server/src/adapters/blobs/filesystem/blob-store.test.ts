import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ProviderError } from '../../../lib/errors.ts';
import { blobStoreContract } from '../contract.ts';
import { openFilesystemBlobStore } from './blob-store.ts';

const directories: string[] = [];

async function newDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'blobs-'));
  directories.push(directory);
  return directory;
}

afterAll(async () => {
  for (const directory of directories) await rm(directory, { recursive: true, force: true });
});

blobStoreContract('filesystem', async () => {
  const directory = await newDirectory();
  const store = await openFilesystemBlobStore({ directory: join(directory, 'not/there/yet') });
  return { store, close: async () => undefined };
});

describe('filesystem', () => {
  test('nothing temporary is left behind, and a deleted key takes its empty directories along', async () => {
    const directory = await newDirectory();
    const store = await openFilesystemBlobStore({ directory });
    await store.put('org/ses/a', Buffer.from('a'));
    await store.put('org/other', Buffer.from('b'));
    const controller = new AbortController();
    controller.abort();
    await expect(store.put('org/ses/b', Buffer.from('c'), { signal: controller.signal })).rejects.toThrow();
    expect(await readdir(join(directory, '.tmp'))).toEqual([]);
    await store.delete('org/ses/a');
    expect(await readdir(join(directory, 'org'))).toEqual(['other']);
  });

  test('opening removes what a killed process left, but not what another one is writing', async () => {
    const directory = await newDirectory();
    await openFilesystemBlobStore({ directory });
    await writeFile(join(directory, '.tmp/old'), 'x');
    await utimes(join(directory, '.tmp/old'), new Date(), new Date(Date.now() - 25 * 3_600_000));
    await writeFile(join(directory, '.tmp/fresh'), 'x');
    await openFilesystemBlobStore({ directory });
    expect(await readdir(join(directory, '.tmp'))).toEqual(['fresh']);
  });

  test('only the owner reads', async () => {
    const directory = await newDirectory();
    const store = await openFilesystemBlobStore({ directory });
    await store.put('org/a', Buffer.from('a'));
    expect((await stat(join(directory, 'org/a'))).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, 'org'))).mode & 0o777).toBe(0o700);
  });

  test('a key that is the directory of another one is an error that names it', async () => {
    const directory = await newDirectory();
    const store = await openFilesystemBlobStore({ directory });
    await store.put('org/a/b', Buffer.from('a'));
    const put = store.put('org/a', Buffer.from('a'));
    await expect(put).rejects.toThrow(ProviderError);
    await expect(put).rejects.toThrow('The blob org/a could not be stored');
    expect(await readdir(join(directory, '.tmp'))).toEqual([]);
    expect(await store.get('org/a')).toBeUndefined();
  });
});
