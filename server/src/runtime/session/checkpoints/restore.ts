import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkpointRef, receiveBundle } from '../../../git/checkpoints.ts';
import { restoreScript } from '../../../git/sandbox-scripts.ts';
import { fetchPart, maxPartBytes, partsOf, type Part } from '../../../features/sessions/run/checkpoint-parts.ts';
import { requireCheckpoints } from '../workspace/sync-mirrors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { getSealed } from './checkpoint-blobs.ts';
import { parseAgentSnapshot, type AgentSnapshot } from './agent-snapshot.ts';
import { copyBundleIn, sandboxPaths } from '../workspace/check-out.ts';
import { runScript, type SessionSandbox } from '../workspace/sandboxes.ts';
import type { Checkout, CheckoutSet } from '../workspace/checkout-set.ts';

/** A repository's newest checkpoint, fetched to this host. */
export interface Restored {
  commit: string;
}

const maxMemoryBytes = 256 * 1024 * 1024;

/** Fetches the newest checkpoints of earlier attempts and the agent's state. */
export async function fetchCheckpoints(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
): Promise<{ restored: Map<number, Restored>; memory: AgentSnapshot | undefined }> {
  const restored = new Map<number, Restored>();
  for (const checkout of checkoutSet.checkouts) {
    const found = await fetchCheckpoint(attempt, checkout);
    if (found !== undefined) restored.set(checkout.index, found);
  }
  return { restored, memory: restored.size === 0 ? undefined : await fetchMemory(attempt) };
}

async function fetchCheckpoint(attempt: Attempt, checkout: Checkout): Promise<Restored | undefined> {
  const row = attempt.progress.checkpoints.find(({ repo }) => repo === checkout.repo);
  const start = attempt.progress.repositories[checkout.index]?.start;
  // The mirror has the branch.
  if (start !== undefined && (row === undefined || row.seq <= start.seq)) return { commit: start.commit };
  if (row === undefined) return undefined;
  for (const part of partsOf(row)) {
    if (await fetchInto(attempt, checkout, part)) continue;
    attempt.events.warn(
      'checkpoint_missing',
      `The checkpoint of ${checkout.repo} is missing from the blob store; its work starts over.`,
    );
    return undefined;
  }
  return { commit: row.commit };
}

/** Fetches one bundle of a chain into the repository on this host; false if the blob store lacks it. */
async function fetchInto(attempt: Attempt, checkout: Checkout, { blob }: Part): Promise<boolean> {
  const { run, ctx, control } = attempt;
  const file = join(attempt.resources.directory, `fetched-${checkout.index}.bundle`);
  const from = { blob, maxBytes: maxPartBytes, file };
  if (!(await attempt.blobs.use(() => fetchPart(ctx, run.orgId, from)))) return false;
  try {
    await requireCheckpoints(checkout);
    await receiveBundle(checkout.checkpointsPath, file, {
      ref: checkpointRef(0),
      maxBytes: maxPartBytes,
      signal: control.signal,
    });
    return true;
  } finally {
    await rm(file, { force: true });
  }
}

/** Reads the agent's state, which is stored with the newest checkpoint of any repository. */
async function fetchMemory(attempt: Attempt): Promise<AgentSnapshot | undefined> {
  const newest = [...attempt.progress.checkpoints].sort((a, b) => b.seq - a.seq);
  for (const { blob } of newest) {
    const memory = parseAgentSnapshot(await getSealed(attempt, `${blob}.state`, maxMemoryBytes));
    if (memory !== undefined) return memory;
  }
  return undefined;
}

/** Updates a fresh checkout of the base to a commit on this host. */
export async function restoreInto(
  attempt: Pick<Attempt, 'control' | 'resources'>,
  sessionSandbox: SessionSandbox,
  checkout: Checkout,
  commit: string,
): Promise<void> {
  if (commit === checkout.baseCommit) return;
  const { sandbox } = sessionSandbox;
  const target = `${sandbox.home}/.guildhall/restore-${checkout.index}.bundle`;
  const bundlePath = (await copyBundleIn(attempt, sandbox, { checkout, commit, target })) ? target : '';
  const { baseCommit } = checkout;
  const script = restoreScript({ ...sandboxPaths(sessionSandbox, checkout), baseCommit, commit, bundlePath });
  await runScript(sessionSandbox, `${script}\nrm -f -- '${target}'`, {
    problem: 'Failed to restore the checkpoint',
    signal: attempt.control.signal,
  });
}
