import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { spawnChild } from '../../test/support/child.ts';
import { lockDataDirectory } from './file-lock.ts';

const root = mkdtempSync(join(tmpdir(), 'guildhall-lock-'));
afterAll(() => rmSync(root, { recursive: true }));

test('a data directory is refused while it is held, naming directory and holder, and free again after release', async () => {
  const dir = join(root, 'made', 'on', 'demand');
  const lock = await lockDataDirectory(dir);
  await expect(lockDataDirectory(dir)).rejects.toThrow(
    `The data directory ${dir} is in use by another Guildhall (process ${process.pid}).`,
  );
  await lock.release();
  await lock.release();
  await (await lockDataDirectory(dir)).release();
});

test('a killed holder leaves nothing that stops the next one', async () => {
  const dir = join(root, 'killed');
  const holder = spawnChild(new URL('../../test/support/lock-child.ts', import.meta.url), [dir]);
  const pid = await holder.number('locked');
  await expect(lockDataDirectory(dir)).rejects.toThrow(`(process ${pid})`);
  holder.process.kill('SIGKILL');
  await holder.exited;
  await (await lockDataDirectory(dir)).release();
});
