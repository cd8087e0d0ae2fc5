import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from './errors.ts';

/**
 * Creates a directory and its missing parents. Throws an error that names the obstacle. Replaces Node's recursive `mkdir`,
 * which never returns where the file system allows no directories, as in /proc.
 */
export function makeDirectory(path: string, mode: number): void {
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (isDirectory(path)) return;
    throw new Error(`Cannot create the directory ${path}: ${messageOf(error).replace(/^(\w+: [^,]*),.*$/, '$1')}.`, {
      cause: error,
    });
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
