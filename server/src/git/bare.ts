import { existsSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Limits } from '../lib/limits.ts';
import { refuseInTransaction } from '../lib/transaction-scope.ts';
import { git, GitError } from './native.ts';
import { isBranchName, isObjectId, requireBranchName, requireObjectId } from './names.ts';
import { prepareRemote } from './remote.ts';
import type { GitConfig } from './native.ts';
import type { GitRemote } from './remote.ts';

export interface Branch {
  name: string;
  /** The commit that the branch points to. */
  sha: string;
}

export interface Person {
  name: string;
  email: string;
}

export interface CommitInfo {
  sha: string;
  tree: string;
  parents: string[];
  author: Person & { date: Date };
  committer: Person & { date: Date };
  subject: string;
  /** The whole message with the subject. */
  message: string;
}

/** Harmless faults in old histories, which must not prevent an import. */
export const harmlessFaults = [
  'badTimezone',
  'missingSpaceBeforeDate',
  'zeroPaddedFilemode',
  'badEmail',
  'missingEmail',
];

export const largestImportBytes = 2 * 1024 ** 3;

/** Limits for git on untrusted repositories: everything arrives in one pack, and the list of refs is held in memory. */
export const foreignLimits: Limits = {
  memoryBytes: 512 * 1024 ** 2,
  cpuSeconds: 600,
  fileBytes: largestImportBytes,
};

const bareConfig = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

/**
 * Creates an empty bare repository as `git init --bare` does (gitrepository-layout(5)), without starting a program; keeps an
 * existing one.
 */
export async function initBare(path: string, options: { defaultBranch: string }): Promise<void> {
  refuseInTransaction('a repository was created');
  const head = join(path, 'HEAD');
  const target = `ref: refs/heads/${requireBranchName(options.defaultBranch)}\n`;
  if (existsSync(head)) return;
  const directories = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags'];
  await Promise.all(directories.map((name) => mkdir(join(path, name), { recursive: true })));
  await writeFile(join(path, 'config'), bareConfig);
  // Git recognizes the repository by its HEAD. Another process may create the same one now.
  const temporary = `${head}.${randomBytes(6).toString('hex')}`;
  await writeFile(temporary, target);
  await rename(temporary, head);
}

/**
 * Copies a remote repository's branches and tags to `path`, which must not exist; it appears only when it is complete. Checks
 * objects (fsck). Returns the remote's default branch, `main` for an empty repository. Throws ProviderError.
 */
export async function importBare(
  path: string,
  remote: GitRemote,
  options: { timeoutMs: number; signal?: AbortSignal; limits?: Partial<Limits> },
): Promise<{ defaultBranch: string }> {
  const temporary = `${path}.import-${randomBytes(6).toString('hex')}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    const fsck: GitConfig = [
      ['fetch.fsckObjects', 'true'],
      ...harmlessFaults.map((fault): [string, string] => [`fetch.fsck.${fault}`, 'ignore']),
    ];
    await cloneBare(temporary, remote, { ...options, limits: { ...foreignLimits, ...options.limits }, config: fsck });
    const defaultBranch = (await defaultBranchOf(temporary)) ?? 'main';
    await git(['symbolic-ref', 'HEAD', `refs/heads/${defaultBranch}`], { gitDir: temporary });
    await git(['config', '--remove-section', 'remote.origin'], { gitDir: temporary, okExitCodes: [0, 128] });
    await rename(temporary, path);
    return { defaultBranch };
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

/** The depth of a complete history. Only the smart protocol supports a depth. */
const wholeHistory = ['--depth=2147483647', '--no-single-branch'];

/**
 * Creates a bare clone of branches, tags and HEAD, in a single pack file. Refuses the dumb protocol, where each object is a
 * file, which no limit counts and no fsck checks.
 */
export async function cloneBare(
  path: string,
  remote: GitRemote,
  options: {
    timeoutMs: number;
    signal?: AbortSignal;
    config?: GitConfig;
    inherit?: number;
    limits?: Partial<Limits>;
  },
): Promise<void> {
  const prepared = prepareRemote(remote);
  try {
    await git(['clone', '--quiet', '--bare', '--template=', ...wholeHistory, '--', prepared.url, path], {
      ...options,
      config: [...prepared.config, ...(options.config ?? [])],
      secrets: prepared.secrets,
    });
  } catch (error) {
    if (error instanceof GitError && /dumb http transport/.test(error.stderr)) throw dumb(error);
    throw error;
  }
}

function dumb({ exitCode, stderr }: GitError): GitError {
  const message = "the server supports only git's dumb HTTP protocol; the smart protocol is required";
  return new GitError(message, { retryable: false, exitCode, stderr });
}

/** Returns HEAD's branch if it exists, else the first branch, else undefined. */
export async function defaultBranchOf(path: string): Promise<string | undefined> {
  const head = await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], { gitDir: path, okExitCodes: [0, 1] });
  const named = head.stdout.trim();
  const branches = await listBranches(path);
  return branches.some((branch) => branch.name === named)
    ? named
    : (branches[0]?.name ?? (named === '' ? undefined : named));
}

/** Points HEAD to a branch, which a clone then checks out by default. */
export async function setDefaultBranch(path: string, branch: string): Promise<void> {
  await git(['symbolic-ref', 'HEAD', `refs/heads/${requireBranchName(branch)}`], { gitDir: path });
}

/** Lists all branches by name. */
export async function listBranches(path: string): Promise<Branch[]> {
  const refs = await listRefs(path, 'refs/heads/');
  return [...refs].map(([ref, sha]) => ({ name: ref.slice('refs/heads/'.length), sha }));
}

/** Lists the refs below `prefix`, e.g. `refs/heads/`, with their object ids. */
export async function listRefs(path: string, prefix: string): Promise<Map<string, string>> {
  const { stdout } = await git(['for-each-ref', '--format=%(objectname) %(refname)', '--end-of-options', prefix], {
    gitDir: path,
  });
  const lines = stdout.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line): [string, string] => [line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' '))]),
  );
}

/**
 * Returns the commit of a branch, a tag or a (possibly abbreviated) commit id, in this order, or of a full ref (`refs/…`).
 * Undefined if it does not exist. Does not resolve expressions (`main~1`, `@{-1}`, options).
 */
export async function resolveRef(path: string, ref: string): Promise<string | undefined> {
  const read = ref.startsWith('refs/') ? undefined : await readBranch(path, ref);
  if (read !== undefined) return read;
  const names: string[] = [];
  if (isBranchName(ref)) names.push(...(ref.startsWith('refs/') ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`]));
  if (/^[0-9a-f]{4,40}$/i.test(ref)) names.push(ref.toLowerCase());
  if (names.length === 0) return undefined;
  const { stdout } = await git(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    gitDir: path,
    input: names.map((name) => `${name}^{commit}\n`).join(''),
  });
  for (const line of stdout.split('\n')) {
    const [sha = '', type] = line.split(' ');
    if (type === 'commit' && isObjectId(sha)) return sha;
  }
  return undefined;
}

