import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAncestor, listRefs } from '../../../git/bare.ts';
import { git } from '../../../git/native.ts';
import { withoutPacking } from '../../../git/packing.ts';
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
const minAgeMs = 2 * 3_600_000;
/** Marks a repository with objects that were too young to be deleted: an object is as old as its pack. */
const unpruned = 'guildhall-unpruned';
/** Packing has a limit of its own, which is shorter. */
const longestMs = 30 * 60_000;

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
 * Returns false if there were none. Objects that were packed within the last hours follow in a later call.
 */
export async function pruneLost(path: string, before: Date, keep: () => Promise<readonly string[]>): Promise<boolean> {
  const lastDay = Math.floor(before.getTime() / dayMs);
  const lost = [...(await listRefs(path, lostRefs)).keys()];
  const due = lost.filter((ref) => Number(ref.slice(lostRefs.length).split('/')[0]) < lastDay);
  const mark = join(path, unpruned);
  const isLeft = await isOld(mark);
  if (due.length === 0 && !isLeft) return false;
  await withoutPacking(path, longestMs, async (lock) => {
    const options = { gitDir: path, timeoutMs: longestMs, inherit: lock };
    if (due.length > 0) await deleteRefs(path, due, await keep());
    const isYoung = due.length > 0 && (await hasYoungPack(path));
    if (due.length > 0) await git(['repack', '-A', '-d', '-q', `--unpack-unreachable=${minAge}`], options);
    await git(['prune', `--expire=${minAge}`], options);
    if (isYoung) await writeFile(mark, '');
    else if (isLeft) await rm(mark);
  });
  return true;
}

/** Deletes the refs of lost commits that are due, after those to keep have refs of their own. */
async function deleteRefs(path: string, due: readonly string[], keep: readonly string[]): Promise<void> {
  const wanted = new Set(await present(path, keep));
  const kept = [...(await listRefs(path, keptRefs)).keys()].filter((ref) => !wanted.has(ref.slice(keptRefs.length)));
  await updateRefs(
    path,
    [...wanted].map((id) => `update ${keptRefs}${id} ${id}`),
  );
  await updateRefs(
    path,
    [...due, ...kept].map((ref) => `delete ${ref}`),
  );
}

/** True if a pack is younger than {@link minAge}: what no ref reaches any more stays, as files of that age. */
async function hasYoungPack(path: string): Promise<boolean> {
  const directory = join(path, 'objects/pack');
  const packs = (await readdir(directory)).filter((name) => name.endsWith('.pack'));
  const old = await Promise.all(packs.map((name) => isOld(join(directory, name))));
  return old.includes(false);
}

/** True for a file that was not changed for longer than {@link minAge}. */
async function isOld(file: string): Promise<boolean> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs < Date.now() - minAgeMs,
    () => false,
  );
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
