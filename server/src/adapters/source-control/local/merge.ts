import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../../lib/errors.ts';
import { isAncestor, resolveRef } from '../../../git/bare.ts';
import { isObjectId, requireBranchName, requireObjectId } from '../../../git/names.ts';
import { git, gitFailure, GitError } from '../../../git/native.ts';
import type { Person } from '../../../git/bare.ts';

export interface MergeInput {
  /** The branch that receives the change. */
  baseBranch: string;
  headSha: string;
  /** When set, the merge only happens while the branch points here. */
  expectedBaseSha?: string;
  /** `merge` makes a commit with two parents, `squash` one with the base as its only parent. */
  method: 'merge' | 'squash';
  message: string;
  author: Person;
  /** Default: the author. */
  committer?: Person;
  /** Default: git's clock. */
  date?: Date;
}

export interface MergeResult {
  /** The branch's new tip: the new commit, or the old one when it held the head already. */
  commit: string;
  previous: string;
}

/** Whether two commits merge without conflict; writes nothing into the repository. Unrelated histories conflict. */
export async function mergeability(path: string, base: string, head: string): Promise<'clean' | 'conflict'> {
  const scratch = await mkdtemp(join(tmpdir(), 'guildhall-merge-'));
  try {
    const env = { GIT_OBJECT_DIRECTORY: scratch, GIT_ALTERNATE_OBJECT_DIRECTORIES: join(path, 'objects') };
    return 'tree' in (await mergeTree(path, requireObjectId(base), requireObjectId(head), env)) ? 'clean' : 'conflict';
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Merges `headSha` into a branch without a work tree; the branch moves atomically from the commit that was merged.
 * AppError: `merge_conflict` (details `{paths}`), `conflict` when the branch is missing or moved away from
 * `expectedBaseSha`. Without `expectedBaseSha` a branch that moves meanwhile is merged again.
 */
export async function merge(path: string, input: MergeInput): Promise<MergeResult> {
  const branch = requireBranchName(input.baseBranch);
  const head = requireObjectId(input.headSha);
  for (let attempt = 1; ; attempt += 1) {
    const base = await resolveRef(path, `refs/heads/${branch}`);
    if (base === undefined) throw new AppError('conflict', `The branch ${JSON.stringify(branch)} does not exist.`);
    if (input.expectedBaseSha !== undefined && input.expectedBaseSha !== base) throw moved(branch);
    if (await isAncestor(path, head, base)) return { commit: base, previous: base };
    const merged = await mergeTree(path, base, head);
    if (!('tree' in merged)) {
      throw new AppError('merge_conflict', `${branch} and the change touch the same lines.`, { paths: merged.paths });
    }
    const commit = await commitTree(path, merged.tree, input.method === 'merge' ? [base, head] : [base], input);
    if (await updateRef(path, `refs/heads/${branch}`, commit, base)) return { commit, previous: base };
    if (attempt >= 5) throw moved(branch);
  }
}

function moved(branch: string): AppError {
  return new AppError('conflict', `The branch ${JSON.stringify(branch)} moved while it was merged into.`);
}

async function mergeTree(
  path: string,
  base: string,
  head: string,
  env: Record<string, string> = {},
): Promise<{ tree: string } | { paths: string[] }> {
  const args = ['merge-tree', '--write-tree', '--no-messages', '--name-only', '-z', base, head];
  const { exitCode, stdout, stderr } = await git(args, {
    gitDir: path,
    env,
    okExitCodes: [0, 1, 128],
    timeoutMs: 120_000,
  });
  const [tree = '', ...paths] = stdout.split('\0');
  if (exitCode === 0 && isObjectId(tree)) return { tree };
  // It also exits with 1, and without a tree, when a commit is missing.
  if (isObjectId(tree)) return { paths: paths.filter((name) => name !== '').slice(0, 100) };
  if (stderr.includes('unrelated histories')) return { paths: [] };
  throw gitFailure('merge-tree', exitCode, stderr);
}

async function commitTree(
  path: string,
  tree: string,
  parents: readonly string[],
  input: Pick<MergeInput, 'author' | 'committer' | 'date' | 'message'>,
): Promise<string> {
  const committer = input.committer ?? input.author;
  const date = input.date === undefined ? {} : { date: `@${Math.floor(input.date.getTime() / 1000)} +0000` };
  const { stdout } = await git(['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), '-F', '-', tree], {
    gitDir: path,
    input: input.message.trim() === '' ? 'Merge\n' : `${input.message.trim()}\n`,
    env: {
      GIT_AUTHOR_NAME: identity(input.author.name, 'unknown'),
      GIT_AUTHOR_EMAIL: identity(input.author.email, 'unknown@localhost'),
      GIT_COMMITTER_NAME: identity(committer.name, 'unknown'),
      GIT_COMMITTER_EMAIL: identity(committer.email, 'unknown@localhost'),
      ...('date' in date ? { GIT_AUTHOR_DATE: date.date, GIT_COMMITTER_DATE: date.date } : {}),
    },
  });
  return stdout.trim();
}

/** Git refuses an identity that is empty once `<`, `>` and line breaks are gone. */
function identity(text: string, fallback: string): string {
  // oxlint-disable-next-line no-control-regex -- a NUL cannot stand in an environment variable
  const clean = text.replaceAll(/[<>\u0000-\u001f]/g, '').trim();
  return /[A-Za-z0-9\u0080-\uffff]/.test(clean) ? clean : fallback;
}

/** Sets a ref from an expected old value; false when it has another one by now. */
async function updateRef(path: string, ref: string, next: string, old: string): Promise<boolean> {
  try {
    await git(['update-ref', ref, next, old], { gitDir: path });
    return true;
  } catch (error) {
    if (error instanceof GitError && (await resolveRef(path, ref)) !== old) return false;
    throw error;
  }
}
