import type { Session } from '../../lib/api.ts';
import type { Notch, PhaseState } from '../../ui/PhaseRail.tsx';

export type Tone = 'ok' | 'wait' | 'bad' | 'run' | 'plain';

/** How a session's state is shown. Only what the platform proved is `ok`. */
export interface StateWord {
  word: string;
  tone: Tone;
}

type Stateful = Pick<Session, 'status' | 'status_detail' | 'verification'>;

const working: Record<string, string> = {
  planning: 'Planning',
  verifying: 'Verifying',
  delivering: 'Delivering',
};

const waiting: Record<string, string> = {
  awaiting_approval: 'Your approval',
  awaiting_user: 'Your answer',
};

const reasons: Record<string, string> = {
  inactivity: 'inactive',
  user_request: 'by a person',
  group_limit: 'group limit',
  capacity: 'no capacity',
  clone_failed: 'clone failed',
  sandbox_lost: 'sandbox lost',
  model_error: 'model error',
  agent_error: 'agent error',
  verify_failed: 'still broken',
  guardrail: 'guardrail',
  timeout: 'time limit',
};

const done: Record<Session['verification'], string> = {
  fixed: 'Verified',
  not_reproduced: 'Done, was not broken',
  no_check: 'Done, unchecked',
  could_not_run: 'Done, check did not run',
  failed: 'Done, check failed',
  '': 'Done',
};

/** The one table from a session's state to its word and color. */
export function stateOf({ status, status_detail: detail, verification }: Stateful): StateWord {
  switch (status) {
    case 'queued':
      return { word: detail === 'group_limit' ? 'Queued · group limit' : 'Queued', tone: 'plain' };
    case 'provisioning':
      return { word: 'Preparing', tone: 'run' };
    case 'running':
      return { word: working[detail] ?? 'Working', tone: 'run' };
    case 'waiting':
      return { word: waiting[detail] ?? 'Waiting', tone: 'wait' };
    case 'suspended':
      return detail === 'budget_reached'
        ? { word: 'Budget reached', tone: 'wait' }
        : { word: withReason('Paused', detail), tone: 'plain' };
    case 'completed':
      return { word: done[verification], tone: verification === 'fixed' ? 'ok' : 'plain' };
    case 'failed':
      return { word: withReason('Failed', detail), tone: 'bad' };
    case 'canceled':
      return { word: 'Canceled', tone: 'plain' };
  }
}

function withReason(word: string, detail: string): string {
  const reason = reasons[detail];
  return reason === undefined ? word : `${word} · ${reason}`;
}

const phaseNames = ['reproduce', 'implement', 'verify', 'deliver'] as const;

const phaseStates: Record<Session['phases'][number]['status'], PhaseState> = {
  running: 'running',
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  could_not_run: 'skipped',
  not_reproduced: 'skipped',
  stopped: 'skipped',
};

/** Returns the four notches of a session's rail. */
export function notchesOf({ phases }: Pick<Session, 'phases'>): Notch[] {
  return phaseNames.map((name) => {
    const phase = phases.find((one) => one.name === name);
    return { name, state: phase === undefined ? 'pending' : phaseStates[phase.status] };
  });
}
