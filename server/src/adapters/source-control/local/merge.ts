import { isAncestor, resolveRef } from '../../../git/bare.ts';
import { requireBranchName, requireObjectId, zeroId } from '../../../git/names.ts';
import { mergeTree } from '../../../git/merge-tree.ts';
import { git, gitFailure } from '../../../git/native.ts';
import type { Person } from '../../../git/bare.ts';
import { Refusal } from '../port.ts';

export interface MergeInput {
  /** The change request's number; each is merged at most once. */
  number: number;
  /** The branch that receives the change. */
  baseBranch: string;
  headSha: string;
  /** If set, merges only while the branch points here. */
  expectedBaseSha?: string;
  /** `merge` creates a commit with two parents, `squash` one with the base as its only parent. */
  method: 'merge' | 'squash';
  message: string;
  author: Person;
  /** Default: the author. */
  committer?: Person;
  /** Default: git's clock. */
  date?: Date;
}

export interface MergeResult {
  /** The branch's new tip: the new commit, or the old tip if it contained the head already. */
  commit: string;
  previous: string;
}

/**
 * Merges `headSha` into a branch without a work tree; the branch moves atomically. The merge commit is recorded before the
 * branch moves, so that a repetition, also after a crash, finds the merge instead of creating another one. Throws a Refusal:
 * `merge_conflict`, `branch_missing`, or `branch_moved` if the branch is not at `expectedBaseSha`. Without `expectedBaseSha`
 * the merge is repeated if the branch moves concurrently.
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
    // A concurrent merge that recorded another commit is the one that may move the branch.
    const isMine =
      (await updateRefs(path, [`update ${record} ${commit} ${before ?? zeroId}`, `verify ${tip} ${base}`])) &&
      (await updateRefs(path, [`update ${tip} ${commit} ${base}`, `verify ${record} ${commit}`]));
    if (isMine) return { commit, previous: base };
    if (attempt >= 5) throw moved(branch);
  }
}

/** Returns the commit that {@link merge} created for a change request, while the branch contains it. */
export async function findMerge(path: string, number: number, branch: string): Promise<string | undefined> {
  const commit = await resolveRef(path, mergeRef(number));
  if (commit === undefined) return undefined;
  const tip = await resolveRef(path, `refs/heads/${requireBranchName(branch)}`);
  return tip !== undefined && (await isAncestor(path, commit, tip)) ? commit : undefined;
}

/** Ref of a change request's merge commit; hidden from clones and pushes. */
function mergeRef(number: number): string {
  return `refs/guildhall/merges/${number}`;
}

function moved(branch: string): Refusal {
  return new Refusal('branch_moved', `The branch ${JSON.stringify(branch)} moved during the merge.`);
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

/** Removes `<`, `>` and line breaks, and uses the fallback if the rest is empty, which git refuses. */
function identity(text: string, fallback: string): string {
  // oxlint-disable-next-line no-control-regex -- a NUL cannot stand in an environment variable
  const clean = text.replaceAll(/[<>\u0000-\u001f]/g, '').trim();
  return /[A-Za-z0-9\u0080-\uffff]/.test(clean) ? clean : fallback;
}

/** Updates refs atomically, each from an expected value. Returns false if one has another value or is locked. */
async function updateRefs(path: string, commands: readonly string[]): Promise<boolean> {
  const input = commands.map((line) => `${line}\n`).join('');
  const { exitCode, stderr } = await git(['update-ref', '--stdin'], { gitDir: path, input, okExitCodes: [0, 128] });
  if (exitCode === 0) return true;
  if (/cannot lock ref|reference already exists|is at [0-9a-f]+ but expected/.test(stderr)) return false;
  throw gitFailure('update-ref', exitCode, stderr);
}
