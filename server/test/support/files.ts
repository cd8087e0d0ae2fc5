import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns every file below a directory, as path and bytes in latin1. Skips files that are moved or deleted meanwhile.
 */
export async function readFilesBelow(directory: string): Promise<[path: string, text: string][]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(paths.map(async (path) => [path, await textOf(path)] as const));
  return files.flatMap(([path, text]) => (text === undefined ? [] : [[path, text]]));
}

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
