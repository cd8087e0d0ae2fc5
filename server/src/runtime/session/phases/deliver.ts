import { isAncestor } from '../../../git/bare.ts';
import { push, PushRefused } from '../../../git/checkpoints.ts';
import {
  deliverChangeRequest,
  holdAutoMerge,
  recordPush,
  sessionAddress,
  updateDelivered,
  type Delivery,
} from '../../../features/sessions/run/delivery-service.ts';
import { messageOf, ProviderError } from '../../../lib/errors.ts';
import { GuardrailBlocked } from '../../../features/guardrails/public.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { recordFound } from '../attempt/guardrails.ts';
import type { RepositoryChange } from '../checkpoints/repository-change.ts';
import { RunFailed } from '../attempt/control.ts';
import { titleOf } from '../checkpoints/commit-message.ts';
import { changeRequestBody, type Report } from './report.ts';
import type { Proof } from './reproduce.ts';
import { sensitiveFiles } from '../../../git/sensitive-files.ts';
import type { Verified } from './verify.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

export interface Delivered {
  proof: Proof;
  verified: Verified;
  /** The agent's summary of its work. */
  summary: string;
  changes: readonly RepositoryChange[];
}

/**
 * The phase deliver: pushes exactly the verified commits, and opens or updates the change requests. May run again after a
 * crash at any point: it pushes a commit once, and a branch has one open change request. Returns what to add to the session's
 * error; `''` for nothing.
 */
export async function deliver(attempt: Attempt, checkoutSet: CheckoutSet, input: Delivered): Promise<string> {
  const { deliver: how } = attempt.session;
  if (how === 'none') {
    attempt.progress.endPhase('deliver', { status: 'skipped', summary: 'Skipped: the session has `deliver: none`.' });
    return '';
  }
  if (input.verified.outcome === 'failed') return deliverFailed(attempt, checkoutSet, input);
  attempt.progress.beginPhase('deliver');
  const done: string[] = [];
  for (const change of input.changes) {
    const delivery = await toDelivery(attempt, change, input);
    await pushWork(attempt, checkoutSet, change, delivery.body);
    if (how === 'branch') done.push(`pushed ${change.checkout.branch}`);
    else done.push(await openChangeRequest(attempt, delivery));
    change.isHalfDelivered = false;
  }
  attempt.progress.endPhase('deliver', { status: 'passed', summary: `${capitalize(done.join(', '))}.` });
  return '';
}

/** Saves work whose check fails. An open change request of the session's own then says so. */
async function deliverFailed(attempt: Attempt, checkoutSet: CheckoutSet, input: Delivered): Promise<string> {
  const bodyOf = async (change: RepositoryChange) => (await toDelivery(attempt, change, input)).body;
  const saved = await saveBranches(attempt, checkoutSet, input.changes, bodyOf);
  const told: number[] = [];
  for (const change of attempt.session.deliver === 'branch' ? [] : saved.pushed) {
    const updated = await updateDelivered(attempt.ctx, attempt.run, await toDelivery(attempt, change, input));
    if (updated !== undefined) told.push(updated.number);
  }
  const said =
    told.length === 0
      ? 'No change request was opened, because the check fails.'
      : `${told.map((number) => `#${number}`).join(', ')} now says that the check fails.`;
  endSaved(attempt, saved, saved.pushed.length === 0 ? 'The check fails.' : said);
  return saved.kept;
}

/** Pushes the work of a failing session, so that it is not lost, without a change request. `why` goes into the summary. */
export async function deliverBranches(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events' | 'progress'>,
  checkoutSet: CheckoutSet,
  changes: readonly RepositoryChange[],
  why: string,
): Promise<void> {
  if (changes.length === 0 || attempt.session.deliver === 'none') {
    attempt.progress.endPhase('deliver', { status: 'skipped', summary: `Nothing delivered: ${why}` });
    return;
  }
  const saved = await saveBranches(attempt, checkoutSet, changes);
  endSaved(attempt, saved, saved.pushed.length === 0 ? why : `No change request: ${why}`);
}

