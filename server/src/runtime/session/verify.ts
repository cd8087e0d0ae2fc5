import type { Evidence } from '../../features/repositories/change-request-schemas.ts';
import type { Attempt } from './attempt.ts';
import { runInCleanRoom, type CommitOf } from './clean-room.ts';
import { outcomeOf, type Verification } from './decide.ts';
import type { Proof } from './reproduce.ts';
import type { Room } from './sandboxes.ts';
import type { Workplace } from './workplace.ts';

export interface Verified {
  outcome: Exclude<Verification, ''>;
  evidence: Evidence | undefined;
}

/** The phase verify: the same check, in a clean sandbox at exactly the commits that are to be delivered. */
export async function verify(
  attempt: Attempt,
  workplace: Workplace,
  { proof, commitOf, prepared }: { proof: Proof; commitOf: CommitOf; prepared: Promise<Room> | undefined },
): Promise<Verified> {
  const { check } = proof;
  if (check === undefined) {
    const summary = 'There is no check: neither the session, its agent nor the repository names one.';
    attempt.endPhase('verify', { status: 'skipped', summary });
    return { outcome: 'no_check', evidence: undefined };
  }
  attempt.beginPhase('verify');
  const evidence = await runInCleanRoom(attempt, workplace, {
    phase: 'verify',
    check,
    commitOf,
    prepared,
  });
  const outcome = outcomeOf(proof.result, evidence.exit_code === 0 ? 'passed' : 'failed');
  attempt.endPhase('verify', {
    status: outcome === 'failed' ? 'failed' : 'passed',
    summary: summaries[outcome],
    evidence: [evidence],
  });
  return { outcome, evidence };
}

const summaries: Record<Verified['outcome'], string> = {
  fixed: 'The check failed on the base commit and passes now.',
  not_reproduced: 'The check passes, as it did on the base commit: it proves nothing about the change.',
  no_check: 'There is no check.',
  failed: 'The check fails on the commit that was to be delivered.',
};
