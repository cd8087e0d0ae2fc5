import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  gitAs,
  prepareData,
  pushProject,
  startServerProcess,
  temporaryDirectory,
  type ServerProcess,
} from './support/server.ts';

const directory = temporaryDirectory();
const org = '/v3/organizations/default';
let server: ServerProcess | undefined;
afterAll(async () => {
  server?.process.kill('SIGKILL');
  await server?.exited;
  directory.remove();
});

async function stop(running: ServerProcess): Promise<void> {
  running.process.kill('SIGTERM');
  expect((await running.exited).code).toBe(0);
}

test('a copy of the data directory, made while nothing runs, is the whole installation', async () => {
  const data = join(directory.path, 'data');
  const copy = join(directory.path, 'copy');
  prepareData(data);
  server = await startServerProcess(data, ['--role', 'api']);
  const repository = await pushProject(server, 'acme/greeting', { 'a.txt': 'one\n' });
  const secret = { key: 'TOKEN', value: 'a long enough value' };
  const { json: created } = await server.call('POST', `${org}/secrets`, secret);
  await stop(server);
  execFileSync('cp', ['-a', data, copy]);
  execFileSync('rm', ['-r', data]);
  for (const cache of ['mirrors', 'host-mirrors', 'work', 'sandboxes', 'gateway', 'processes'])
    rmSync(join(copy, cache), { recursive: true, force: true });

  server = await startServerProcess(copy, ['--role', 'api']);
  const path = `${org}/secrets/${String(created['id'])}`;
  // A new version is encrypted by the organization's key, which the key ring opens.
  const { json: renewed } = await server.call('PUT', path, { value: 'another long value' });
  expect(renewed).toMatchObject({ key: 'TOKEN', version: 2 });
  const place = String(repository['clone_url']).replace(/^http:\/\/[^/]+/, server.url);
  gitAs(server.key, directory.path)('clone', '--quiet', place, 'clone');
  const text = gitAs(server.key, join(directory.path, 'clone'))('show', 'HEAD:a.txt');
  expect(text).toBe('one\n');
  await stop(server);
  server = undefined;
});
