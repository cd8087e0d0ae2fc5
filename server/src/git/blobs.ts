import { isUtf8 } from 'node:buffer';
import { recordsOf } from './listings.ts';
import { isObjectId, requireObjectId } from './names.ts';
import { git } from './native.ts';

/** A file's path and its blob. */
export interface PlacedBlob {
  path: string;
  /** `''` if the path no longer has a file. */
  id: string;
}

const isFile = (mode: string): boolean => mode.startsWith('100');

/** Lists the files of a commit, at most 1,000,000; without symlinks, submodules, and paths that are not UTF-8. */
export async function* listBlobs(gitDir: string, commit: string): AsyncGenerator<PlacedBlob[]> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', requireObjectId(commit)];
  for await (const records of recordsOf(args, gitDir, '\0'))
    yield records.flatMap((record) => {
      const tab = record.indexOf('\t');
      const [mode = '', , id = ''] = record.toString('latin1', 0, tab).split(' ');
      return isFile(mode) ? placed(record.subarray(tab + 1), id) : [];
    });
}

/** Lists the files that differ between two commits, like {@link listBlobs}. */
export async function* listChangedBlobs(gitDir: string, from: string, to: string): AsyncGenerator<PlacedBlob[]> {
  const args = [
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--full-index',
    requireObjectId(from),
    requireObjectId(to),
  ];
  let fact = '';
  for await (const records of recordsOf(args, gitDir, '\0'))
    yield records.flatMap((record) => {
      if (fact === '') {
        fact = record.toString('latin1');
        return [];
      }
      const [, mode = '', , id = ''] = fact.split(' ');
      fact = '';
      return placed(record, isFile(mode) ? id : '');
    });
}

function placed(path: Buffer, id: string): PlacedBlob[] {
  return isUtf8(path) && (id === '' || isObjectId(id)) ? [{ path: path.toString('utf8'), id }] : [];
}

/** Returns the sizes of blobs in bytes, in order; undefined for a missing one. */
export async function sizesOf(gitDir: string, ids: readonly string[]): Promise<(number | undefined)[]> {
  const { stdout } = await git(['cat-file', '--batch-check=%(objectsize)'], {
    gitDir,
    input: ids.map((id) => `${requireObjectId(id)}\n`).join(''),
  });
  const lines = stdout.split('\n');
  return ids.map((_, index) => (/^\d+$/.test(lines[index] ?? '') ? Number(lines[index]) : undefined));
}
