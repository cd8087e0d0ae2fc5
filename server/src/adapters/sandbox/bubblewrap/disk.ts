import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { ProgramFailed } from '../../../lib/program.ts';
import { runSystem } from '../system.ts';

/** e2fsck: 0 is clean, 1 is repaired (e2fsck(8)). */
const repaired = 1;

/**
 * Creates a sparse file with an ext4 file system of `sizeMb` at `path`, or repairs an existing one. An image that was in use
 * when the machine stopped is repaired on its next use; checkpoints have everything on the disk.
 */
export async function prepareImage(path: string, sizeMb: number, signal?: AbortSignal): Promise<void> {
  if (existsSync(path)) {
    await repair(path, signal);
    return;
  }
  const fresh = `${path}.new`;
  const file = await open(fresh, 'w', 0o600);
  try {
    await file.truncate((sizeMb + journalMb(sizeMb)) * 1024 * 1024);
  } finally {
    await file.close();
  }
  try {
    const features = ['-m0', '-i8192', '-Ohas_journal,^resize_inode', `-Jsize=${journalMb(sizeMb)}`];
    const lazily = '-Elazy_itable_init=1,lazy_journal_init=1,nodiscard';
    await runSystem(['mke2fs', '-qF', '-text4', ...features, lazily, fresh], 60_000, signal);
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw new ProviderError(`failed to create the sandbox's disk: ${messageOf(error)}`, {
      retryable: true,
      cause: error,
    });
  }
}

/**
 * The size of the journal, beside the `sizeMb` for files. Without a journal, ext4 does not use an inode again for minutes
 * after its file was removed, and looks at all of these for every new file: to remove and write 10,000 files takes a minute.
 */
function journalMb(sizeMb: number): number {
  return Math.min(16, Math.max(4, Math.floor(sizeMb / 64)));
}

async function repair(path: string, signal?: AbortSignal): Promise<void> {
  try {
    await runSystem(['e2fsck', '-p', path], 300_000, signal);
  } catch (error) {
    if (error instanceof ProgramFailed && error.exitCode === repaired) return;
    throw new ProviderError(`the sandbox's disk is damaged: ${messageOf(error)}`, { retryable: false, cause: error });
  }
}
