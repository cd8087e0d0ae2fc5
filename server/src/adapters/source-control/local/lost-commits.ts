import { isAncestor, listRefs } from '../../../git/bare.ts';
import { git } from '../../../git/native.ts';
import { isObjectId, zeroId } from '../../../git/names.ts';
import type { PushCommand } from '../../../git/pkt-line.ts';

/** Former tips of refs that were reset or deleted: `refs/guildhall/lost/<day>/<id>`. */
const lostRefs = 'refs/guildhall/lost/';
/** Commits in database records, which stay while lost commits are removed. */
const keptRefs = 'refs/guildhall/kept/';
const dayMs = 24 * 3_600_000;
/** In a push with more changes each counts as a loss, because checking one costs a process. */
const maxChecked = 20;
/** Protects objects of a push in progress, which no ref names yet; a push ends after an hour. */
const minAge = '2.hours.ago';

/** Keeps commits that a push left without a ref, so that they can be restored for a while. */
export async function keepLost(path: string, updates: readonly PushCommand[], now: Date): Promise<void> {
  const moved = updates.filter((update) => isObjectId(update.old) && update.old !== zeroId);
  const lost: string[] = [];
  for (const { old, new: next } of moved)
    if (moved.length > maxChecked || next === zeroId || !(await isAncestor(path, old, next))) lost.push(old);
  if (lost.length === 0) return;
  const day = Math.floor(now.getTime() / dayMs);
  await updateRefs(
    path,
    [...new Set(lost)].map((id) => `update ${lostRefs}${day}/${id} ${id}`),
  );
}

/**
 * Deletes commits that refs lost before an instant, except for those that `keep` returns, which are in database records.
 * Returns false if there were none.
 */
export async function pruneLost(path: string, before: Date, keep: () => Promise<readonly string[]>): Promise<boolean> {
  const lastDay = Math.floor(before.getTime() / dayMs);
  const lost = [...(await listRefs(path, lostRefs)).keys()];
  const due = lost.filter((ref) => Number(ref.slice(lostRefs.length).split('/')[0]) < lastDay);
  if (due.length === 0) return false;
  const wanted = new Set(await present(path, await keep()));
  const kept = [...(await listRefs(path, keptRefs)).keys()].filter((ref) => !wanted.has(ref.slice(keptRefs.length)));
  await updateRefs(
    path,
    [...wanted].map((id) => `update ${keptRefs}${id} ${id}`),
  );
  const options = { gitDir: path, timeoutMs: 30 * 60_000 };
  await updateRefs(
    path,
    [...due, ...kept].map((ref) => `delete ${ref}`),
  );
  await git(['repack', '-A', '-d', '-q', `--unpack-unreachable=${minAge}`], options);
  await git(['prune', `--expire=${minAge}`], options);
  return true;
}

async function present(path: string, ids: readonly string[]): Promise<string[]> {
  const { stdout } = await git(['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    gitDir: path,
    input: ids
      .filter((id) => isObjectId(id))
      .map((id) => `${id}\n`)
      .join(''),
  });
  return stdout.split('\n').flatMap((line) => /^([0-9a-f]{40}) commit$/.exec(line)?.[1] ?? []);
}

async function updateRefs(path: string, commands: readonly string[]): Promise<void> {
  if (commands.length > 0)
    await git(['update-ref', '--stdin'], { gitDir: path, input: commands.map((line) => `${line}\n`).join('') });
}
