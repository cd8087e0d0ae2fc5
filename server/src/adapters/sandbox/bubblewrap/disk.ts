import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { systemEnv } from '../system.ts';

const execFileAsync = promisify(execFile);
/** e2fsck: 0 is clean, 1 is repaired (e2fsck(8)). */
const repaired = 1;

/**
 * A sparse file that holds an ext4 file system of `sizeMb`, made at `path` unless it is there. No journal: the disk holds
 * nothing that a checkpoint does not, and an image that was in use when the machine stopped is repaired on its next use.
 */
export async function prepareImage(path: string, sizeMb: number, signal?: AbortSignal): Promise<void> {
  if (existsSync(path)) {
    await repair(path, signal);
    return;
  }
  const fresh = `${path}.new`;
  const file = await open(fresh, 'w', 0o600);
  try {
    await file.truncate(sizeMb * 1024 * 1024);
  } finally {
    await file.close();
  }
  try {
    await execFileAsync(
      'mke2fs',
      ['-qF', '-text4', '-m0', '-i8192', '-O^has_journal,^resize_inode', '-Elazy_itable_init=1,nodiscard', fresh],
      { env: systemEnv, timeout: 60_000, signal },
    );
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw new ProviderError(`the sandbox's disk cannot be made: ${messageOf(error)}`, {
      retryable: true,
      cause: error,
    });
  }
}

async function repair(path: string, signal?: AbortSignal): Promise<void> {
  try {
    await execFileAsync('e2fsck', ['-p', path], { env: systemEnv, timeout: 300_000, signal });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === repaired) return;
    throw new ProviderError(`the sandbox's disk is damaged: ${messageOf(error)}`, { retryable: false, cause: error });
  }
}
