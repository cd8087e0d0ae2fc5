import { AppError, ProviderError } from '../../lib/errors.ts';
import { resolveRef } from './bare.ts';
import { emptyTree, isObjectId } from './names.ts';
import { gitBytes, GitError, gitFailure, spawnGit } from './native.ts';
import { createPatchSplitter } from './patch-splitter.ts';

/** The diff of the contract (section 4, "session diff, patch"). */
export interface Diff {
  base_commit: string;
  head_commit: string;
  additions: number;
  deletions: number;
  files: DiffFile[];
}

export interface DiffFile {
  path: string;
  /** The path before a rename, else ''. */
  old_path: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
  binary: boolean;
  additions: number;
  deletions: number;
  /** Unified diff with its `diff --git` header; '' for a binary file and beyond the size caps. */
  patch: string;
}

export interface DiffOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Default 1 MiB; a larger patch of one file is ''. */
  maxFilePatchBytes?: number;
  /** Default 16 MiB for all files together; the files after it have ''. */
  maxPatchBytes?: number;
}

const flags = ['-r', '-M', '--no-color', '--no-ext-diff', '--no-textconv', '--no-relative', '--ignore-submodules=none'];

/**
 * The changes from commit `base` to commit `head`, renames detected. Either may be '' for the empty tree.
 * AppError `not_found` when a commit is missing; ProviderError when git fails.
 */
export async function diffBetween(path: string, base: string, head: string, options: DiffOptions = {}): Promise<Diff> {
  const [from, to] = await Promise.all([requireTree(path, base), requireTree(path, head)]);
  const changes = await readChanges(path, from, to, options);
  const patches = changes.length === 0 ? [] : await readPatches(path, from, to, changes, options);
  const files = changes.map(({ file }, index) =>
    Object.assign(file, { patch: file.binary ? '' : (patches[index] ?? '') }),
  );
  return {
    base_commit: base === '' ? '' : from,
    head_commit: head === '' ? '' : to,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    files,
  };
}

/** The same changes as one patch that `git apply` takes: binaries included, blob ids in full. Bytes as git writes them. */
export async function* patchBetween(
  path: string,
  base: string,
  head: string,
  options: Pick<DiffOptions, 'signal' | 'timeoutMs'> = {},
): AsyncGenerator<Uint8Array> {
  const [from, to] = await Promise.all([requireTree(path, base), requireTree(path, head)]);
  yield* run(['diff-tree', '-p', '--binary', '--full-index', ...flags, from, to], path, options);
}

interface Change {
  file: Omit<DiffFile, 'patch'>;
  /** How many `diff --git` sections the patch has for it: a change of type (file to link) is a deletion and an addition. */
  sections: number;
}

async function readChanges(path: string, from: string, to: string, options: DiffOptions): Promise<Change[]> {
  const { stdout } = await gitBytes(['diff-tree', '--raw', '--numstat', '-z', ...flags, from, to], {
    gitDir: path,
    timeoutMs: options.timeoutMs ?? 60_000,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }).catch((error: unknown) => Promise.reject(missingOr(error)));
  const fields = Buffer.from(stdout).toString('utf8').split('\0');
  const changes: Change[] = [];
  let index = 0;
  const next = (): string => fields[index++] ?? '';
  while (fields[index]?.startsWith(':') === true) {
    const letter = next().split(' ')[4]?.charAt(0) ?? '';
    const first = next();
    const renamed = letter === 'R';
    changes.push({
      file: {
        path: renamed ? next() : first,
        old_path: renamed ? first : '',
        status: statusOf(letter),
        binary: false,
        additions: 0,
        deletions: 0,
      },
      sections: letter === 'T' ? 2 : 1,
    });
  }
  for (const { file } of changes) {
    const [added = '', deleted = ''] = next().split('\t');
    if (file.status === 'renamed') index += 2;
    file.binary = added === '-';
    file.additions = Number(added) || 0;
    file.deletions = Number(deleted) || 0;
  }
  return changes;
}

function statusOf(letter: string): DiffFile['status'] {
  if (letter === 'A') return 'added';
  if (letter === 'D') return 'deleted';
  return letter === 'R' ? 'renamed' : 'modified';
}

async function readPatches(
  path: string,
  from: string,
  to: string,
  changes: readonly Change[],
  options: DiffOptions,
): Promise<string[]> {
  const splitter = createPatchSplitter({
    sectionsPerFile: changes.map((change) => change.sections),
    maxFileBytes: options.maxFilePatchBytes ?? 1024 * 1024,
    maxTotalBytes: options.maxPatchBytes ?? 16 * 1024 * 1024,
  });
  for await (const chunk of run(['diff-tree', '-p', ...flags, from, to], path, options)) {
    if (splitter.push(chunk) === 'full') return splitter.end();
  }
  const patches = splitter.end();
  if (splitter.sections() !== changes.reduce((sum, change) => sum + change.sections, 0)) {
    throw new ProviderError('git wrote another number of patches than of changed files', { retryable: false });
  }
  return patches;
}

/** Streams a git command's standard output. Leaving the loop early stops git; its failure is thrown at the end. */
async function* run(
  args: string[],
  path: string,
  options: Pick<DiffOptions, 'signal' | 'timeoutMs'>,
): AsyncGenerator<Uint8Array> {
  options.signal?.throwIfAborted();
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const child = spawnGit(args, { gitDir: path, timeoutMs: options.timeoutMs ?? 120_000, signal });
  child.stdin.end();
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  try {
    for await (const chunk of child.stdout) yield Buffer.from(chunk);
    const result = await child;
    options.signal?.throwIfAborted();
    if (result.exitCode === undefined) throw new ProviderError('git diff took too long', { retryable: true });
    if (result.exitCode !== 0)
      throw missingOr(gitFailure('diff', result.exitCode, Buffer.concat(errors).toString('utf8')));
  } finally {
    stop.abort();
    await child;
  }
}

/** A whole id costs no process of its own: git says itself that it does not have it. */
async function requireTree(path: string, commit: string): Promise<string> {
  if (commit === '') return emptyTree;
  if (isObjectId(commit)) return commit;
  const sha = await resolveRef(path, commit);
  if (sha === undefined) throw new AppError('not_found', `The repository has no commit ${JSON.stringify(commit)}.`);
  return sha;
}

function missingOr(error: unknown): unknown {
  const missing = error instanceof GitError && /bad object ([0-9a-f]{40})/.exec(error.stderr)?.[1];
  return typeof missing === 'string' ? new AppError('not_found', `The repository has no commit "${missing}".`) : error;
}
