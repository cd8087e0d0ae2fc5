import type { AgentMode } from '../../../adapters/agent/port.ts';
import type { SessionRow } from '../../../features/sessions/run/run-service.ts';
import type { SandboxState, SessionStatus, StatusDetail } from '../../../features/sessions/schemas/session-schemas.ts';

/** The turn that a run works on next. */
export interface NextTurn {
  turn: number;
  round: number;
  /** False for an unfinished turn that continues. */
  isNew: boolean;
}

/** Decides whether a run starts a new turn or continues an unfinished one. */
export function turnToRun(
  { turn, round, turnEnded }: { turn: number; round: number; turnEnded: boolean },
  waiting: boolean,
): NextTurn {
  const isNew = turn === 0 || (turnEnded && waiting);
  return isNew ? { turn: turn + 1, round: round + 1, isNew } : { turn, round, isNew };
}

/** Reason for ending a turn early. */
export type StopReason = 'interrupt' | 'suspend' | 'budget' | 'storage' | 'drain';

interface StatusTriple {
  status: Extract<SessionStatus, 'waiting' | 'suspended'>;
  status_detail: StatusDetail;
  sandbox_state: SandboxState;
}

/** The agent's current mode. A session that requires plan approval proposes a plan first and builds after its approval. */
export function currentMode({ mode, options }: Pick<SessionRow, 'mode' | 'options'>, planApproved: boolean): AgentMode {
  if (options['require_plan_approval'] !== true || mode === 'ask') return mode;
  return planApproved ? 'build' : 'propose';
}

/** The session's status after a stopped turn; undefined for a drain, where another worker continues at once. */
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

/** Milliseconds of `max_minutes` that are left; undefined without a limit. */
export function remainingMs(maxMinutes: number | undefined, usedSeconds: number): number | undefined {
  return maxMinutes === undefined ? undefined : Math.max(0, maxMinutes * 60_000 - usedSeconds * 1_000);
}
