import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importBare } from './bare.ts';
import { withRemoteTree } from './fetch-commit.ts';
import { createGitFixture, serveFixture, type GitFixture, type GitServer } from './git-fixture.ts';
import { git } from './native.ts';
import { encodePkt } from './pkt-line.ts';

const mebibyte = 1024 * 1024;
let fixture: GitFixture;
let server: GitServer;
let endless: Server;

beforeAll(async () => {
  fixture = await createGitFixture();
  const work = await fixture.work('work', { 'a.txt': 'one\n' });
  await fixture.commit(work, { 'large.bin': randomBytes(3 * mebibyte), 'SKILL.md': 'x' });
  await mkdir(fixture.path('acme'));
  await rename(`${work}/.git`, fixture.path('acme/large.git'));
  server = await serveFixture(fixture.root);
  endless = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.write(Buffer.concat([encodePkt('# service=git-upload-pack\n'), Buffer.from('0000')]));
    const name = 'a'.repeat(60_000);
    let count = 0;
    const more = (): void => {
      do count += 1;
      while (response.write(encodePkt(`${'1'.repeat(40)} refs/heads/${name}${count}\n`)));
    };
    response.on('drain', more);
    more();
  });
  endless.listen(0, '127.0.0.1');
  await once(endless, 'listening');
});
afterAll(async () => {
  endless.closeAllConnections();
  endless.close();
  await server.close();
  await fixture.dispose();
});

const timeoutMs = 60_000;
const endlessUrl = () => `http://127.0.0.1:${String(Object(endless.address()).port)}/x.git`;
const tree = (url: string, limits: object) =>
  withRemoteTree({ url }, '', { directory: '', maxEntries: 10, timeoutMs, limits }, ({ files }) =>
    Promise.resolve(files.length),
  );

test('a repository that is larger than it may be is not imported, with the reason, and leaves nothing', async () => {
  const remote = { url: `${server.url}/acme/large.git` };
  const path = fixture.path('copies/x.git');
  const limits = { fileBytes: 2 * mebibyte };
  await expect(importBare(path, remote, { timeoutMs, limits })).rejects.toMatchObject({
    message: 'git clone tried to write a file larger than 2 MiB',
    retryable: false,
  });
  expect(await readdir(fixture.path('copies'))).toEqual([]);
  await expect(tree(remote.url, limits)).rejects.toThrow('git fetch tried to write a file larger than 2 MiB');
  await importBare(path, remote, { timeoutMs, limits: { fileBytes: 4 * mebibyte } });
  expect(await tree(remote.url, { fileBytes: 4 * mebibyte })).toBe(3);
});

test('a server that names refs without end takes no more memory than a git for it may have', async () => {
  const limits = { memoryBytes: 100 * mebibyte };
  await expect(
    importBare(fixture.path('copies/y.git'), { url: endlessUrl() }, { timeoutMs, limits }),
  ).rejects.toMatchObject({ message: 'git clone exceeded its memory limit', retryable: false });
  await expect(tree(endlessUrl(), limits)).rejects.toThrow('git fetch exceeded its memory limit');
});

test('a server that offers a repository as files is asked for none, because nothing would count or check them', async () => {
  const bare = fixture.path('acme/large.git');
  await git(['update-server-info'], { gitDir: bare });
  const asked: string[] = [];
  const files = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://files');
    asked.push(pathname);
    const content = createReadStream(join(bare, pathname.slice('/x.git'.length)));
    content.once('error', () => response.writeHead(404).end());
    content.pipe(response);
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  const url = `http://127.0.0.1:${String(Object(files.address()).port)}/x.git`;
  await expect(importBare(fixture.path('copies/z.git'), { url }, { timeoutMs })).rejects.toMatchObject({
    message: expect.stringContaining('the smart protocol is required'),
    retryable: false,
  });
  await expect(tree(url, {})).rejects.toThrow();
  expect(asked.filter((path) => path.includes('/objects/'))).toEqual([]);
  files.close();
});
