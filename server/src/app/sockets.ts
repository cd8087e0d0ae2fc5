import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/values.ts';

/** A unix socket's path has at most 107 bytes, its own name among them. */
const maxDirectoryBytes = 85;

/**
 * Makes the directory for the sockets of sandboxes, which nobody else may enter, and answers it: below the data directory
 * unless that is too long. Throws {@link ConfigError} when somebody else has made it before.
 */
export async function socketDirectory(config: Pick<Config, 'data' | 'environment'>): Promise<string> {
  const inside = join(config.data, 'gateway');
  const hash = createHash('sha256').update(config.data).digest('hex').slice(0, 12);
  const directory =
    Buffer.byteLength(inside) <= maxDirectoryBytes ? inside : join(runtimeRoot(config), `guildhall-${hash}`);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const info = await lstat(directory);
  if (!info.isDirectory() || info.uid !== process.getuid?.())
    throw new ConfigError(
      `${directory}, where the sockets of sandboxes are to lie, belongs to somebody else. Remove it, or choose a shorter data directory.`,
    );
  await chmod(directory, 0o700);
  return directory;
}

function runtimeRoot({ environment }: Pick<Config, 'environment'>): string {
  if (process.getuid?.() === 0) return '/run';
  return environment['XDG_RUNTIME_DIR'] ?? tmpdir();
}
