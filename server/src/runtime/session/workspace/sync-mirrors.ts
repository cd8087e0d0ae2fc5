import { mergeBase, readBranch, resolveRef } from '../../../git/bare.ts';
import { openCheckpoints } from '../../../git/checkpoints.ts';
import { syncMirror, type MirrorResult } from '../../../git/mirror.ts';
import { holdMirror, newestOf } from '../../../git/mirror-generations.ts';
import { noteRepositories } from '../../../features/sessions/run/run-service.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { retry } from '../../../lib/retry.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { BuiltInHostUnavailable, RunFailed } from '../attempt/control.ts';
import { provision } from '../attempt/provisioning.ts';
import type { Checkout, CheckoutSet } from './checkout-set.ts';

const retryDelaysMs = [1_000, 3_000];

/**
 * Creates the repository of an empty workspace's commits before its first use: most such sessions have no commit. Those of
 * other workspaces exist by {@link syncRepositories}.
 */
export async function requireCheckpoints({ checkpointsPath, mirrorPath }: Checkout): Promise<void> {
  if (mirrorPath === '') await openCheckpoints(checkpointsPath, {});
}

/** Updates the mirrors and sets the base commits. `moved` is true if a mirror's path changed, which running sandboxes do not see. */
export async function syncRepositories(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events' | 'progress' | 'resources'>,
  checkoutSet: CheckoutSet,
): Promise<{ moved: boolean }> {
  const moved = await Promise.all(
    checkoutSet.checkouts.map(async (checkout) => {
      const isMoved = await syncRepository(attempt, checkoutSet, checkout);
      const { checkpointsPath, mirrorPath } = checkout;
      if (mirrorPath !== '') await openCheckpoints(checkpointsPath, { mirrorPath });
      return isMoved;
    }),
  );
  const repositories = attempt.progress.repositories.map((stored, index) => {
    const { baseCommit = '', branch = '', continuedHead: head = '' } = checkoutSet.checkouts[index] ?? {};
    const begun = head === '' ? {} : { delivered_commit: head, start: { commit: head, merge: '', seq: 0 } };
    return { ...stored, ...begun, base_commit: baseCommit, branch };
  });
  if (JSON.stringify(repositories) !== JSON.stringify(attempt.progress.repositories)) {
    await noteRepositories(attempt.ctx, attempt.run, repositories);
    attempt.progress.repositoriesRecorded(repositories);
  }
  for (const checkout of checkoutSet.checkouts) checkout.continuedHead = '';
  return { moved: moved.includes(true) };
}

async function syncRepository(
  attempt: Pick<Attempt, 'ctx' | 'control' | 'events' | 'progress' | 'resources'>,
  checkoutSet: CheckoutSet,
  checkout: Checkout,
): Promise<boolean> {
  if (checkout.mirror === '') return false;
  const ref = attempt.progress.repositories[checkout.index]?.base_ref || checkout.defaultBranch;
  const before = checkout.mirrorPath;
  const { commit: head = '', merge = '' } = attempt.progress.repositories[checkout.index]?.start ?? {};
  const wanted = [checkout.baseCommit, head, merge].filter((commit) => commit !== '');
  // A later attempt needs the first one's base commit. The mirror may have it, but its renewal may drop it concurrently.
  for (let rounds = checkout.baseCommit === '' ? 1 : 2; rounds > 0 && !(await hasAll(checkout, wanted)); rounds -= 1) {
    await sync(attempt, checkoutSet, checkout, wanted);
    await retainMirror(attempt, checkout);
  }
  const tip = await readBranch(checkout.mirrorPath, ref);
  checkout.baseBranch = tip === undefined ? '' : ref;
  if (checkout.baseCommit === '') {
    const commit = tip ?? (await resolveRef(checkout.mirrorPath, ref));
    if (commit === undefined)
      throw new RunFailed(
        'clone_failed',
        `The repository ${checkout.repo} has no branch, tag or commit ${JSON.stringify(ref)}.`,
      );
    checkout.baseCommit = await beginContinued(attempt, checkout, commit);
  }
  return checkout.mirrorPath !== before;
}

