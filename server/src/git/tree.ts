import { ProviderError } from '../lib/errors.ts';
import { requireObjectId } from './names.ts';
import { git, gitBytes } from './native.ts';

/** A file of a commit. */
export interface TreeFile {
  /** Relative to the repository's root. */
  path: string;
  kind: 'file' | 'executable' | 'link' | 'submodule';
  id: string;
  /** 0 for a submodule. */
  sizeBytes: number;
}

/** Files of one commit, with access to their contents. */
export interface Tree {
  readonly commit: string;
  readonly files: readonly TreeFile[];
  /** Returns the commit time. */
  committedAt(): Promise<Date>;
  /** Reads files' contents in order. Throws a ProviderError if they exceed `maxBytes` together. */
  read(files: readonly TreeFile[], maxBytes: number): Promise<Buffer[]>;
}

const kinds: Readonly<Record<string, TreeFile['kind']>> = {
  '100644': 'file',
  '100664': 'file',
  '100755': 'executable',
  '120000': 'link',
  '160000': 'submodule',
};

/**
 * Lists a commit's files at these paths and below them (`''` is the root), at most `maxEntries`. Ignores missing paths and
 * those that are not UTF-8.
 */
export async function openTree(
  gitDir: string,
  commit: string,
  paths: readonly string[],
  maxEntries: number,
): Promise<Tree> {
  return {
    commit,
    files: await listTree(gitDir, commit, paths.includes('') ? [] : paths, maxEntries),
    committedAt: () => timeOf(gitDir, commit),
    read: (wanted, maxBytes) => readBlobs(gitDir, wanted, maxBytes),
  };
}

async function timeOf(gitDir: string, commit: string): Promise<Date> {
  const { stdout } = await git(['log', '-1', '--format=%ct', '--end-of-options', requireObjectId(commit)], { gitDir });
  return new Date(Number(stdout) * 1_000);
}

/** Reads files of a commit; undefined if they exceed `maxBytes` together. Omits symlinks. */
export async function readFiles(
  gitDir: string,
  commit: string,
  paths: readonly string[],
  maxBytes: number,
): Promise<(TreeFile & { content: Buffer })[] | undefined> {
  const listed = await listTree(gitDir, commit, paths, Infinity);
  const files = listed.filter(({ kind }) => kind === 'file' || kind === 'executable');
  if (files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > maxBytes) return undefined;
  const contents = await readBlobs(gitDir, files, maxBytes);
  return files.map((file, index) => ({ ...file, content: contents[index] ?? Buffer.alloc(0) }));
}

/** Lists entries at these paths and below them; all entries if `paths` is empty. */
async function listTree(
  gitDir: string,
  commit: string,
  paths: readonly string[],
  maxEntries: number,
): Promise<TreeFile[]> {
  const { stdout } = await gitBytes(
    ['ls-tree', '-r', '-z', '-l', '--full-tree', requireObjectId(commit), '--', ...paths],
    { gitDir, env: { GIT_LITERAL_PATHSPECS: '1' } },
  );
  const files: TreeFile[] = [];
  let left = maxEntries;
  for (const line of splitAtZero(Buffer.from(stdout))) {
    if (left === 0) break;
    left -= 1;
    const tab = line.indexOf('\t');
    const [mode = '', , id = '', size = ''] = line.toString('latin1', 0, tab).split(/ +/);
    const bytes = line.subarray(tab + 1);
    const path = bytes.toString('utf8');
    const kind = kinds[mode];
    if (kind === undefined || !Buffer.from(path).equals(bytes)) continue;
    files.push({ path, kind, id, sizeBytes: Number(size) || 0 });
  }
  return files;
}

function* splitAtZero(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    yield bytes.subarray(at, end < 0 ? bytes.length : end);
    at = end < 0 ? bytes.length : end + 1;
  }
}

/** Reads blobs in order. Throws a ProviderError if they exceed `maxBytes` together. */
export async function readBlobs(
  gitDir: string,
  files: readonly Pick<TreeFile, 'id' | 'path'>[],
  maxBytes: number,
): Promise<Buffer[]> {
  if (files.length === 0) return [];
  const { stdout } = await gitBytes(['cat-file', '--batch', '--buffer'], {
    gitDir,
    input: files.map(({ id }) => `${requireObjectId(id)}\n`).join(''),
    // Each content has a line before and after it.
    maxBuffer: maxBytes + files.length * 100,
  });
  const all = Buffer.from(stdout);
  let at = 0;
  return files.map(({ id, path }) => {
    const end = all.indexOf('\n', at);
    const [found, , size] = all.toString('latin1', at, end).split(' ');
    if (found !== id || size === undefined)
      throw new ProviderError(`git has no content of ${path}`, { retryable: false });
    const content = all.subarray(end + 1, end + 1 + Number(size));
    at = end + 2 + Number(size);
    return content;
  });
}
