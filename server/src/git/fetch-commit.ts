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

/** One commit is much less than its history. */
const treeLimits: Limits = { ...foreignLimits, cpuSeconds: 60, fileBytes: 256 * 1024 ** 2 };

/**
 * Brings one commit of a remote repository here without its history, and shows `use` its files below a directory; nothing
 * of it is left afterwards. `ref` is a branch, a tag, a whole commit id, or `''` for the remote's default branch. Throws
 * 400 `invalid_request` for a ref that is not there, ProviderError when the remote fails.
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
    // Else many files of the largest size could come of one.
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

/** The refusal of a ref that a repository does not have; `''` is the branch that an empty repository has no commit on. */
export function missingRef(ref: string): FieldError {
  return ref === ''
    ? fieldError('/url', ': the repository is empty.')
    : fieldError('/ref', `: the repository has no ${JSON.stringify(ref)}.`);
}
