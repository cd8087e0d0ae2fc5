import { pace } from '../lib/pace.ts';
import { ByteReader } from './byte-reader.ts';
import { emptyTree, requireObjectId } from './names.ts';
import { gitBytes, gitFailure, spawnGit } from './native.ts';

/** A file that differs between two commits; an id is `''` if the file is missing. Includes symlinks, but no submodules. */
export interface ChangedFile {
  path: string;
  oldId: string;
  newId: string;
}

interface Options {
  signal?: AbortSignal;
}

/** Lists the files that differ between two commits; a rename is a removal and an addition. A commit may be '' for the empty tree. */
export async function changedFiles(
  gitDir: string,
  base: string,
  head: string,
  { signal }: Options = {},
): Promise<ChangedFile[]> {
  return readChangedFiles(await rawChanges(gitDir, base, head, signal === undefined ? {} : { signal }));
}

/** Returns the output of `diff-tree -z --raw` without renames. A commit may be '' for the empty tree. */
export async function rawChanges(gitDir: string, base: string, head: string, options: Options = {}): Promise<Buffer> {
  if (base === head) return Buffer.alloc(0);
  const trees = [base, head].map((commit) => (commit === '' ? emptyTree : requireObjectId(commit)));
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--full-index', ...trees];
  const { stdout } = await gitBytes(args, { gitDir, timeoutMs: 120_000, ...options });
  return Buffer.from(stdout.buffer, stdout.byteOffset, stdout.length);
}

/** Parses the output of `diff-tree -z --raw`: for each file a record and its path. */
export async function readChangedFiles(raw: Buffer): Promise<ChangedFile[]> {
  const files: ChangedFile[] = [];
  for (let at = 0; at < raw.length;) {
    await pace();
    const piece = Math.min(at + pieceBytes, raw.length);
    while (at < piece) {
      const end = endOfField(raw, at);
      const next = endOfField(raw, end + 1);
      const [oldMode = '', newMode = '', oldId = '', newId = ''] = raw.toString('latin1', at + 1, end).split(' ');
      const path = raw.toString('utf8', end + 1, next);
      files.push({ path, oldId: fileId(oldMode, oldId), newId: fileId(newMode, newId) });
      at = next + 1;
    }
  }
  return files;
}

/** Bytes parsed before yielding to other work: there may be very many files. */
const pieceBytes = 256 * 1024;

function endOfField(raw: Buffer, from: number): number {
  const end = raw.indexOf(0, from);
  return end < 0 ? raw.length : end;
}

function fileId(mode: string, id: string): string {
  return mode === '000000' || mode === '160000' ? '' : id;
}

/** Reads blobs with one run of git, in the given order; each content must be read to its end before the next. */
export async function* readBlobs(
  gitDir: string,
  ids: readonly string[],
  { signal }: Options = {},
): AsyncGenerator<{ id: string; sizeBytes: number; content: AsyncIterable<Buffer> }> {
  if (ids.length === 0) return;
  const stop = new AbortController();
  const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const child = spawnGit(['cat-file', '--batch'], { gitDir, timeoutMs: 10 * 60_000, signal: both });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  child.stdin.end(`${ids.map((id) => requireObjectId(id)).join('\n')}\n`);
  try {
    const bytes = new ByteReader(child.stdout);
    for (const id of ids) {
      const head = await bytes.line();
      const [, size] = /^[0-9a-f]{40} blob (\d+)$/.exec(head) ?? [];
      signal?.throwIfAborted();
      if (size === undefined) throw gitFailure('cat-file', 1, `${Buffer.concat(errors).toString('utf8')} ${head}`);
      yield { id, sizeBytes: Number(size), content: bytes.pieces(Number(size)) };
      await bytes.take(1);
    }
  } finally {
    stop.abort();
    await child.ended;
  }
}
