import { isAncestor } from '../../../git/bare.ts';
import { push, PushRefused } from '../../../git/checkpoints.ts';
import {
  deliverChangeRequest,
  recordPush,
  sessionAddress,
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
 * crash at any point: it pushes a commit once, and a branch has one open change request.
 */
export async function deliver(attempt: Attempt, checkoutSet: CheckoutSet, input: Delivered): Promise<void> {
  const { deliver: how } = attempt.session;
  if (how === 'none') {
    attempt.progress.endPhase('deliver', { status: 'skipped', summary: 'Skipped: the session has `deliver: none`.' });
    return;
  }
  attempt.progress.beginPhase('deliver');
  const opens = how !== 'branch' && input.verified.outcome !== 'failed';
  const done: string[] = [];
  for (const change of input.changes) {
    await pushWork(attempt, checkoutSet, change);
    if (opens) done.push(await openChangeRequest(attempt, change, input));
    else done.push(`pushed ${change.checkout.branch}`);
    change.isHalfDelivered = false;
  }
  const why = input.verified.outcome === 'failed' ? ' No change request, because the check fails.' : '';
  attempt.progress.endPhase('deliver', { status: 'passed', summary: `${capitalize(done.join(', '))}.${why}` });
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
  attempt.progress.beginPhase('deliver');
  for (const change of changes) {
    await pushWork(attempt, checkoutSet, change);
    change.isHalfDelivered = false;
  }
  const branches = changes.map(({ checkout }) => checkout.branch).join(', ');
  attempt.progress.endPhase('deliver', { status: 'passed', summary: `Pushed ${branches}. No change request: ${why}` });
}

async function pushWork(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events' | 'progress'>,
  { endpoint }: CheckoutSet,
  change: RepositoryChange,
): Promise<void> {
  const { checkout, commit } = change;
  const { provider, repo, branch, index } = checkout;
  const stored = attempt.progress.repositories[index];
  if (stored === undefined) throw new Error(`The session has no repository ${index}.`);
  // An earlier attempt may have pushed it.
  if (stored.delivered_commit === commit) return;
  const known = stored.delivered_commit;
  const isContinued = stored.change_request !== undefined && known !== undefined;
  if (isContinued && !(await isAncestor(checkout.checkpointsPath, known, commit)))
    throw new RunFailed('agent_error', conflictMessage(repo, branch), { code: 'branch_conflict' });
  endpoint.setPush({ provider, repo }, { branch, commit });
  try {
    await push({
      gitDir: checkout.checkpointsPath,
      commit,
      branch,
      remote: endpoint.hostRemote({ provider, repo }),
      // The push never replaces commits of others on the session's branch.
      expectedOld: known ?? null,
      signal: attempt.control.signal,
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
  await recordPush(attempt.ctx, attempt.run, repositories, { provider, repo, branch, commit });
  attempt.progress.repositoriesRecorded(repositories);
  change.parent = { commit, tree: change.tree };
}

function conflictMessage(repo: string, branch: string): string {
  return `The branch ${branch} of ${repo} has commits of somebody else, which this session does not replace. Move or delete the branch, then resume the session.`;
}

async function openChangeRequest(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'settings' | 'request' | 'secrets' | 'progress'>,
  change: RepositoryChange,
  input: Delivered,
): Promise<string> {
  const { session, request, secrets, progress } = attempt;
  const { checkout, commit, diff } = change;
  const { provider, repo, repositoryId, branch, baseBranch, defaultBranch, baseCommit } = checkout;
  const evidence = [input.proof.evidence, input.verified.evidence].filter((item) => item !== undefined);
  const opened = await openAllowed(attempt, {
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
  });
  return `${opened.created ? 'opened' : 'updated'} change request #${opened.number} of ${repo}`;
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
    labels: settings.source_control.labels,
    reviewers: settings.source_control.reviewers,
  };
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
