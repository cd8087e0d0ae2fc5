import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findToolchain } from './toolchain.ts';

let base: string;

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'toolchain-'));
  for (const directory of ['usr/bin', 'nvm/v20/bin', 'project/node_modules/.bin', 'shims', 'empty']) {
    await mkdir(join(base, directory), { recursive: true });
  }
  for (const program of ['usr/bin/node', 'nvm/v20/bin/node', 'project/node_modules/.bin/node']) {
    await writeFile(join(base, program), '', { mode: 0o755 });
  }
  await symlink(join(base, 'nvm/v20/bin/node'), join(base, 'shims/node'));
});

afterAll(() => rm(base, { recursive: true, force: true }));

test('a Node in the system is taken as it is', () => {
  expect(findToolchain(`${base}/nvm/v20/bin`, [`${base}/empty`, `${base}/usr/bin`])).toEqual({ kind: 'usr' });
});

test('else the first on the PATH, with its whole prefix, but not the one of the project', () => {
  const path = [`${base}/project/node_modules/.bin`, 'relative', `${base}/empty`, `${base}/shims`].join(':');
  expect(findToolchain(path, [`${base}/empty`])).toEqual({ kind: 'prefix', prefix: `${base}/nvm/v20` });
});

test('else the one that runs this program', () => {
  expect(findToolchain(`${base}/project/node_modules/.bin`, [`${base}/empty`])).toEqual({ kind: 'pinned' });
});
