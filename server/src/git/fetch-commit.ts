import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fieldError, type FieldError } from '../lib/field-error.ts';
import type { Limits } from '../lib/limits.ts';
import { foreignLimits, harmlessFaults, initBare } from './bare.ts';
import { git, GitError, type GitConfig } from './native.ts';
import { isObjectId, requireBranchName } from './names.ts';
import { prepareRemote, type GitRemote } from './remote.ts';
import { openTree, type Tree } from './tree.ts';

const fetched = 'refs/guildhall/fetched';

/** Lower limits: a single commit is much smaller than a history. */
const treeLimits: Limits = { ...foreignLimits, cpuSeconds: 60, fileBytes: 256 * 1024 ** 2 };

/**
 * Fetches one commit of a remote repository without its history, calls `use` with its files below a directory, and then deletes
 * everything. `ref` is a branch, a tag, a full commit id, or `''` for the remote's default branch. Throws 400
 * `invalid_request` for a missing ref, ProviderError if the remote fails.
 */
export async function withRemoteTree<T>(
  remote: GitRemote,
  ref: string,
  options: { directory: string; maxEntries: number; timeoutMs: number; signal?: AbortSignal; limits?: Partial<Limits> },
  use: (tree: Tree) => Promise<T>,
): Promise<T> {
  const gitDir = await mkdtemp(join(tmpdir(), 'guildhall-fetch-'));
  try {
    await initBare(gitDir, { defaultBranch: 'main' });
    const commit = await fetchCommit(gitDir, remote, ref, options);
    return await use(await openTree(gitDir, commit, [options.directory], options.maxEntries));
  } finally {
    await rm(gitDir, { recursive: true, force: true });
  }
}

async function fetchCommit(
  gitDir: string,
  remote: GitRemote,
  ref: string,
  { timeoutMs, signal, limits }: { timeoutMs: number; signal?: AbortSignal; limits?: Partial<Limits> },
): Promise<string> {
  const { url, config, secrets } = prepareRemote(remote);
  const fsck: GitConfig = [
    ['fetch.fsckObjects', 'true'],
    // Otherwise a pack could be unpacked into many files of the maximum size.
    ['fetch.unpackLimit', '1'],
    ...harmlessFaults.map((fault): [string, string] => [`fetch.fsck.${fault}`, 'ignore']),
  ];
  const fixed = ['--quiet', '--depth=1', '--no-write-fetch-head', '--no-auto-maintenance', '--no-tags'];
  const wanted = ref === '' ? 'HEAD' : isObjectId(ref) ? ref : requireBranchName(ref);
  const options = { gitDir, timeoutMs, secrets, ...(signal === undefined ? {} : { signal }) };
  try {
    await git(['fetch', ...fixed, '--recurse-submodules=no', '--end-of-options', url, `+${wanted}:${fetched}`], {
      ...options,
      config: [...config, ...fsck],
      limits: { ...treeLimits, ...limits },
    });
  } catch (error) {
    if (error instanceof GitError && /couldn't find remote ref|not our ref|no such remote ref/i.test(error.stderr))
      throw missingRef(ref);
    throw error;
  }
  const { stdout } = await git(['rev-parse', '--verify', '--end-of-options', `${fetched}^{commit}`], options);
  return stdout.trim();
}

/** Error for a ref that does not exist; `''`, the default branch, is missing only in an empty repository. */
export function missingRef(ref: string): FieldError {
  return ref === ''
    ? fieldError('/url', ': the repository is empty.')
    : fieldError('/ref', `: the repository has no branch, tag or commit ${JSON.stringify(ref)}.`);
}