interface Saved {
  pushed: readonly RepositoryChange[];
  /** A sentence about change requests that the session continues; `''` without one. */
  kept: string;
}

/**
 * Pushes work that nobody should merge to the session's own branches. A branch that the session continues is not its own, so
 * it stays as it is: the session has the work, in its checkpoints.
 */
async function saveBranches(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events' | 'progress'>,
  checkoutSet: CheckoutSet,
  changes: readonly RepositoryChange[],
  bodyOf?: (change: RepositoryChange) => Promise<string>,
): Promise<Saved> {
  attempt.progress.beginPhase('deliver');
  const pushed: RepositoryChange[] = [];
  const kept: string[] = [];
  for (const change of changes) {
    const { index, repo } = change.checkout;
    const continued = attempt.progress.repositories[index]?.change_request;
    if (continued !== undefined) {
      await holdBack(attempt, change);
      kept.push(`#${continued} of ${repo}`);
    } else {
      await pushWork(attempt, checkoutSet, change, await bodyOf?.(change));
      pushed.push(change);
    }
    change.isHalfDelivered = false;
  }
  return {
    pushed,
    kept: kept.length === 0 ? '' : `Nothing was pushed to change request ${kept.join(', ')}: the session has the work.`,
  };
}

function endSaved({ progress }: Pick<Attempt, 'progress'>, { pushed, kept }: Saved, why: string): void {
  const branches = pushed.map(({ checkout }) => checkout.branch).join(', ');
  const done = branches === '' ? '' : `Pushed ${branches}.`;
  const summary = [done, why, kept].filter((part) => part !== '').join(' ');
  progress.endPhase('deliver', { status: branches === '' ? 'skipped' : 'passed', summary });
}

/** Pushes a change once. `body` describes a change request for it that someone opens later. */
async function pushWork(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events' | 'progress'>,
  { endpoint }: CheckoutSet,
  change: RepositoryChange,
  body: string | undefined,
): Promise<void> {
  const { checkout, commit } = change;
  const { provider, repo, branch, index } = checkout;
  const stored = attempt.progress.repositories[index];
  if (stored === undefined) throw new Error(`The session has no repository ${index}.`);
  // An earlier attempt may have pushed it.
  if (stored.delivered_commit === commit) return;
  await holdBack(attempt, change);
  const known = stored.delivered_commit;
  const isContinued = stored.change_request !== undefined && known !== undefined;
  if (isContinued && !(await isAncestor(checkout.checkpointsPath, known, commit)))
    throw new RunFailed('agent_error', conflictMessage(repo, branch), { code: 'branch_conflict' });
  endpoint.setPush({ provider, repo }, { branch, commit });
  const remote = endpoint.hostRemote({ provider, repo });
  const { signal } = attempt.control;
  // The push never replaces commits of others on the session's branch.
  const pushOver = (expectedOld: string | null): Promise<void> =>
    push({ gitDir: checkout.checkpointsPath, commit, branch, remote, expectedOld, signal });
  try {
    await pushOver(known ?? null).catch((error: unknown) => {
      if (known === undefined || !(error instanceof PushRefused)) throw error;
      // The branch may have been deleted when its change request ended.
      return pushOver(null);
    });
  } catch (error) {
    attempt.control.signal.throwIfAborted();
    if (error instanceof PushRefused)
      throw new RunFailed('agent_error', conflictMessage(repo, branch), { code: 'branch_conflict' });
    if (!(error instanceof ProviderError) || error.retryable) throw error;
    throw new RunFailed('agent_error', `Failed to push the branch ${branch} to ${repo}: ${messageOf(error)}`, {
      code: 'push_failed',
    });
  } finally {
    endpoint.setPush({ provider, repo }, undefined);
  }
  const { start: _used, ...kept } = stored;
  const repositories = attempt.progress.repositories.map((other) =>
    other === stored ? { ...kept, delivered_commit: commit } : other,
  );
  await attempt.events.flush();
  const delivered = { repositories, repositoryId: stored.repository_id, body };
  await recordPush(attempt.ctx, attempt.run, delivered, { provider, repo, branch, commit });
  attempt.progress.repositoriesRecorded(repositories);
  change.parent = { commit, tree: change.tree };
}