/**
 * Returns the commit that the session's work is compared with: the tip of the base, or for a change request where its branch
 * left it. The head of that branch becomes what the first turn begins on.
 */
async function beginContinued(
  { progress }: Pick<Attempt, 'progress'>,
  checkout: Checkout,
  tip: string,
): Promise<string> {
  const { mirrorPath, branch, repo } = checkout;
  const number = progress.repositories[checkout.index]?.change_request;
  if (number === undefined) return tip;
  const head = await readBranch(mirrorPath, branch);
  if (head === undefined)
    throw new RunFailed('clone_failed', `The branch ${branch} of change request ${number} of ${repo} is gone.`);
  checkout.continuedHead = head;
  return (await mergeBase(mirrorPath, tip, head)) ?? tip;
}

/** True if the mirror has the base commit, and what the turn begins on. */
async function hasAll({ mirrorPath, baseCommit }: Checkout, wanted: readonly string[]): Promise<boolean> {
  if (mirrorPath === '' || baseCommit === '') return false;
  for (const commit of wanted) if ((await resolveRef(mirrorPath, commit)) === undefined) return false;
  return true;
}

/** Retains the mirror's newest generation until the attempt ends, as well as earlier ones, which sandboxes may have mounted. */
export async function retainMirror(attempt: Pick<Attempt, 'resources'>, checkout: Checkout): Promise<void> {
  if (checkout.mirror === '' || (await newestOf(checkout.mirror)) === checkout.mirrorPath) return;
  const held = await holdMirror(checkout.mirror);
  if (held === undefined) return;
  attempt.resources.onClose(held.release);
  checkout.mirrorPath = held.path;
}

function sync(
  attempt: Pick<Attempt, 'ctx' | 'control' | 'events'>,
  checkoutSet: CheckoutSet,
  checkout: Checkout,
  commits: readonly string[],
): Promise<MirrorResult> {
  const { repo } = checkout;
  const late = {
    detail: 'clone_failed',
    what: `The mirror of ${repo} on the worker was not updated`,
    remedy: "Check that the worker can reach the repository's host, then resume the session.",
  } as const;
  const doing = `Updating the mirror of ${repo} on the worker.`;
  return provision(attempt, { step: 'mirror', subject: repo, doing, late }, (signal) =>
    syncWithRetries(attempt, checkoutSet, { checkout, commits, signal }),
  );
}

async function syncWithRetries(
  attempt: Pick<Attempt, 'ctx'>,
  { endpoint }: CheckoutSet,
  { checkout, commits, signal }: { checkout: Checkout; commits: readonly string[]; signal: AbortSignal },
): Promise<MirrorResult> {
  const { provider, repo } = checkout;
  const { cloneMax, diskReserve } = attempt.ctx.config;
  const within = { mostBytes: cloneMax || Infinity, leaveBytes: diskReserve / 2 };
  return retry(
    () =>
      syncMirror({
        path: checkout.mirror,
        remote: endpoint.hostRemote({ provider, repo }),
        commits,
        within,
        timeoutMs: attempt.ctx.stepLimitsMs.mirror,
        signal,
      }),
    (error, failures) => {
      signal.throwIfAborted();
      const delayMs = retryDelaysMs[failures - 1];
      const unreachable = error instanceof ProviderError && error.retryable;
      if (unreachable && delayMs !== undefined) return delayMs;
      // Another worker may reach the built-in git host, so the session is retried instead of failed.
      if (unreachable && checkout.access?.exempt === true)
        throw new BuiltInHostUnavailable(
          `The worker ${attempt.ctx.config.processId} could not fetch ${repo} from ${attempt.ctx.apiUrl} (GUILDHALL_URL): ${messageOf(error)}`,
          { retryable: true, cause: error },
        );
      throw new RunFailed('clone_failed', `Failed to clone the repository ${repo}: ${messageOf(error)}`);
    },
    signal,
  );
}
