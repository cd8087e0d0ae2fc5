import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { retentionNow } from '../../../../test/support/retention.ts';
import { createRuntimeFixture, type RuntimeFixture, type TestEvent } from '../../../../test/support/sessions.ts';
import type { TestWorkerOptions } from '../../../../test/support/worker.ts';
import { checkpointRef, createBundle, openCheckpoints, receiveBundle } from '../../../git/checkpoints.ts';
import { blobsOf, fetchPart, maxPartBytes, partsOf } from '../../../features/sessions/run/checkpoint-parts.ts';
import { latestCheckpoints } from '../../../features/sessions/store/run-store.ts';
import { partsToKeep } from './bundle-chain.ts';

let fixture: RuntimeFixture;

beforeAll(async () => {
  fixture = await createRuntimeFixture();
});
afterEach(async () => {
  await fixture.stopWorkers();
});
afterAll(async () => {
  await fixture.close();
});

type Blobs = RuntimeFixture['api']['ctx']['blobs'];

const printed = (text: string) => (event: TestEvent) =>
  event.kind === 'output' && String(event.data['text']).includes(text);

const changed = (change: (blobs: Blobs) => Partial<Blobs>): NonNullable<TestWorkerOptions['change']> => {
  return (ctx) => ({ ...ctx, blobs: { ...ctx.blobs, ...change(ctx.blobs) } });
};

async function kept(id: string): Promise<{ key: string; sizeBytes: number }[]> {
  const all: { key: string; sizeBytes: number }[] = [];
  for await (const blob of fixture.api.ctx.blobs.list('checkpoints/')) if (blob.key.includes(id)) all.push(blob);
  return all;
}

const bytesOf = (blobs: readonly { sizeBytes: number }[]): number =>
  blobs.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

/** Returns the blobs that the newest checkpoint needs, besides the script's memory. */
async function needed(id: string): Promise<string[]> {
  const rows = await latestCheckpoints(fixture.api.ctx.db.kysely, id);
  return rows.flatMap(blobsOf).sort();
}

/** Returns the tree that a session's patch makes of its base, and the delivered one. */
async function trees(repository: Parameters<RuntimeFixture['clone']>[0], id: string): Promise<string[]> {
  const [request] = await fixture.changeRequests(repository);
  const delivered = await fixture.clone(repository, request?.head_ref ?? '');
  const work = await fixture.clone(repository, 'main');
  const patch = await fixture.api.call('GET', `/v3/organizations/default/sessions/${id}/patch`);
  const file = `${work}.patch`;
  await writeFile(file, patch.text);
  await fixture.git(work, 'apply', '--index', file);
  await rm(file);
  return [await fixture.git(work, 'write-tree'), await fixture.git(delivered, 'rev-parse', 'HEAD^{tree}')];
}

/** Makes another worker claim the session, without the current one noticing. */
async function takeAway(id: string): Promise<void> {
  await fixture.api.ctx.db.pool.query(
    `update sessions set fence = fence + 1, lease_until = now() - interval '1 second' where id = $1`,
    [id],
  );
}

describe('what checkpoints cost', () => {
  test('a large file once, however many steps follow it, at every moment and at the end', async () => {
    const repository = await fixture.repository({ answer: '41\n' });
    let peak = 0;
    await fixture.startWorker({
      change: changed((blobs) => ({
        put: async (key, content, options) => {
          const stored = await blobs.put(key, content, options);
          const all: { sizeBytes: number }[] = [];
          for await (const blob of blobs.list('checkpoints/')) all.push(blob);
          peak = Math.max(peak, bytesOf(all));
          return stored;
        },
      })),
    });
    const small = Array.from({ length: 8 }, (_, step) => ({ run: `echo ${step} >> answer; echo ${step} > f${step}` }));
    const steps = [{ run: 'head -c 5000000 /dev/urandom > big.bin' }, ...small];
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' } });
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    const told = (await fixture.events(id)).filter(({ kind }) => kind === 'checkpoint');
    expect(told.length).toBeGreaterThanOrEqual(9);
    expect(peak).toBeGreaterThan(5_000_000);
    expect(peak).toBeLessThan(7_500_000);
    const left = await kept(id);
    expect(bytesOf(left)).toBeLessThan(5_250_000);
    expect(left.map(({ key }) => key)).toEqual(expect.arrayContaining(await needed(id)));
    expect(left.length).toBe((await needed(id)).length);
    const { json } = await fixture.api.call('GET', `/v3/organizations/default/sessions/${id}/diff`);
    expect(json['files']).toMatchObject([
      { path: 'answer', additions: 8 },
      { path: 'big.bin', binary: true },
      {},
      {},
      {},
      {},
      {},
      {},
      {},
      {},
    ]);
    const [patched, delivered] = await trees(repository, id);
    expect(patched).toBe(delivered);
  });

  test('few bundles, of which each is larger than all behind it', () => {
    const parts: { size_bytes: number }[] = [];
    let written = 0;
    for (let step = 1; step <= 2_000; step += 1) {
      const size = step % 100 === 0 ? 500_000 : 1_000;
      const merged = parts.splice(partsToKeep(parts, size)).reduce((sum, part) => sum + part.size_bytes, size);
      parts.push({ size_bytes: merged });
      written += merged;
      expect(parts.length).toBeLessThanOrEqual(14);
    }
    const total = parts.reduce((sum, part) => sum + part.size_bytes, 0);
    expect(total).toBe(1_980 * 1_000 + 20 * 500_000);
    expect(written / total).toBeLessThan(14);
  });
});

