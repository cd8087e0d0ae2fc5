import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withinLimits } from './copy-limits.ts';

const mebibyte = 1024 ** 2;
let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'guildhall-copy-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Writes `count` MiB unless it is stopped; returns `count`. */
async function write(signal: AbortSignal, count: number): Promise<number> {
  const file = await open(join(directory, 'pack'), 'w');
  const block = randomBytes(mebibyte);
  try {
    for (let written = 0; written < count; written += 1) {
      signal.throwIfAborted();
      await file.write(block);
    }
    await file.datasync();
    return count;
  } finally {
    await file.close();
  }
}

test('a copy that fills the disk is stopped, with the reason', async () => {
  const limits = { mostBytes: Infinity, leaveBytes: Infinity };
  const copy = withinLimits(directory, limits, async ({ signal }) => {
    await write(signal, 128);
    // A disk in memory takes all of it before the watch looks once.
    await delay(10_000, undefined, { signal }).catch(() => signal.throwIfAborted());
  });
  await expect(copy).rejects.toMatchObject({
    name: 'DiskFull',
    message: expect.stringContaining('almost full'),
    retryable: false,
  });
});

test('a small update goes on while little is free', async () => {
  const limits = { mostBytes: Infinity, leaveBytes: Infinity };
  expect(await withinLimits(directory, limits, ({ signal }) => write(signal, 4))).toBe(4);
});

test('its caller can stop it', async () => {
  const stop = new AbortController();
  const limits = { mostBytes: mebibyte, leaveBytes: 0, signal: stop.signal };
  const copy = withinLimits(directory, limits, async ({ signal, limits: { fileBytes } }) => {
    expect(fileBytes).toBe(mebibyte);
    stop.abort(new Error('enough'));
    return write(signal, 4);
  });
  await expect(copy).rejects.toThrow('enough');
});
