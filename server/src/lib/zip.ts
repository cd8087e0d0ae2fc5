import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { messageOf } from './errors.ts';
import { trimEndOf } from './trim.ts';

/** A file in an archive. */
export interface ZippedFile {
  /** The path in the archive, with `/` as the separator. Check it before writing the file anywhere. */
  path: string;
  content: Buffer;
  executable: boolean;
}

export interface ZipLimits {
  files: number;
  fileBytes: number;
  totalBytes: number;
}

/** An invalid archive; the message is for its sender. */
export class ZipRefused extends Error {
  /** The invalid entry; `''` for the archive as a whole. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.name = 'ZipRefused';
    this.path = path;
  }
}

/**
 * Returns the files of an archive in its order, without directories and entries that macOS adds. Throws {@link
 * ZipRefused} for an archive that is broken or encrypted, contains links or other special files, a path outside of
 * itself or a path twice, or exceeds a limit: by its declared sizes before anything is unpacked, then by the actual
 * ones. `refused` receives the problems of single entries, which are skipped; problems of the whole archive are still
 * thrown.
 */
export async function readZip(
  bytes: Buffer,
  limits: ZipLimits,
  refused?: (problem: ZipRefused) => void,
): Promise<ZippedFile[]> {
  // Loaded on first use: it takes half a MiB, and most processes never use it.
  const { fromBufferPromise } = await import('yauzl');
  let archive: ZipFile | undefined;
  try {
    archive = await fromBufferPromise(bytes, { strictFileNames: true, validateEntrySizes: true });
    const entries = await entriesOf(archive, limits, refused);
    const files: ZippedFile[] = [];
    for (const entry of entries) {
      try {
        files.push(await unpack(archive, entry, limits));
      } catch (error) {
        skipEntry(error, refused);
      }
    }
    return files;
  } catch (error) {
    if (error instanceof ZipRefused) throw error;
    throw new ZipRefused('', `The archive cannot be read: ${trimEndOf(messageOf(error), '.')}.`);
  } finally {
    archive?.close();
  }
}

/** Passes the problem of an entry to `refused`; throws any other. */
function skipEntry(error: unknown, refused: ((problem: ZipRefused) => void) | undefined): void {
  if (!(error instanceof ZipRefused) || error.path === '' || refused === undefined) throw error;
  refused(error);
}

/** Directories count too: an archive with nothing else must also be walked. */
const entriesPerFile = 10;

async function entriesOf(
  archive: ZipFile,
  limits: ZipLimits,
  refused: ((problem: ZipRefused) => void) | undefined,
): Promise<Entry[]> {
  const tooMany = new ZipRefused('', `The archive has more than ${limits.files} files.`);
  if (archive.entryCount > limits.files * entriesPerFile) throw tooMany;
  const entries: Entry[] = [];
  const seen = new Set<string>();
  let declared = 0;
  for await (const entry of archive.eachEntry()) {
    if (isMacLitter(entry.fileName)) continue;
    try {
      checkEntry(entry, seen, limits);
    } catch (error) {
      skipEntry(error, refused);
      continue;
    }
    if (entry.fileName.endsWith('/')) continue;
    declared += entry.uncompressedSize;
    if (declared > limits.totalBytes)
      throw new ZipRefused('', `The files have more than ${limits.totalBytes} bytes together.`);
    entries.push(entry);
    if (entries.length > limits.files) throw tooMany;
  }
  return entries;
}

function checkEntry(entry: Entry, seen: Set<string>, limits: ZipLimits): void {
  const { fileName: path } = entry;
  if (seen.has(path)) throw new ZipRefused(path, 'The archive contains this path twice.');
  seen.add(path);
  refuseKind(entry);
  if (!path.endsWith('/') && entry.uncompressedSize > limits.fileBytes) throw tooLarge(path, limits);
}

function isMacLitter(path: string): boolean {
  return path.startsWith('__MACOSX/') || /(?:^|\/)\.DS_Store$/.test(path);
}

const kinds: Readonly<Record<number, string>> = {
  0o010000: 'a pipe',
  0o020000: 'a device',
  0o060000: 'a device',
  0o120000: 'a link',
  0o140000: 'a socket',
};
const regular = 0o100000;
const directory = 0o040000;

/**
 * Rejects special files. If the upper half of the attributes is set, it is a Unix mode, whatever system the archive
 * claims to come from.
 */
function refuseKind(entry: Entry): void {
  const { fileName: path } = entry;
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000;
  if (kind !== 0 && kind !== regular && kind !== directory)
    throw new ZipRefused(
      path,
      `This is ${kinds[kind] ?? 'of an unknown kind'}; an archive can only contain regular files.`,
    );
  if (kind === directory && !path.endsWith('/'))
    throw new ZipRefused(path, 'This path is both a directory and a file.');
  if (entry.isEncrypted()) throw new ZipRefused(path, 'The file is encrypted.');
  if (entry.compressionMethod !== 0 && entry.compressionMethod !== 8)
    throw new ZipRefused(
      path,
      `The file uses compression method ${entry.compressionMethod}; only store and deflate are supported.`,
    );
}

async function unpack(archive: ZipFile, entry: Entry, limits: ZipLimits): Promise<ZippedFile> {
  const { fileName: path } = entry;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of await archive.openReadStreamPromise(entry)) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > limits.fileBytes) throw tooLarge(path, limits);
      chunks.push(bytes);
    }
  } catch (error) {
    if (error instanceof ZipRefused) throw error;
    throw new ZipRefused(
      path,
      `The file cannot be unpacked: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
  const content = Buffer.concat(chunks);
  if (crc32(content) !== entry.crc32) throw new ZipRefused(path, 'The checksum does not match.');
  return { path, content, executable: ((entry.externalFileAttributes >>> 16) & 0o111) !== 0 };
}

function tooLarge(path: string, { fileBytes }: ZipLimits): ZipRefused {
  return new ZipRefused(path, `The file has more than ${fileBytes} bytes.`);
}
