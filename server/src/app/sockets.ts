import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/values.ts';

/** A unix socket's path has at most 107 bytes, including its file name. */
const maxDirectoryBytes = 85;

/**
 * Creates and returns the directory for the sockets of sandboxes, accessible only to this user: below the data
 * directory unless that path is too long. Throws {@link ConfigError} if another user has created it.
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
      `${directory}, the directory for the sockets of sandboxes, belongs to another user. Remove it, or choose a shorter data directory.`,
    );
  await chmod(directory, 0o700);
  return directory;
}

function runtimeRoot({ environment }: Pick<Config, 'environment'>): string {
  if (process.getuid?.() === 0) return '/run';
  return environment['XDG_RUNTIME_DIR'] ?? tmpdir();
}