/** Keeps the git host from merging what the branch has so far, which the session was asked to change. */
async function holdBack({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, { checkout }: RepositoryChange): Promise<void> {
  const { repositoryId, repo, branch } = checkout;
  try {
    await holdAutoMerge(ctx, run, { repositoryId, branch });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.retryable) throw error;
    throw new RunFailed(
      'agent_error',
      `Nothing was pushed to ${branch} of ${repo}: its automatic merge could not be turned off. ${messageOf(error)}`,
      { code: 'push_failed' },
    );
  }
}

function conflictMessage(repo: string, branch: string): string {
  return `The branch ${branch} of ${repo} has commits of somebody else, which this session does not replace. Move or delete the branch, then resume the session.`;
}

async function openChangeRequest(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'settings' | 'request' | 'secrets' | 'progress'>,
  delivery: Delivery,
): Promise<string> {
  const opened = await openAllowed(attempt, delivery);
  return `${opened.created ? 'opened' : 'updated'} change request #${opened.number} of ${delivery.repo}`;
}

async function toDelivery(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'settings' | 'request' | 'secrets' | 'progress'>,
  change: RepositoryChange,
  input: Delivered,
): Promise<Delivery> {
  const { session, request, secrets, progress } = attempt;
  const { checkout, commit, diff } = change;
  const { provider, repo, repositoryId, branch, baseBranch, defaultBranch, baseCommit } = checkout;
  const evidence = [input.proof.evidence, input.verified.evidence].filter((item) => item !== undefined);
  return {
    provider,
    repo,
    repositoryId,
    headRef: branch,
    headSha: commit,
    baseRef: baseBranch === '' ? defaultBranch : baseBranch,
    baseSha: baseCommit,
    additions: diff.additions,
    deletions: diff.deletions,
    changedFiles: diff.files.length,
    title: titleOf(request),
    body: secrets.mask.text(changeRequestBody(await createReport(attempt, change, input))),
    draft: session.deliver === 'draft',
    evidence: secrets.masked(evidence),
    author: { type: 'session', id: session.id },
    keepsContent: progress.repositories[checkout.index]?.change_request !== undefined,
  };
}

/** Opens a change request. Throws RunFailed, with a recorded violation, if too many are open. */
async function openAllowed(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'secrets' | 'progress'>,
  delivery: Delivery,
): Promise<Awaited<ReturnType<typeof deliverChangeRequest>>> {
  try {
    return await deliverChangeRequest(attempt.ctx, attempt.run, delivery);
  } catch (error) {
    if (!(error instanceof GuardrailBlocked)) throw error;
    const { finding, repository } = error;
    await recordFound(attempt, [{ repository, finding }], { isFatal: true });
    const problem = `The branch ${delivery.headRef} was pushed, but no change request was opened. ${error.message}`;
    attempt.progress.endPhase('deliver', { status: 'failed', summary: problem });
    throw new RunFailed('guardrail', problem, { code: finding.rule });
  }
}

async function createReport(
  {
    ctx,
    run,
    session,
    request,
    secrets,
    settings,
  }: Pick<Attempt, 'ctx' | 'run' | 'session' | 'settings' | 'request' | 'secrets'>,
  change: RepositoryChange,
  { proof, verified, summary }: Delivered,
): Promise<Report> {
  return {
    sessionId: session.id,
    sessionUrl: await sessionAddress(ctx, run),
    prompt: request.prompt,
    summary: secrets.mask.text(summary),
    outcome: verified.outcome,
    check: proof.check,
    addedFiles: proof.addedFiles,
    before: proof.evidence,
    after: verified.evidence,
    baseCommit: change.checkout.baseCommit,
    headCommit: change.commit,
    sensitive: await sensitiveFiles(change.diff),
    leftOut: change.leftOut,
    labels: settings.source_control.labels,
    reviewers: settings.source_control.reviewers,
  };
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
