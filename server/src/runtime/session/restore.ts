import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkpointRef, createBundle, receiveBundle } from '../../adapters/git/checkpoints.ts';
import { restoreScript } from '../../adapters/git/sandbox-scripts.ts';
import type { Attempt } from './attempt.ts';
import { getSealed } from './checkpoint-blobs.ts';
import { parseMemory, type AgentMemory } from './memory.ts';
import { pathsIn, runScript, type Room } from './sandboxes.ts';
import type { Checkout, Workplace } from './workplace.ts';

/** A repository's newest checkpoint, back on this host. */
export interface Restored {
  commit: string;
}

const maxBundleBytes = 1024 ** 3;
const maxMemoryBytes = 256 * 1024 * 1024;

/** Brings the newest checkpoints of earlier attempts back to this host, with what the agent remembered. */
export async function fetchCheckpoints(
  attempt: Attempt,
  workplace: Workplace,
): Promise<{ restored: Map<number, Restored>; memory: AgentMemory | undefined }> {
  const restored = new Map<number, Restored>();
  for (const checkout of workplace.checkouts) {
    const found = await fetchCheckpoint(attempt, checkout);
    if (found !== undefined) restored.set(checkout.index, found);
  }
  return { restored, memory: restored.size === 0 ? undefined : await fetchMemory(attempt) };
}

async function fetchCheckpoint(attempt: Attempt, checkout: Checkout): Promise<Restored | undefined> {
  const row = attempt.checkpoints.find(({ repo }) => repo === checkout.repo);
  if (row === undefined) return undefined;
  if (row.size_bytes === 0) return { commit: row.commit };
  const bundle = await getSealed(attempt, row.blob, maxBundleBytes);
  if (bundle === undefined) {
    attempt.warn(
      'checkpoint_missing',
      `The checkpoint of ${checkout.repo} is not in the blob store; its work begins anew.`,
    );
    return undefined;
  }
  const commit = await receiveBundle(checkout.checkpointsPath, bundle, {
    ref: checkpointRef(0),
    signal: attempt.signal,
  });
  return { commit };
}

/** The newest row of all repositories carries what the agent remembered then. */
async function fetchMemory(attempt: Attempt): Promise<AgentMemory | undefined> {
  const newest = [...attempt.checkpoints].sort((a, b) => (a.id < b.id ? 1 : -1));
  for (const { blob } of newest) {
    const memory = parseMemory(await getSealed(attempt, `${blob}.state`, maxMemoryBytes));
    if (memory !== undefined) return memory;
  }
  return undefined;
}

/** Turns a fresh checkout of the base into the work tree of a commit that this host has. */
export async function restoreInto(attempt: Attempt, room: Room, checkout: Checkout, commit: string): Promise<void> {
  if (commit === checkout.baseCommit) return;
  const bundlePath = `${room.sandbox.home}/.guildhall/restore-${checkout.index}.bundle`;
  await room.sandbox.writeFile(bundlePath, await bundleOf(attempt, checkout, commit));
  const { mirrorPath, baseCommit } = checkout;
  const script = restoreScript({ ...pathsIn(room, checkout), mirrorPath, baseCommit, commit, bundlePath });
  await runScript(room, `${script}\nrm -f -- '${bundlePath}'`, {
    problem: 'The checkpoint could not be restored',
    signal: attempt.signal,
  });
}

/** A bundle of a commit without what the base holds; empty for the base itself. */
export async function bundleOf(attempt: Attempt, checkout: Checkout, commit: string): Promise<Buffer> {
  const { checkpointsPath, baseCommit, index } = checkout;
  if (commit === baseCommit) return Buffer.alloc(0);
  const file = join(attempt.directory, `restore-${index}.bundle`);
  const written = await createBundle(checkpointsPath, {
    commit,
    ...(baseCommit === '' ? {} : { notReachableFrom: baseCommit }),
    file,
    signal: attempt.control.lost,
  });
  if (!written) return Buffer.alloc(0);
  try {
    return await readFile(file);
  } finally {
    await rm(file, { force: true });
  }
}
