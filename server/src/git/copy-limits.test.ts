import { randomBytes } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withinLimits } from './copy-limits.ts';

const mebibyte = 1024 ** 2;
let directory: string;
beforeEach(async () => (directory = await mkdtemp(join(tmpdir(), 'guildhall-copy-'))));
afterEach(() => rm(directory, { recursive: true, force: true }));

/** Writes until it is stopped, at most 512 MiB; returns the MiB that it wrote. */
async function write(signal: AbortSignal, most: number): Promise<number> {
  const file = await open(join(directory, 'pack'), 'w');
  const block = randomBytes(mebibyte);
  try {
    for (let count = 0; count < most; count += 1) {
      signal.throwIfAborted();
      await file.write(block);
      await file.datasync();
    }
    return most;
  } finally {
    await file.close();
  }
}

test('a copy that fills the disk is stopped, with the reason', async () => {
  const limits = { mostBytes: Infinity, leaveBytes: Infinity };
  await expect(withinLimits(directory, limits, ({ signal }) => write(signal, 512))).rejects.toMatchObject({
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
