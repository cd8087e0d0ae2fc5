import { resolveRef } from '../../../git/bare.ts';
import { requireBranchName, zeroId } from '../../../git/names.ts';
import { git } from '../../../git/native.ts';
import { keepLost } from './lost-commits.ts';

/** Deletes a branch, whose commits are kept for a while. Returns its last commit; undefined if there was no such branch. */
export async function deleteBranch(path: string, branch: string, now: Date): Promise<string | undefined> {
  const ref = `refs/heads/${requireBranchName(branch)}`;
  const old = await resolveRef(path, ref);
  if (old === undefined) return undefined;
  // Before the ref goes, so that a crash loses nothing.
  await keepLost(path, [{ ref, old, new: zeroId }], now);
  await git(['update-ref', '-d', ref, old], { gitDir: path });
  return old;
}
