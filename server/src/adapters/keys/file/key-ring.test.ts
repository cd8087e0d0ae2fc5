import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyRingContract } from '../contract.ts';
import type { WrappingKeys } from '../port.ts';
import { openFileKeyRing } from './key-ring.ts';

let directory: string;
let count = 0;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'key-ring-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function freshPath(): string {
  return join(directory, `ring-${(count += 1)}`);
}

async function rotate(keys: WrappingKeys): Promise<string> {
  if (keys.manage === undefined) throw new Error('the ring in a file rotates itself');
  return keys.manage.rotate();
}

keyRingContract('in a file', async () => {
  const path = freshPath();
  const keys = await openFileKeyRing(path);
  return {
    keys,
    again: () => openFileKeyRing(path),
    stranger: () => openFileKeyRing(freshPath()),
    async rotated() {
      await rotate(keys);
      return keys;
    },
    close: async () => keys.close(),
  };
});

describe('the file of a key ring', () => {
  test('is made once, for its owner alone', async () => {
    const path = freshPath();
    const opened = await Promise.all(Array.from({ length: 5 }, () => openFileKeyRing(path)));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const wrapped = await opened[0]?.wrap(Buffer.alloc(32, 7), {});
    if (wrapped === undefined) throw new Error('nothing was opened');
    for (const keys of opened) expect((await keys.unwrap(wrapped, {})).equals(Buffer.alloc(32, 7))).toBe(true);
  });

  test('another process uses a new key as soon as it is there, and keeps what it knows while the file is broken', async () => {
    const path = freshPath();
    const [admin, server] = [await openFileKeyRing(path), await openFileKeyRing(path)];
    const old = await server.wrap(Buffer.alloc(32, 1), {});
    const id = await rotate(admin);
    expect(await server.current()).toBe(id);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, whole.slice(0, 40));
    expect((await server.unwrap(old, {})).equals(Buffer.alloc(32, 1))).toBe(true);
    await writeFile(path, whole);
    await admin.manage?.remove('k1');
    expect(await server.ids()).toEqual([id]);
    await expect(server.unwrap(old, {})).rejects.toThrow('no key "k1"');
  });

  test('the current key cannot be removed', async () => {
    const keys = await openFileKeyRing(freshPath());
    await expect(keys.manage?.remove('k1')).rejects.toThrow('current');
    expect(await keys.ids()).toEqual(['k1']);
  });

  test.each([
    ['no JSON', '{"current": "k1", "keys": [{"id": "k1", "secret": "canary-of-the-ring'],
    ['no keys', '{"current": "k1", "keys": []}'],
    ['no such key', `{"current": "k2", "keys": [{"id": "k1", "secret": "${'canary-of-the-ring'.repeat(3)}"}]}`],
    [
      'the same key twice',
      JSON.stringify({
        current: 'k',
        keys: ['a', 'b'].map((end) => ({ id: 'k', secret: `canary-of-the-ring${end}`.repeat(3) })),
      }),
    ],
    ['a short secret', `{"current": "k1", "keys": [{"id": "k1", "secret": "${'canary        '.repeat(4)}"}]}`],
  ])('with %s is refused, and the message repeats nothing of it', async (_name, content) => {
    const path = freshPath();
    await writeFile(path, content);
    await chmod(path, 0o600);
    const error: unknown = await openFileKeyRing(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toContain(path);
    expect(`${String(error)} ${String(Object(error).cause)}`).not.toContain('canary');
  });
});
