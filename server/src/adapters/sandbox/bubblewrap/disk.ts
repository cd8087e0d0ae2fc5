import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { ProgramFailed } from '../../../lib/program.ts';
import { runSystem } from '../system.ts';

/** e2fsck: 0 is clean, 1 is repaired (e2fsck(8)). */
const repaired = 1;

/**
 * Creates a sparse file with an ext4 file system of `sizeMb` at `path`, or repairs an existing one. It has no journal: checkpoints
 * have everything on the disk, and an image that was in use when the machine stopped is repaired on its next use.
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
    const features = ['-m0', '-i8192', '-O^has_journal,^resize_inode', '-Elazy_itable_init=1,nodiscard'];
    await runSystem(['mke2fs', '-qF', '-text4', ...features, fresh], 60_000, signal);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw new ProviderError(`failed to create the sandbox's disk: ${messageOf(error)}`, {
      retryable: true,
      cause: error,
    });
  }
}

async function repair(path: string, signal?: AbortSignal): Promise<void> {
  try {
    await runSystem(['e2fsck', '-p', path], 300_000, signal);
  } catch (error) {
    if (error instanceof ProgramFailed && error.exitCode === repaired) return;
    throw new ProviderError(`the sandbox's disk is damaged: ${messageOf(error)}`, { retryable: false, cause: error });
  }
}
