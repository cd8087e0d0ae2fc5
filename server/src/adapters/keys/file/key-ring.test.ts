import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  open,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../../lib/log.ts';
import { runProgram } from '../../../lib/program.ts';
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

type Check = Parameters<typeof openFileKeyRing>[1]['check'];
const anything: Check = async () => undefined;

function openRing(path: string): Promise<WrappingKeys> {
  return openFileKeyRing(path, { check: anything, log: createLog('silent') });
}

/** Opens a ring and collects its log, line by line. */
async function openLogged(path: string, check = anything) {
  const logPath = `${path}.log`;
  const log = await open(logPath, 'w');
  return {
    keys: await openFileKeyRing(path, { check, log: createLog('warn', log.fd) }),
    logged: async () => (await readFile(logPath, 'utf8')).split('\n').filter((line) => line !== ''),
    close: () => log.close(),
  };
}

async function rotate(keys: WrappingKeys): Promise<string> {
  if (keys.manage === undefined) throw new Error('the ring in a file rotates itself');
  return keys.manage.rotate();
}

keyRingContract('in a file', async () => {
  const path = freshPath();
  const keys = await openRing(path);
  return {
    keys,
    again: () => openRing(path),
    stranger: () => openRing(freshPath()),
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
    const opened = await Promise.all(Array.from({ length: 5 }, () => openRing(path)));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const wrapped = await opened[0]?.wrap(Buffer.alloc(32, 7), {});
    if (wrapped === undefined) throw new Error('nothing was opened');
    for (const keys of opened) expect((await keys.unwrap(wrapped, {})).equals(Buffer.alloc(32, 7))).toBe(true);
  });

  test('another process uses a new key as soon as it is there, and keeps what it knows while the file is broken', async () => {
    const path = freshPath();
    const [admin, server] = [await openRing(path), await openRing(path)];
    const old = await server.wrap(Buffer.alloc(32, 1), {});
    const id = await rotate(admin);
    expect(await server.current()).toBe(id);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const whole = await readFile(path, 'utf8');
    await writeFile(path, whole.slice(0, 40));
    expect((await server.unwrap(old, {})).equals(Buffer.alloc(32, 1))).toBe(true);
    await writeFile(path, whole);
    await admin.manage?.remove(old.ringKey);
    expect(await server.ids()).toEqual([id]);
    await expect(server.unwrap(old, {})).rejects.toThrow(`no key "${old.ringKey}"`);
  });

  test('the current key cannot be removed', async () => {
    const keys = await openRing(freshPath());
    const current = await keys.current();
    await expect(keys.manage?.remove(current)).rejects.toThrow('current');
    expect(await keys.ids()).toEqual([current]);
  });

  test('names its keys otherwise than any other ring', async () => {
    const [one, other] = [await openRing(freshPath()), await openRing(freshPath())];
    const ids = [await one.current(), await rotate(one), await other.current(), await rotate(other)];
    expect(new Set(ids).size).toBe(4);
    expect(ids.map((id) => id.split('-')[0])).toEqual(['k1', 'k2', 'k1', 'k2']);
  });

  test('with keys that have no more than a number is rotated like any other', async () => {
    const path = freshPath();
    const secret = Buffer.alloc(32, 3).toString('base64url');
    await writeFile(path, JSON.stringify({ current: 'k7', keys: [{ id: 'k7', secret }] }), { mode: 0o600 });
    const keys = await openRing(path);
    expect(await rotate(keys)).toMatch(/^k8-/);
    expect(await keys.ids()).toHaveLength(2);
  });

  test('that is not of here and put in its place is not taken, and the log says so once', async () => {
    const [path, foreign] = [freshPath(), freshPath()];
    await openRing(foreign);
    const sample = await (await openRing(path)).wrap(Buffer.alloc(32, 1), {});
    const { keys, logged, close } = await openLogged(path, async (candidate) => {
      await candidate.unwrap(sample, {});
    });
    const whole = await readFile(path);
    await copyFile(foreign, path);
    const wrapped = await Promise.all(Array.from({ length: 5 }, () => keys.wrap(Buffer.alloc(32, 2), {})));
    expect(await keys.current()).toBe(sample.ringKey);
    await expect(rotate(keys)).rejects.toThrow(/has no key/);
    expect(await readFile(path, 'utf8')).toBe(await readFile(foreign, 'utf8'));
    expect(await logged()).toEqual([expect.stringMatching(/"level":50.*has no key.*is not valid/)]);
    await writeFile(path, whole);
    const again = await openRing(path);
    for (const one of wrapped) expect((await again.unwrap(one, {})).equals(Buffer.alloc(32, 2))).toBe(true);
    const id = await rotate(again);
    expect(await keys.current()).toBe(id);
    expect(await logged()).toHaveLength(1);
    await close();
  });

  test('that cannot be judged yet is judged at the next use', async () => {
    const path = freshPath();
    let isAway = true;
    const { keys, close } = await openLogged(path, async () => {
      if (isAway) throw new Error('the database is away');
    });
    const before = await keys.current();
    const id = await rotate(await openRing(path));
    expect(await keys.current()).toBe(before);
    isAway = false;
    expect(await keys.current()).toBe(id);
    await close();
  });

  test.each([0o666, 0o660, 0o622])('that others may write (%o) is refused and says what to do', async (mode) => {
    const path = freshPath();
    const { keys, logged, close } = await openLogged(path);
    const before = await keys.current();
    await chmod(path, mode);
    await expect(openRing(path)).rejects.toThrow(`chmod 600 ${path}`);
    // The process that has it open continues with the data it read.
    expect(await keys.current()).toBe(before);
    expect(await logged()).toEqual([expect.stringContaining(`chmod 600 ${path}`)]);
    await chmod(path, 0o600);
    expect(await openRing(path).then((again) => again.current())).toBe(before);
    await close();
  });

  test.each([
    [0o644, 1],
    [0o444, 1],
    [0o640, 0],
    [0o440, 0],
    [0o400, 0],
  ])('of mode %o is opened; %i warnings that everybody may read it', async (mode, warnings) => {
    const path = freshPath();
    await openRing(path);
    await chmod(path, mode);
    const { keys, logged, close } = await openLogged(path);
    await keys.current();
    const lines = await logged();
    expect(lines.filter((line) => line.includes('may read'))).toHaveLength(warnings);
    expect(lines).toHaveLength(warnings);
    await close();
  });

  test('is followed where links lead to it, as mounted secrets are exchanged', async () => {
    const mount = freshPath();
    const secret = async (version: string, number: number): Promise<void> => {
      await mkdir(join(mount, version), { recursive: true });
      const key = { id: `k${number}`, secret: Buffer.alloc(32, number).toString('base64url') };
      await writeFile(join(mount, version, 'ring'), JSON.stringify({ current: key.id, keys: [key] }), { mode: 0o440 });
      await symlink(version, join(mount, '..next'));
      await rename(join(mount, '..next'), join(mount, '..data'));
    };
    await secret('..1', 1);
    await symlink('..data/ring', join(mount, 'ring'));
    const keys = await openRing(join(mount, 'ring'));
    expect(await keys.current()).toBe('k1');
    await secret('..2', 2);
    expect(await keys.current()).toBe('k2');
  });

  test.each<[string, (path: string) => Promise<unknown>]>([
    ['a FIFO', (path) => runProgram(['mkfifo', path], { env: process.env, timeoutMs: 10_000 })],
    ['a directory', (path) => mkdir(path)],
    ['a device', (path) => symlink('/dev/zero', path)],
    [
      'a socket',
      async (path) => {
        const server = createServer();
        await new Promise<void>((resolve) => server.listen(path, resolve));
        server.unref();
      },
    ],
  ])('%s in its place is refused without waiting for it', async (_name, put) => {
    const path = freshPath();
    await put(path);
    await expect(openRing(path)).rejects.toThrow(`The key ring ${path} is not a regular file`);
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
    const error: unknown = await openRing(path).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toContain(path);
    expect(`${String(error)} ${String(Object(error).cause)}`).not.toContain('canary');
  });
});
