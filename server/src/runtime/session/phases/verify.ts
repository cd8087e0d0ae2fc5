import type { Evidence } from '../../../features/repositories/change-request-schemas.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { CommitOf } from '../workspace/prewarmed-sandbox.ts';
import { runInCleanSandbox } from './run-check.ts';
import { judgeChange, toCheckResult, type Verification } from '../checks/outcome.ts';
import { couldNotRunText } from './report.ts';
import type { Proof } from './reproduce.ts';
import type { SessionSandbox } from '../workspace/sandboxes.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

export interface Verified {
  outcome: Exclude<Verification, ''>;
  evidence: Evidence | undefined;
}

/** The phase verify: runs the same check in a clean sandbox, at exactly the commits to deliver. */
export async function verify(
  attempt: Attempt,
  checkoutSet: CheckoutSet,
  { proof, commitOf, prepared }: { proof: Proof; commitOf: CommitOf; prepared: Promise<SessionSandbox> | undefined },
): Promise<Verified> {
  const { check } = proof;
  if (check === undefined) {
    const summary = 'No check: neither the session, its agent nor the repository defines one.';
    attempt.progress.endPhase('verify', { status: 'skipped', summary });
    return { outcome: 'no_check', evidence: undefined };
  }
  attempt.progress.beginPhase('verify');
  const evidence = await runInCleanSandbox(attempt, checkoutSet, {
    phase: 'verify',
    check,
    commitOf,
    prepared,
  });
  const outcome = judgeChange(proof.result, toCheckResult(evidence));
  const isOpen = outcome === 'failed' || outcome === 'could_not_run';
  attempt.progress.endPhase('verify', {
    status: isOpen ? outcome : 'passed',
    summary: summaryOf(outcome, evidence, proof),
    evidence: [evidence],
  });
  if (outcome === 'could_not_run') attempt.events.warn('not_verified', couldNotRunText(evidence, 'both'));
  return { outcome, evidence };
}

function summaryOf(
  outcome: Verified['outcome'],
  { problem, exit_code }: Evidence,
  { evidence: before }: Proof,
): string {
  switch (outcome) {
    case 'fixed':
      return 'The check failed on the base commit and passes now.';
    case 'not_reproduced':
      return before?.problem === undefined
        ? 'The check passes, as on the base commit, so it proves nothing about the change.'
        : `The check passes, but could not run on the base commit, so it proves nothing about the change. ${before.problem}`;
    case 'no_check':
      return 'There is no check.';
    case 'could_not_run':
      return `Not verified: the check could run neither on the new commit nor on the base commit. ${problem ?? ''}`;
    case 'failed':
      return problem === undefined
        ? `The check fails on the new commit (exit code ${exit_code ?? 'none'}).`
        : `The check ran on the base commit but cannot run on the new commit: ${problem}`;
  }
}
