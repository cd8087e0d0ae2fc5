import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sandbox } from '../../../adapters/sandbox/port.ts';
import { gitPath } from '../../../gateway/git/route.ts';
import { createBundle } from '../../../git/checkpoints.ts';
import { mirrorScript } from '../../../git/sandbox-mirror.ts';
import { cloneScript } from '../../../git/sandbox-scripts.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { Checkout } from './checkout-set.ts';
import { gitTimeoutMs, runScript, type SessionSandbox } from './sandboxes.ts';

/** Where a repository lies in a sandbox, its private git directory, and the mirror that both borrow from. */
export function pathsIn(
  { sandbox, mounts }: SessionSandbox,
  checkout: Checkout,
): { workspace: string; gitDir: string; mirrorPath: string } {
  const { mirrorPath } = checkout;
  return {
    mirrorPath: mirrorPath === '' ? '' : (mounts?.pathInside(mirrorPath) ?? ownMirror(sandbox, checkout)),
    workspace: checkout.directory === '' ? sandbox.workspace : join(sandbox.workspace, checkout.directory),
    gitDir: `${sandbox.home}/.guildhall/git-${checkout.index}`,
  };
}

/** Checks a repository out at a commit: the base, or one that the session made. */
export async function checkOut(
  attempt: Pick<Attempt, 'control' | 'settings' | 'resources'>,
  sessionSandbox: SessionSandbox,
  checkout: Checkout,
  commit: string = checkout.baseCommit,
): Promise<void> {
  if (commit === '') return;
  const { baseCommit, baseBranch, branch, repo } = checkout;
  const atBase = commit === baseCommit;
  const script = cloneScript({
    ...pathsIn(sessionSandbox, checkout),
    mirrorPath: await bringIn(attempt, sessionSandbox, checkout, commit),
    baseCommit: commit,
    baseBranch: atBase ? baseBranch : '',
    branch,
    remoteUrl: remoteUrlIn(sessionSandbox, checkout),
    author: attempt.settings.source_control.commit_author,
  });
  await runScript(sessionSandbox, script, {
    problem: `The workspace of ${repo} could not be made`,
    signal: attempt.control.signal,
  });
}

/** The mirror that a sandbox makes for itself where it sees none of the host's. */
function ownMirror({ home }: Sandbox, { index }: Checkout): string {
  return `${home}/.guildhall/mirror-${index}.git`;
}

function remoteUrlIn({ sandbox }: SessionSandbox, { provider, repo }: Checkout): string {
  return repo === '' ? '' : `${sandbox.gatewayUrl}${gitPath({ provider, repo })}`;
}

/**
 * Brings a commit within a sandbox's reach; answers the repository inside that holds it. Without mounts that is cloned
 * through the gateway, and what upstream does not have comes as a bundle.
 */
async function bringIn(
  attempt: Pick<Attempt, 'control' | 'resources'>,
  sessionSandbox: SessionSandbox,
  checkout: Checkout,
  commit: string,
): Promise<string> {
  const { sandbox, mounts } = sessionSandbox;
  const { mirrorPath, checkpointsPath, baseCommit, index, repo } = checkout;
  if (mounts !== undefined) return mounts.pathInside(commit === baseCommit ? mirrorPath : checkpointsPath);
  const path = ownMirror(sandbox, checkout);
  const target = `${sandbox.home}/.guildhall/mirror-${index}.bundle`;
  const bundlePath = (await copyBundleIn(attempt, sandbox, { checkout, commit, target })) ? target : '';
  const script = mirrorScript({ path, remoteUrl: remoteUrlIn(sessionSandbox, checkout), baseCommit, bundlePath });
  const problem = `The sandbox could not fetch ${repo} through the gateway`;
  await runScript(sessionSandbox, script, { problem, signal: attempt.control.signal });
  return path;
}

/** Removes the mirrors that a sandbox made for itself: of what later sandboxes start from, upstream may take something back. */
export async function removeOwnMirrors(
  { control }: Pick<Attempt, 'control'>,
  sessionSandbox: SessionSandbox,
  checkouts: readonly Checkout[],
): Promise<void> {
  const { sandbox, mounts } = sessionSandbox;
  if (mounts !== undefined) return;
  const paths = checkouts.map((checkout) => ownMirror(sandbox, checkout));
  const command = ['rm', '-rf', '--', ...paths];
  const { exitCode } = await sandbox.exec({ command, timeoutMs: gitTimeoutMs, signal: control.signal });
  if (exitCode !== 0) throw new ProviderError('the mirrors of a sandbox could not be removed', { retryable: true });
}

/** Writes a bundle of a commit, without the commits of its base, into a sandbox. Returns false if there is nothing to bundle. */
export async function copyBundleIn(
  attempt: Pick<Attempt, 'control' | 'resources'>,
  sandbox: Pick<Sandbox, 'copyIn'>,
  { checkout, commit, target }: { checkout: Checkout; commit: string; target: string },
): Promise<boolean> {
  const { checkpointsPath, baseCommit } = checkout;
  if (commit === baseCommit) return false;
  const file = join(attempt.resources.directory, `${randomUUID()}.bundle`);
  try {
    const written = await createBundle(checkpointsPath, {
      commit,
      ...(baseCommit === '' ? {} : { notReachableFrom: baseCommit }),
      file,
      signal: attempt.control.lost,
    });
    if (written) await sandbox.copyIn(file, target);
    return written;
  } finally {
    await rm(file, { force: true });
  }
}
