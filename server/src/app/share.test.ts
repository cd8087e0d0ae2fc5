import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../config/config.ts';
import { countFor } from '../config/processes.ts';
import { machineMemory } from '../lib/machine-memory.ts';
import { configOfShare, takeShare, writeShare } from './share.ts';

const share = { port: 7420, databaseUrl: 'postgresql://a@b/c', isDatabaseNew: false };
const read = (args: string[], variables: Record<string, string> = {}) =>
  readConfig(['--data', '/data', ...args], variables);

test('auto is one process for two cores and 3 GiB, at most eight', () => {
  const large = 2 ** 20;
  expect([1, 2, 3, 4, 7, 8, 16, 128].map((cores) => countFor(cores, large))).toEqual([1, 1, 1, 2, 3, 4, 8, 8]);
  expect([1_000, 6_143, 6_144, 16_384].map((memoryMb) => countFor(64, memoryMb))).toEqual([1, 1, 2, 5]);
  expect(read([]).processes).toBe(countFor(availableParallelism(), machineMemory().totalMb));
  expect(read([], { GUILDHALL_PROCESSES: '3' }).processes).toBe(3);
  expect(read(['--processes', '2'], { GUILDHALL_PROCESSES: '3' }).processes).toBe(2);
  for (const wrong of ['0', '65', 'abc', '-1', '1.5', '1e9', '0x2', ''])
    expect(() => read([`--processes=${wrong}`])).toThrow('--processes / GUILDHALL_PROCESSES');
});

test('a worker has no process without a slot, and a whole installation has an API process then', () => {
  const variables = { DATABASE_URL: 'postgresql://a@b/c', GUILDHALL_URL: 'http://a', GUILDHALL_SLOTS: '2' };
  expect(read(['--role', 'worker', '--processes', '8'], variables).processes).toBe(2);
  const config = read(['--processes', '3'], { GUILDHALL_SLOTS: '2' });
  const shares = [1, 2, 3].map((number) => configOfShare(config, { ...share, number, count: 3 }));
  expect(shares.map(({ role }) => role)).toEqual(['all', 'all', 'api']);
});

test('the slots, the cache and the prepared sandboxes are divided, and only the first process has the directories of a single one', () => {
  const config = read(['--processes', '3'], {
    GUILDHALL_SLOTS: '7',
    GUILDHALL_CACHE_MAX: '3GiB',
    GUILDHALL_PREPARED_SANDBOXES: '2',
  });
  const shares = [1, 2, 3].map((number) => configOfShare(config, { ...share, number, count: 3 }));
  expect(shares.map(({ slots }) => slots)).toEqual([3, 2, 2]);
  expect(shares.map(({ preparedSandboxes }) => preparedSandboxes)).toEqual([1, 1, 0]);
  expect(shares.map(({ cacheMax }) => cacheMax)).toEqual([2 ** 30, 2 ** 30, 2 ** 30]);
  expect(shares.map(({ data }) => data)).toEqual(['/data', '/data/processes/2', '/data/processes/3']);
  for (const { blobs, repositories, keyRing } of shares)
    expect([blobs, repositories, keyRing]).toEqual(
      ['blobs', 'repositories', 'key-ring'].map((name) => join('/data', name)),
    );
});

test('a share is told once: what the process starts does not have it', () => {
  const environment: Record<string, string | undefined> = writeShare({ ...share, number: 2, count: 3 });
  expect(takeShare(environment)).toEqual({ ...share, number: 2, count: 3 });
  expect(takeShare(environment)).toBeUndefined();
});
