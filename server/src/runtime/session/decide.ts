import type { AgentMode } from '../../adapters/agent/port.ts';
import type { Evidence } from '../../features/repositories/change-request-schemas.ts';
import type { SessionRow } from '../../features/sessions/run/run-service.ts';
import type {
  Phase,
  SandboxState,
  SessionStatus,
  StatusDetail,
} from '../../features/sessions/schemas/session-schemas.ts';
import type { Runtime } from '../../lib/agent-config.ts';
import type { Check } from './check.ts';
import { phaseNamed } from '../../features/sessions/store/phases.ts';

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
  runtime: Runtime;
  /** How often this turn's work was verified, this time included. */
  rounds: number;
  /** Rounds of the session so far, and how many it may have (`budget.max_turns`). */
  round: number;
  maxTurns: number | undefined;
}

/** What follows a verification. A script cannot be told what went wrong, so a second round would do the same again. */
export function afterVerify({
  outcome,
  runtime,
  rounds,
  round,
  maxTurns,
}: VerifyRound): 'deliver' | 'feedback' | 'fail' {
  if (outcome !== 'failed') return 'deliver';
  if (runtime === 'script') return 'fail';
  const allowed = maxTurns === undefined ? rounds < verifyRounds : round < maxTurns;
  return allowed ? 'feedback' : 'fail';
}

/** Which turn a run works on: a new one, or the one that another run left unfinished or that is to be gone on with. */
export function turnToRun(
  { turn, round, turnEnded }: { turn: number; round: number; turnEnded: boolean },
  waiting: boolean,
): { turn: number; round: number; isNew: boolean } {
  const isNew = turn === 0 || (turnEnded && waiting);
  return isNew ? { turn: turn + 1, round: round + 1, isNew } : { turn, round, isNew };
}

/** Why a turn is to end before its work is done. */
export type StopReason = 'interrupt' | 'suspend' | 'budget' | 'storage' | 'drain';

interface StatusTriple {
  status: Extract<SessionStatus, 'waiting' | 'suspended'>;
  status_detail: StatusDetail;
  sandbox_state: SandboxState;
}

/** What a session may do now: one whose plan has to be approved proposes one first, and carries it out afterwards. */
export function modeNow({ mode, options }: Pick<SessionRow, 'mode' | 'options'>, planApproved: boolean): AgentMode {
  if (options['require_plan_approval'] !== true || mode === 'ask') return mode;
  return planApproved ? 'build' : 'propose';
}

/** How a stopped turn leaves its session; undefined at drain, where another worker goes on at once. */
export function stoppedStatus(reason: Exclude<StopReason, 'drain'>): StatusTriple;
export function stoppedStatus(reason: StopReason): StatusTriple | undefined;
export function stoppedStatus(reason: StopReason): StatusTriple | undefined {
  switch (reason) {
    case 'interrupt':
      return { status: 'waiting', status_detail: 'awaiting_user', sandbox_state: 'none' };
    case 'suspend':
      return { status: 'suspended', status_detail: 'user_request', sandbox_state: 'none' };
    case 'budget':
      return { status: 'suspended', status_detail: 'budget_reached', sandbox_state: 'none' };
    case 'storage':
      return { status: 'suspended', status_detail: 'capacity', sandbox_state: 'none' };
    case 'drain':
      return undefined;
  }
}

/** Milliseconds that `max_minutes` leaves to this run; undefined without a limit. */
export function remainingMs(maxMinutes: number | undefined, usedSeconds: number): number | undefined {
  return maxMinutes === undefined ? undefined : Math.max(0, maxMinutes * 60_000 - usedSeconds * 1_000);
}