/**
 * Returns the commit at the tip of a branch; undefined if there is none. Reads the files itself, which only git on this host
 * writes, to save a process.
 */
export async function readBranch(path: string, branch: string): Promise<string | undefined> {
  if (!isBranchName(branch)) return undefined;
  const loose = (await readFile(join(path, 'refs/heads', branch), 'utf8').catch(() => '')).trim();
  if (isObjectId(loose)) return loose;
  const refs = await readFile(join(path, 'packed-refs')).catch(() => Buffer.alloc(0));
  const found = refs.indexOf(` refs/heads/${branch}\n`);
  const commit = found < 0 ? '' : refs.toString('latin1', found - 40, found);
  return isObjectId(commit) ? commit : undefined;
}

/** Returns a commit's metadata; undefined when the repository does not contain it. */
export async function commitInfo(path: string, sha: string): Promise<CommitInfo | undefined> {
  const format = '%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%s%x00%B';
  const { exitCode, stdout } = await git(
    ['log', '-1', '-z', `--format=${format}`, '--end-of-options', requireObjectId(sha)],
    {
      gitDir: path,
      okExitCodes: [0, 128],
    },
  );
  if (exitCode !== 0) return undefined;
  const [
    id = '',
    tree = '',
    parents = '',
    name = '',
    email = '',
    at = '',
    byName = '',
    byEmail = '',
    byAt = '',
    subject = '',
    message = '',
  ] = stdout.split('\0');
  return {
    sha: id,
    tree,
    parents: parents.split(' ').filter((parent) => parent !== ''),
    author: { name, email, date: new Date(Number(at) * 1000) },
    committer: { name: byName, email: byEmail, date: new Date(Number(byAt) * 1000) },
    subject,
    message: message.trimEnd(),
  };
}

/**
 * Deletes a branch; with `expectedSha` only if it points there. Returns true if this call deleted it.
 */
export async function deleteBranch(path: string, branch: string, expectedSha?: string): Promise<boolean> {
  const ref = `refs/heads/${requireBranchName(branch)}`;
  const before = await resolveRef(path, ref);
  if (before === undefined || (expectedSha !== undefined && expectedSha !== before)) return false;
  await git(['update-ref', '-d', ref, before], { gitDir: path });
  return true;
}

/** Returns the best common ancestor; undefined for unrelated histories. */
export async function mergeBase(path: string, one: string, other: string): Promise<string | undefined> {
  const { stdout } = await git(['merge-base', requireObjectId(one), requireObjectId(other)], {
    gitDir: path,
    okExitCodes: [0, 1],
  });
  const sha = stdout.trim();
  return isObjectId(sha) ? sha : undefined;
}

/** Returns true if `ancestor` is reachable from `commit`. */
export async function isAncestor(path: string, ancestor: string, commit: string): Promise<boolean> {
  const args = ['merge-base', '--is-ancestor', requireObjectId(ancestor), requireObjectId(commit)];
  return (await git(args, { gitDir: path, okExitCodes: [0, 1] })).exitCode === 0;
}
