import { ProviderError } from '../lib/errors.ts';
import { ChangeReader } from './change-reader.ts';
import type { Diff } from './diff.ts';
import { emptyTree } from './names.ts';
import { gitFailure, spawnGit } from './native.ts';

/** A file that differs between two commits, without its content; a rename is a deletion and an addition. */
export interface FileChange {
  path: string;
  change: 'added' | 'modified' | 'deleted';
  /** 0 for a binary file. */
  additions: number;
  deletions: number;
}

const format = ['-r', '-z', '--raw', '--numstat', '--no-renames'];
const flags = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-relative', '--ignore-submodules=none'];
const timeoutMs = 60_000;

/** Lists the files that differ from commit `base` to commit `head`, in git's order; `''` is the empty tree. */
export async function filesBetween(
  path: string,
  base: string,
  head: string,
  options: { signal?: AbortSignal } = {},
): Promise<FileChange[]> {
  const args = ['diff-tree', ...format, ...flags, base || emptyTree, head || emptyTree];
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const child = spawnGit(args, { gitDir: path, timeoutMs, signal });
  child.stdin.end();
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const reader = new ChangeReader();
  try {
    for await (const chunk of child.stdout) reader.push(Buffer.from(chunk));
  } catch (error) {
    stop.abort();
    throw error;
  }
  const { exitCode } = await child.ended;
  options.signal?.throwIfAborted();
  if (exitCode === undefined) throw new ProviderError('git diff timed out', { retryable: true });
  if (exitCode !== 0) throw gitFailure('diff', exitCode, Buffer.concat(errors).toString('utf8'));
  return reader.changes.map(toChange);
}

/** Returns the same from a diff of the two commits; undefined if it has renames, which hide what was deleted. */
export function filesOf({ files }: Diff): FileChange[] | undefined {
  return files.some(({ status }) => status === 'renamed') ? undefined : files.map(toChange);
}

type Changed = Pick<Diff['files'][number], 'path' | 'status' | 'additions' | 'deletions'>;

function toChange({ path, status, additions, deletions }: Changed): FileChange {
  return { path, change: status === 'added' || status === 'deleted' ? status : 'modified', additions, deletions };
}
