import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Limits } from '../lib/limits.ts';
import { createGitFixture, type GitFixture } from './git-fixture.ts';
import { git, gitBytes, GitError } from './native.ts';
import { gitProblem } from './version.ts';

let fixture: GitFixture;
let gitDir: string;
beforeAll(async () => {
  fixture = await createGitFixture();
  gitDir = `${await fixture.work('native', { a: 'a\n' })}/.git`;
});
afterAll(() => fixture.dispose());

const hashInput = ['hash-object', '--stdin'];

test('input larger than a pipe arrives whole, from memory and from a stream', async () => {
  const bytes = randomBytes(3_000_000);
  const fromMemory = await git(hashInput, { input: bytes });
  const pieces = Array.from({ length: 30 }, (_, index) => bytes.subarray(index * 100_000, (index + 1) * 100_000));
  const fromStream = await git(hashInput, { input: Readable.from(pieces) });
  expect(fromStream.stdout).toBe(fromMemory.stdout);
});

test('input that breaks off ends git, and the failure says why', async () => {
  const input = Readable.from(
    (async function* () {
      yield Buffer.from('begun');
      await Promise.reject(new Error('the disk is gone'));
    })(),
  );
  const failure: unknown = await git(hashInput, { input }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(GitError);
  expect(failure).toMatchObject({ retryable: true, message: expect.stringContaining('the disk is gone') });
});

test('git that reads none of its input answers all the same, and lets go of it', async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(65_536);
    })(),
  );
  const { stdout } = await git(['rev-parse', 'HEAD'], { gitDir, input: endless });
  expect(stdout).toMatch(/^[0-9a-f]{40}\n$/);
  expect(endless.destroyed).toBe(true);
  const silent = new Readable({ read: () => undefined });
  await git(['rev-parse', 'HEAD'], { gitDir, input: silent });
  expect(silent.destroyed).toBe(true);
});

test('output beyond its bound stops git', async () => {
  const { stdout: id } = await git([...hashInput, '-w'], { gitDir, input: Buffer.alloc(5_000_000, 'x') });
  const read = (maxBuffer: number) => gitBytes(['cat-file', 'blob', id.trim()], { gitDir, maxBuffer });
  expect((await read(5_000_000)).stdout).toHaveLength(5_000_000);
  await expect(read(4_999_999)).rejects.toMatchObject({ message: 'git cat-file printed too much output' });
});

test('git that cannot be started is a failure that may pass', async () => {
  const failure: unknown = await git(['version'], { cwd: '/nonexistent' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(GitError);
  expect(failure).toMatchObject({ retryable: true, exitCode: -1 });
  await expect(git(['rev-parse', 'a\0b'], { gitDir })).rejects.toBeInstanceOf(GitError);
});

test('what a git server says holds nobody up, however long it is, and keeps no address with a password', async () => {
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'text/plain' });
    response.end(`${'a'.repeat(4_000_000)} https://user:word@host/x`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = Object(server.address());
  const failure: unknown = await git(['ls-remote', `http://127.0.0.1:${port}/x.git`], {
    config: [['protocol.http.allow', 'always']],
  }).catch((error: unknown) => error);
  server.close();
  expect(failure).toBeInstanceOf(GitError);
  const { stderr, message } = Object(failure);
  expect(String(stderr).length).toBeLessThan(20_000);
  expect(stderr).toContain('https://host/x');
  expect(message).not.toContain('word@');
});

describe('what git may have of the host', () => {
  const alias = (command: string, limits: Partial<Limits> = {}) =>
    git(['work'], { config: [['alias.work', `!${command}`]], limits });

  test('ends it when it needs too much of the processor', async () => {
    await expect(alias('while :; do :; done', { cpuSeconds: 1 })).rejects.toMatchObject({
      message: 'git work used too much CPU time',
      retryable: false,
    });
  });

  test('is 2 GiB of memory for each program', async () => {
    const { stdout } = await alias(`/usr/bin/python3 -c "x = bytearray(10 ** 9); print('one')"`);
    expect(stdout).toBe('one\n');
    await expect(alias(`/usr/bin/python3 -c "x = bytearray(3 * 10 ** 9)"`)).rejects.toThrow('MemoryError');
  });

  test('is files of so many bytes, where that is said', async () => {
    const file = join(gitDir, 'large');
    const write = (mebibytes: number) =>
      alias(`head -c ${mebibytes}M /dev/zero > ${file}`, { fileBytes: 2 * 1024 ** 2 });
    await write(2);
    await expect(write(3)).rejects.toMatchObject({
      message: 'git work tried to write a file larger than 2 MiB',
      retryable: false,
    });
  });
});

test.each([
  [
    'git version 2.34.1',
    'Git 2.38 or later is required, but git version 2.34.1 was found. Put a newer version first in PATH.',
  ],
  [
    'git version 2.37.7',
    'Git 2.38 or later is required, but git version 2.37.7 was found. Put a newer version first in PATH.',
  ],
  ['git version 2.38.0', ''],
  ['git version 2.39.5 (Apple Git-154)', ''],
  ['git version 3.0.0', ''],
  [
    'git version 1.99.9',
    'Git 2.38 or later is required, but git version 1.99.9 was found. Put a newer version first in PATH.',
  ],
  ['', 'Git 2.38 or later is required, but git was not found. Put a newer version first in PATH.'],
])('%s: %s', async (version, problem) => {
  expect(await gitProblem(Promise.resolve(`${version}\n`))).toBe(problem);
});
