import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAncestor, resolveRef } from '../../../git/bare.ts';
import { isObjectId, requireBranchName, requireObjectId, zeroId } from '../../../git/names.ts';
import { git, gitFailure } from '../../../git/native.ts';
import type { Person } from '../../../git/bare.ts';
import { Refusal } from '../port.ts';

export interface MergeInput {
  /** The change request's number: it is merged at most once. */
  number: number;
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
 * Merges `headSha` into a branch without a work tree; the branch moves atomically from the commit that was merged. The
 * commit is on record before the branch moves to it, so that a repetition, after a crash too, finds the merge and makes no
 * other. Throws a Refusal: `merge_conflict`, `branch_missing`, or `branch_moved` when it moved away from `expectedBaseSha`.
 * Without `expectedBaseSha` a branch that moves meanwhile is merged again.
 */
export async function merge(path: string, input: MergeInput): Promise<MergeResult> {
  const branch = requireBranchName(input.baseBranch);
  const head = requireObjectId(input.headSha);
  for (let attempt = 1; ; attempt += 1) {
    const base = await resolveRef(path, `refs/heads/${branch}`);
    if (base === undefined) throw new Refusal('branch_missing', `The branch ${JSON.stringify(branch)} does not exist.`);
    const record = mergeRef(input.number);
    const before = await resolveRef(path, record);
    if (before !== undefined && (await isAncestor(path, before, base))) return { commit: before, previous: base };
    if (input.expectedBaseSha !== undefined && input.expectedBaseSha !== base) throw moved(branch);
    if (await isAncestor(path, head, base)) return { commit: base, previous: base };
    const merged = await mergeTree(path, base, head);
    if (!('tree' in merged)) {
      throw new Refusal('merge_conflict', `${branch} and the change touch the same lines.`, merged.paths);
    }
    const commit = await commitTree(path, merged.tree, input.method === 'merge' ? [base, head] : [base], input);
    const tip = `refs/heads/${branch}`;
    // Whoever wrote another commit down meanwhile is the one who may move the branch.
    const isMine =
      (await updateRefs(path, [`update ${record} ${commit} ${before ?? zeroId}`, `verify ${tip} ${base}`])) &&
      (await updateRefs(path, [`update ${tip} ${commit} ${base}`, `verify ${record} ${commit}`]));
    if (isMine) return { commit, previous: base };
    if (attempt >= 5) throw moved(branch);
  }
}

/** The commit that {@link merge} made for a change request, while the branch holds it. */
export async function mergedAs(path: string, number: number, branch: string): Promise<string | undefined> {
  const commit = await resolveRef(path, mergeRef(number));
  if (commit === undefined) return undefined;
  const tip = await resolveRef(path, `refs/heads/${requireBranchName(branch)}`);
  return tip !== undefined && (await isAncestor(path, commit, tip)) ? commit : undefined;
}

/** Names the commit that a change request becomes when its base branch moves there; hidden from clones and pushes. */
function mergeRef(number: number): string {
  return `refs/guildhall/merges/${number}`;
}

function moved(branch: string): Refusal {
  return new Refusal('branch_moved', `The branch ${JSON.stringify(branch)} moved while it was merged into.`);
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

/** Updates refs together, each from an expected value; false when one of them has another value by now, or is locked. */
async function updateRefs(path: string, commands: readonly string[]): Promise<boolean> {
  const input = commands.map((line) => `${line}\n`).join('');
  const { exitCode, stderr } = await git(['update-ref', '--stdin'], { gitDir: path, input, okExitCodes: [0, 128] });
  if (exitCode === 0) return true;
  if (/cannot lock ref|reference already exists|is at [0-9a-f]+ but expected/.test(stderr)) return false;
  throw gitFailure('update-ref', exitCode, stderr);
}
