import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { messageOf } from './errors.ts';

/**
 * Makes a directory and those above it that are missing. Throws an error whose message says what is in the way. Not
 * `mkdir -p` of Node, which never returns where the file system takes no directories, as in /proc.
 */
export function makeDirectory(path: string, mode: number): void {
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) makeDirectory(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    // Another process may have been faster.
    if (isDirectory(path)) return;
    throw new Error(`The directory ${path} cannot be made: ${messageOf(error).replace(/^(\w+: [^,]*),.*$/, '$1')}.`, {
      cause: error,
    });
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
