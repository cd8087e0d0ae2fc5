import type { AgentRunner } from '../../adapters/agent/port.ts';
import { finish, LeaseLost, release, type ClaimedRun, type RunEnd } from '../../features/sessions/run-service.ts';
import { beginTurn, continueTurn } from '../../features/sessions/turn-service.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import type { WorkerContext } from '../context.ts';
import { Attempt } from './attempt.ts';
import { RunFailed, type RunControl } from './control.ts';
import { remainingMs, stoppedStatus, turnToRun } from './decide.ts';
import { feedbackText } from './report.ts';
import { phaseNamed, phasesOfNewTurn } from './state.ts';
import { takeTurn, type Turn } from './turn.ts';

/** Workers in a row that a session may lose without any progress; then it is the session. */
const maxLosses = 3;
const longestTimerMs = 2 ** 31 - 1;

/**
 * Works on a claimed session until it ends, waits, or is given back. Never rejects: a run that cannot go on and cannot
 * say so either is left to its lease, which runs out and makes room for another attempt.
 */
export async function runSession(ctx: WorkerContext, run: ClaimedRun, control: RunControl): Promise<void> {
  let attempt: Attempt | undefined;
  try {
    attempt = await Attempt.open(ctx, run, control);
    await work(attempt);
  } catch (error) {
    const taken = error instanceof LeaseLost || control.lost.aborted;
    const detail = {
      session: run.id,
      fence: run.fence,
      reason: messageOf(taken ? (control.lost.reason ?? error) : error),
    };
    if (taken) ctx.log.info(detail, 'a run lost its session');
    else ctx.log.warn(detail, 'a run was given up; its session is tried again');
  } finally {
    await attempt?.close();
  }
}

async function work(attempt: Attempt): Promise<void> {
  const { ctx, run, control, session } = attempt;
  const turn: Turn = { workspace: undefined };
  const leftMs = remainingMs(session.budget.max_minutes, session.sandbox_seconds);
  const timer =
    leftMs === undefined ? undefined : setTimeout(() => control.stopTurn('budget'), Math.min(leftMs, longestTimerMs));
  try {
    for (let first = true; ; first = false) {
      const end = await endOfTurn(attempt, turn, first);
      await attempt.events.flush();
      if (end === undefined) return await release(ctx, run);
      if (await finish(ctx, run, end)) return;
    }
  } finally {
    clearTimeout(timer);
  }
}

/** Works on one turn; answers how it leaves the session, undefined when another worker is to go on with it. */
async function endOfTurn(attempt: Attempt, turn: Turn, first: boolean): Promise<RunEnd | undefined> {
  const { session } = attempt;
  try {
    if (attempt.run.losses >= maxLosses) {
      throw new RunFailed('sandbox_lost', `${attempt.run.losses} workers in a row were lost with this session.`, {
        sandboxState: 'missing',
      });
    }
    const runner = await requireRunner(attempt);
    const next = first
      ? turnToRun({ turn: attempt.turn, turnEnded: attempt.turnEnded }, attempt.waiting)
      : { turn: attempt.turn + 1, isNew: true };
    const allowed = session.budget.max_turns ?? Infinity;
    if (next.turn > allowed) return overTurns(attempt, next.turn, allowed);
    const text = await begin(attempt, next);
    return await takeTurn(attempt, turn, runner, text);
  } catch (error) {
    return endAfter(attempt, turn, error);
  }
}

async function begin(attempt: Attempt, { turn, isNew }: { turn: number; isNew: boolean }): Promise<string> {
  const { ctx, run, session } = attempt;
  if (isNew) attempt.phases = phasesOfNewTurn(attempt.phases);
  attempt.turn = turn;
  const messages = await (isNew ? beginTurn(ctx, run, turn) : continueTurn(ctx, run, turn));
  if (isNew) attempt.control.nextTurn();
  const text = messages.map(({ content }) => content).join('\n\n');
  if (text !== '') return text;
  // A turn that nobody's words began: the agent was told that its work did not pass.
  const [evidence] = phaseNamed(attempt.phases, 'verify')?.evidence ?? [];
  return turn === 1 || evidence === undefined ? session.prompt : feedbackText(evidence);
}

function overTurns(attempt: Attempt, used: number, allowed: number): RunEnd {
  attempt.events.write({ kind: 'budget', data: { limit: 'max_turns', used, allowed } });
  return {
    status: 'suspended',
    status_detail: 'budget_reached',
    sandbox_state: 'none',
    sandboxSeconds: attempt.seconds,
  };
}

async function requireRunner({ ctx, agent }: Attempt): Promise<AgentRunner> {
  const runner = ctx.agents[agent.runtime];
  if (runner !== undefined) return runner;
  const problem = (await ctx.runtimes()).find(({ runtime }) => runtime === agent.runtime)?.problem ?? '';
  throw new RunFailed('model_error', `The agent's runtime "${agent.runtime}" cannot run here. ${problem}`.trim());
}

/** How a turn that was cut short leaves the session. Rethrows what is not the session's to bear. */
async function endAfter(attempt: Attempt, { workspace }: Turn, error: unknown): Promise<RunEnd | undefined> {
  const { control, ctx, run } = attempt;
  if (control.lost.aborted || error instanceof LeaseLost) throw error;
  const stopped = control.stopped;
  // What was done so far is kept, if there still is something to take it from.
  await keepWork(workspace).catch((reason: unknown) => {
    ctx.log.warn({ session: run.id, reason: messageOf(reason) }, 'the last checkpoint of a turn failed');
  });
  if (stopped !== undefined) {
    const status = stoppedStatus(stopped);
    if (status === undefined) return undefined;
    endPhases(attempt, `The turn was stopped: ${stopped.replaceAll('_', ' ')}.`);
    return { ...status, sandboxSeconds: attempt.seconds };
  }
  if (error instanceof ProviderError && error.retryable) {
    // An outage around us: another attempt may find it over.
    attempt.warn('attempt_failed', `${error.message} The session is tried again.`);
    await attempt.events.flush();
    throw error;
  }
  const failure = failureOf(attempt, error);
  endPhases(attempt, failure.message);
  return {
    status: 'failed',
    status_detail: failure.detail,
    sandbox_state: failure.sandboxState,
    error: { code: failure.code, message: failure.message },
    sandboxSeconds: attempt.seconds,
  };
}

async function keepWork(workspace: Turn['workspace']): Promise<void> {
  await workspace?.checkpoints.take();
  await workspace?.checkpoints.settled();
}

function failureOf({ ctx, run }: Attempt, error: unknown): RunFailed {
  if (error instanceof RunFailed) return error;
  ctx.log.error({ session: run.id, err: error }, 'a run failed unexpectedly');
  const message =
    error instanceof ProviderError ? error.message : `An internal error ended the session: ${messageOf(error)}`;
  return new RunFailed('agent_error', message, { code: 'internal_error' });
}

function endPhases(attempt: Attempt, summary: string): void {
  for (const { name, status } of attempt.phases) {
    if (status === 'running') attempt.endPhase(name, { status: 'failed', summary });
  }
}