describe('a worker that is lost', () => {
  const steps = [
    { run: 'head -c 300000 /dev/urandom > one.bin; cp one.bin two.bin; ln -s answer link; echo one >> answer' },
    { run: 'mv one.bin moved.bin; rm two.bin old; echo two >> answer' },
    { run: 'printf "\\0" >> moved.bin; echo three >> answer' },
    { run: 'echo here; [ -e second ] || { touch second; sleep 300; }; rm second' },
  ];
  const files = { answer: '41\n', old: 'gone soon\n', 'dir/stays': 'x\n' };

  test('before it could remove anything leaves that to the next, which goes on with every file as it was', async () => {
    const repository = await fixture.repository(files);
    await fixture.startWorker({
      change: changed(() => ({
        delete: async () => {
          throw new Error('The store takes no deletions.');
        },
      })),
    });
    const { id } = await fixture.create({ repository, agent: { steps, summary: '' } });
    await fixture.event(id, printed('here'));
    await fixture.event(id, ({ kind, seq }) => kind === 'checkpoint' && seq > 0);
    expect((await kept(id)).length).toBeGreaterThan((await needed(id)).length);
    await fixture.stopWorkers();
    await fixture.startWorker();
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    expect((await kept(id)).map(({ key }) => key)).toEqual(await needed(id));
    const [patched, delivered] = await trees(repository, id);
    expect(patched).toBe(delivered);
  });

  test('with its lease, and wakes, removes and replaces nothing of the next', async () => {
    const repository = await fixture.repository(files);
    const late = Promise.withResolvers<void>();
    const waits = Promise.withResolvers<void>();
    const deleted: string[] = [];
    let bundles = 0;
    // Its only slot is taken until it wakes.
    const sleepy = await fixture.startWorker({
      id: 'sleepy',
      slots: 1,
      change: changed((blobs) => ({
        put: async (key, content, options) => {
          if (/\d$/.test(key) && (bundles += 1) === 3) {
            waits.resolve();
            await late.promise;
            // It knows nothing of its lease.
            return blobs.put(key, content);
          }
          return blobs.put(key, content, options);
        },
        delete: async (key) => {
          if (bundles >= 3) deleted.push(key);
          return blobs.delete(key);
        },
      })),
    });
    const { id } = await fixture.create({ repository, agent: { steps: steps.slice(0, 3), summary: '' } });
    await waits.promise;
    await takeAway(id);
    await fixture.startWorker();
    expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
    late.resolve();
    await sleepy.drain(10_000);
    expect(deleted).toEqual([]);
    const keys = (await kept(id)).map(({ key }) => key);
    expect(keys).toEqual(expect.arrayContaining(await needed(id)));
    const [patched, delivered] = await trees(repository, id);
    expect(patched).toBe(delivered);
    await retentionNow(fixture.api.ctx, 'checkpoint-blobs');
    expect((await kept(id)).map(({ key }) => key)).toEqual(await needed(id));
  });
});

test('what a version before left, one whole bundle, is gone on with', async () => {
  const repository = await fixture.repository({ answer: '41\n' });
  const { ctx } = fixture.api;
  const steps = [
    { run: 'echo one >> answer; head -c 9000 /dev/urandom > a.bin' },
    { run: 'echo here; [ -e second ] || { touch second; sleep 300; }; rm second; echo two >> answer' },
  ];
  await fixture.startWorker();
  const { id } = await fixture.create({ repository, agent: { steps, summary: '' } });
  await fixture.event(id, printed('here'));
  await fixture.stopWorkers();
  const [row] = await latestCheckpoints(ctx.db.kysely, id);
  if (row === undefined) throw new Error('there is no checkpoint');
  const directory = await fixture.clone(repository, 'main');
  const path = join(directory, 'restored.git');
  await openCheckpoints(path, { mirrorPath: join(directory, '.git') });
  const file = join(directory, 'bundle');
  for (const { blob } of partsOf(row)) {
    expect(await fetchPart(ctx, row.org_id, { blob, maxBytes: maxPartBytes, file })).toBe(true);
    await receiveBundle(path, file, { ref: checkpointRef(0) });
  }
  await createBundle(path, { commit: row.commit, notReachableFrom: row.base_commit, file });
  await ctx.blobs.put(row.blob, createReadStream(file));
  await ctx.db.pool.query(
    'update session_checkpoints set parts = null, binaries = false, size_bytes = 1 where id = $1',
    [row.id],
  );
  await fixture.startWorker();
  expect(await fixture.reaches(id, 'completed', 'failed')).toMatchObject({ status: 'completed' });
  const [patched, delivered] = await trees(repository, id);
  expect(patched).toBe(delivered);
  expect((await kept(id)).map(({ key }) => key)).toEqual(await needed(id));
});
