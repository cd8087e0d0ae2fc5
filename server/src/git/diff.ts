import { AppError, ProviderError } from '../lib/errors.ts';
import { pace } from '../lib/pace.ts';
import { resolveRef } from './bare.ts';
import { ChangeReader } from './change-reader.ts';
import { emptyTree, isObjectId } from './names.ts';
import { GitError, gitFailure, spawnGit } from './native.ts';
import { createPatchSplitter, type PatchSplitter } from './patch-splitter.ts';

/** A diff as in the API. */
export interface Diff {
  base_commit: string;
  head_commit: string;
  additions: number;
  deletions: number;
  files: DiffFile[];
}

export interface DiffFile {
  path: string;
  /** The path before a rename; '' otherwise. */
  old_path: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
  binary: boolean;
  additions: number;
  deletions: number;
  /** Unified diff with its `diff --git` header; '' for a binary file and beyond the size limits. */
  patch: string;
}

export interface DiffOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  /** True (default) to include the content of binary files in a whole patch. */
  binary?: boolean;
  /** Limit for one file's patch, which is '' beyond it; default 1 MiB. */
  maxFilePatchBytes?: number;
  /** Limit for all patches together, beyond which they are ''; default 16 MiB. */
  maxPatchBytes?: number;
}

const format = ['-r', '-M', '-z', '--raw', '--numstat', '-p', '--full-index'];
const flags = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-relative', '--ignore-submodules=none'];

/**
 * Compares commit `base` with commit `head`, with rename detection. Either may be '' for the empty tree. Throws AppError
 * `not_found` if a commit is missing; ProviderError if git fails.
 */
export async function diffBetween(path: string, base: string, head: string, options: DiffOptions = {}): Promise<Diff> {
  const reading = readDiff(path, base, head, { ...options, isWholePatch: false });
  for (;;) {
    const step = await reading.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Compares with one run of git, and also returns a patch that `git apply` accepts: with binary files, full blob ids, and git's
 * exact bytes. `diff` resolves when the patch was read to its end, and rejects if the reader stops early.
 */
export function diffAndPatch(
  path: string,
  base: string,
  head: string,
  options: DiffOptions = {},
): { diff: Promise<Diff>; patch: AsyncGenerator<Uint8Array> } {
  const { promise: diff, resolve, reject } = Promise.withResolvers<Diff>();
  // The patch's reader gets the error in any case.
  diff.catch(() => undefined);
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      resolve(yield* readDiff(path, base, head, { ...options, isWholePatch: true }));
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      reject(new Error('The patch was not read completely.'));
    }
  }
  return { diff, patch: read() };
}

/** Yields the patch and returns the diff. Unless the whole patch is wanted, stops reading at the size limits. */
async function* readDiff(
  path: string,
  base: string,
  head: string,
  options: DiffOptions & { isWholePatch: boolean },
): AsyncGenerator<Uint8Array, Diff> {
  const {
    isWholePatch,
    binary = true,
    maxFilePatchBytes: maxFileBytes = 1024 ** 2,
    maxPatchBytes = 16 * 1024 ** 2,
  } = options;
  const [from, to] = await Promise.all([requireTree(path, base), requireTree(path, head)]);
  const args = ['diff-tree', ...format, ...(isWholePatch && binary ? ['--binary'] : []), ...flags, from, to];
  const reader = new ChangeReader();
  let splitter: PatchSplitter | undefined;
  let isFull = false;
  for await (const chunk of run(args, path, options)) {
    const patch = reader.push(chunk);
    if (patch.length === 0) continue;
    splitter ??= createPatchSplitter({ files: reader.changes, maxFileBytes, maxTotalBytes: maxPatchBytes });
    isFull = splitter.push(patch) === 'full';
    if (isFull && !isWholePatch) break;
    yield patch;
  }
  const patches: string[] = [];
  for (const patch of splitter?.end() ?? []) {
    await pace();
    patches.push(patch);
  }
  const sections = reader.changes.reduce((sum, change) => sum + change.sections, 0);
  if ((!isFull || isWholePatch) && (splitter?.sections() ?? 0) !== sections)
    throw new ProviderError('git printed a different number of patches than changed files', { retryable: false });
  const files = reader.changes.map(
    ({ path: name, old_path, status, binary: isBinary, additions, deletions }, index) => {
      return { path: name, old_path, status, binary: isBinary, additions, deletions, patch: patches[index] ?? '' };
    },
  );
  return {
    base_commit: base === '' ? '' : from,
    head_commit: head === '' ? '' : to,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    files,
  };
}

/** Streams a git command's standard output. Leaving the loop early stops git. Throws git's failure at the end. */
async function* run(
  args: string[],
  path: string,
  options: Pick<DiffOptions, 'signal' | 'timeoutMs'>,
): AsyncGenerator<Buffer> {
  options.signal?.throwIfAborted();
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const child = spawnGit(args, { gitDir: path, timeoutMs: options.timeoutMs ?? 120_000, signal });
  child.stdin.end();
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  try {
    for await (const chunk of child.stdout) yield Buffer.from(chunk);
    const result = await child.ended;
    options.signal?.throwIfAborted();
    if (result.exitCode === undefined) throw new ProviderError('git diff timed out', { retryable: true });
    if (result.exitCode !== 0)
      throw missingOr(gitFailure('diff', result.exitCode, Buffer.concat(errors).toString('utf8')));
  } finally {
    stop.abort();
    await child.ended;
  }
}

/** Resolves a commit. A full id is not checked here, because the diff itself reports a missing one. */
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
