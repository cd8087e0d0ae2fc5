import { constants } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';
import { codeOf, messageOf } from '../../../lib/errors.ts';
import { checkRing, parseJson, type RingFile } from '../ring-data.ts';

export interface ReadRing {
  readonly ring: RingFile;
  /** A warning for the operator about the accepted file, or `''`. */
  readonly warning: string;
}

const writableByOthers = 0o022;
const readableByAll = 0o004;

/** Returns a version that changes with the file, its mode and the target of its symlink. */
export async function versionOf(path: string): Promise<string> {
  const { ino, ctimeNs, size } = await stat(path, { bigint: true });
  return `${ino} ${ctimeNs} ${size}`;
}

/** Reads a ring's file. Throws for an invalid key ring, and for a file that others may write. */
export async function readRing(path: string): Promise<ReadRing> {
  const file = await openRegular(path);
  try {
    const mode = (await file.stat()).mode & 0o777;
    const shown = mode.toString(8).padStart(4, '0');
    if ((mode & writableByOthers) !== 0)
      throw new Error(`Other users may write the key ring ${path} (mode ${shown}). Run chmod 600 ${path}.`);
    const ring = checkRing(parseJson(await file.readFile('utf8')), `The file ${path}`);
    const remedy = `run chmod 600 ${path}, or mount it with mode 0440`;
    const warning =
      (mode & readableByAll) === 0 ? '' : `all users may read the key ring ${path} (mode ${shown}): ${remedy}`;
    return { ring, warning };
  } finally {
    await file.close();
  }
}

/** Opens a regular file. `readFile` would block on a FIFO. */
async function openRegular(path: string): Promise<FileHandle> {
  const other = `The key ring ${path} is not a regular file.`;
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    // The error for a socket.
    if (codeOf(cause) === 'ENXIO') throw new Error(other, { cause });
    throw new Error(
      `The key ring ${path} cannot be read (${messageOf(cause)}). Without it, encrypted data cannot be read.`,
      { cause },
    );
  }
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw new Error(other);
}
