import type { Evidence } from '../../../features/repositories/change-request-schemas.ts';
import type { SessionRow } from '../../../features/sessions/run/run-service.ts';
import type { Phase } from '../../../features/sessions/schemas/session-schemas.ts';
import { phaseNamed } from '../../../features/sessions/store/phases.ts';
import type { Check } from './check.ts';

export type Verification = SessionRow['verification'];

/** How the check ended on a commit; `none` when there is no check. */
export type CheckResult = 'passed' | 'failed' | 'could_not_run' | 'none';

/** What the evidence of a check says. */
export function resultOf({ problem, exit_code }: Evidence): Exclude<CheckResult, 'none'> {
  if (problem !== undefined) return 'could_not_run';
  return exit_code === 0 ? 'passed' : 'failed';
}

/** What both runs of the check say about the change. Only `fixed` is verified. */
export function outcomeOf(before: CheckResult, after: CheckResult): Exclude<Verification, ''> {
  if (after === 'none') return 'no_check';
  if (after === 'failed') return 'failed';
  // Where it ran before, what was changed keeps it from running.
  if (after === 'could_not_run') return before === 'could_not_run' || before === 'none' ? 'could_not_run' : 'failed';
  return before === 'failed' ? 'fixed' : 'not_reproduced';
}

/**
 * What an earlier run of the reproduce phase proved about a check; undefined when it has to run. One with files of its own
 * always has to: the record does not tell what was in them.
 */
export function reproducedBefore(
  phases: readonly Phase[],
  { command, files }: Pick<Check, 'command' | 'files'>,
): CheckResult | undefined {
  const phase = phaseNamed(phases, 'reproduce');
  const [evidence, ...recordedFiles] = phase?.evidence ?? [];
  if (phase === undefined || phase.status === 'running' || evidence?.command !== command) return undefined;
  return files.length > 0 || recordedFiles.length > 0 ? undefined : resultOf(evidence);
}

/** Rounds of work and verification that a session gets without a budget that says more. */
const verifyRounds = 3;

export interface VerifyRound {
  outcome: Verification;
  /** Whether its agent can be told what went wrong. */
  conversational: boolean;
  /** How often this turn's work was verified, this time included. */
  rounds: number;
  /** Rounds of the session so far, and how many it may have (`budget.max_turns`). */
  round: number;
  maxTurns: number | undefined;
}

/** What follows a verification. Without a word about what went wrong a second round would do the same again. */
export function afterVerify({
  outcome,
  conversational,
  rounds,
  round,
  maxTurns,
}: VerifyRound): 'deliver' | 'feedback' | 'fail' {
  if (outcome !== 'failed') return 'deliver';
  if (!conversational) return 'fail';
  const allowed = maxTurns === undefined ? rounds < verifyRounds : round < maxTurns;
  return allowed ? 'feedback' : 'fail';
}
