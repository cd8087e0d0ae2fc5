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

/** Paths of a repository in a sandbox: work tree, git directory, and the mirror whose objects they borrow. */
export function sandboxPaths(
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

/** Checks out a repository at the base commit or a commit of the session. */
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
    ...sandboxPaths(sessionSandbox, checkout),
    mirrorPath: await provideCommit(attempt, sessionSandbox, checkout, commit),
    baseCommit: commit,
    baseBranch: atBase ? baseBranch : '',
    branch,
    remoteUrl: remoteUrlIn(sessionSandbox, checkout),
    author: attempt.settings.source_control.commit_author,
  });
  await runScript(sessionSandbox, script, {
    problem: `Failed to check out ${repo}`,
    signal: attempt.control.signal,
  });
}

/** Path of the sandbox's own mirror, where it cannot mount the host's. */
function ownMirror({ home }: Sandbox, { index }: Checkout): string {
  return `${home}/.guildhall/mirror-${index}.git`;
}

function remoteUrlIn({ sandbox }: SessionSandbox, { provider, repo }: Checkout): string {
  return repo === '' ? '' : `${sandbox.gatewayUrl}${gitPath({ provider, repo })}`;
}

/**
 * Makes a commit available in a sandbox, and returns the path of the repository with it. Without mounts, the sandbox clones
 * through the gateway, and gets the session's own commits as a bundle.
 */
async function provideCommit(
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
  const problem = `Failed to fetch ${repo} through the gateway`;
  await runScript(sessionSandbox, script, { problem, signal: attempt.control.signal });
  return path;
}

/** Removes the sandbox's own mirrors before it is saved as a layer: they may contain commits that upstream removes later. */
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
  if (exitCode !== 0) throw new ProviderError('failed to remove the mirrors of a sandbox', { retryable: true });
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
