import type { Evidence } from '../../../features/repositories/change-request-schemas.ts';
import type { SessionRow } from '../../../features/sessions/run/run-service.ts';
import type { Phase } from '../../../features/sessions/schemas/session-schemas.ts';
import { phaseNamed } from '../../../features/sessions/store/phases.ts';
import type { Check } from './check.ts';

export type Verification = SessionRow['verification'];

/** Result of the check on a commit; `none` without a check. */
export type CheckResult = 'passed' | 'failed' | 'could_not_run' | 'none';

/** Returns the result that a check's evidence shows. */
export function toCheckResult({ problem, exit_code }: Evidence): Exclude<CheckResult, 'none'> {
  if (problem !== undefined) return 'could_not_run';
  return exit_code === 0 ? 'passed' : 'failed';
}

/** Judges the change by the check's results before and after it. Only `fixed` counts as verified. */
export function judgeChange(before: CheckResult, after: CheckResult): Exclude<Verification, ''> {
  if (after === 'none') return 'no_check';
  if (after === 'failed') return 'failed';
  // If the check ran before, the change broke it.
  if (after === 'could_not_run') return before === 'could_not_run' || before === 'none' ? 'could_not_run' : 'failed';
  return before === 'failed' ? 'fixed' : 'not_reproduced';
}

/**
 * Returns the recorded result of the check on the base commit; undefined if the check has to run. One with files of its own
 * always has to, because the record lacks their content.
 */
export function recordedResult(
  phases: readonly Phase[],
  { command, files }: Pick<Check, 'command' | 'files'>,
): CheckResult | undefined {
  const phase = phaseNamed(phases, 'reproduce');
  const [evidence, ...recordedFiles] = phase?.evidence ?? [];
  if (phase === undefined || phase.status === 'running' || evidence?.command !== command) return undefined;
  return files.length > 0 || recordedFiles.length > 0 ? undefined : toCheckResult(evidence);
}

/** Default number of rounds of work and verification, without `budget.max_turns`. */
const verifyRounds = 3;

export interface VerifyRound {
  outcome: Verification;
  /** The agent can be told what went wrong. */
  conversational: boolean;
  /** Number of verifications in this turn, including this one. */
  rounds: number;
  /** Rounds of the session so far, and their limit (`budget.max_turns`). */
  round: number;
  maxTurns: number | undefined;
}

/** Decides what follows a verification. An agent without feedback would only repeat its work. */
export function nextAfterVerify({
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
