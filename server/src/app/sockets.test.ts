import { chown, mkdir, mkdtemp, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { socketDirectory } from './sockets.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'guildhall-sockets-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const isRoot = process.getuid?.() === 0;
const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;

test('lies below the data directory, for nobody else', async () => {
  const data = join(root, 'a');
  await mkdir(join(data, 'gateway'), { recursive: true, mode: 0o777 });
  expect(await socketDirectory({ data, environment: {} })).toBe(join(data, 'gateway'));
  expect(await modeOf(join(data, 'gateway'))).toBe(0o700);
});

test('of a data directory with a long path it lies where only this user writes', async () => {
  const data = join(root, 'x'.repeat(90));
  const environment = { XDG_RUNTIME_DIR: root };
  const directory = await socketDirectory({ data, environment });
  expect(directory.startsWith(isRoot ? '/run/guildhall-' : `${root}/guildhall-`)).toBe(true);
  expect(await modeOf(directory)).toBe(0o700);
  await rm(directory, { recursive: true });
});

test('that somebody else made, or that leads elsewhere, is refused', async () => {
  const data = join(root, 'b');
  await mkdir(data);
  await symlink(root, join(data, 'gateway'));
  await expect(socketDirectory({ data, environment: {} })).rejects.toThrow('belongs to another user');
  if (!isRoot) return;
  const other = join(root, 'c');
  await mkdir(join(other, 'gateway'), { recursive: true });
  await chown(join(other, 'gateway'), 1002, 1002);
  await expect(socketDirectory({ data: other, environment: {} })).rejects.toThrow('belongs to another user');
});
