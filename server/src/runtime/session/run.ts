import type { AgentRunner } from '../../adapters/agent/port.ts';
import { isDatabaseAway } from '../../db/outage.ts';
import { runtimeProblem } from '../../features/agents/service.ts';
import { giveUpKept, wakeKept } from '../../features/sessions/run/kept-service.ts';
import { refusalOf } from '../../features/sessions/api/model-choice-service.ts';
import {
  finish,
  giveUp,
  LeaseLost,
  noteModel,
  release,
  type ClaimedRun,
  type RunEnd,
} from '../../features/sessions/run/run-service.ts';
import { endOpenEvents } from '../../features/sessions/run/takeover-service.ts';
import { beginTurn, continueTurn } from '../../features/sessions/run/turn-service.ts';
import { keyProblem } from '../../features/models/service.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import { modelId } from '../../lib/models.ts';
import type { WorkerContext } from '../context.ts';
import { messageText } from './workspace/attachments.ts';
import { Attempt } from './attempt/attempt.ts';
import { OwnHostAway, RunFailed, type RunControl } from './attempt/control.ts';
import { stoppedStatus, type NextTurn } from './attempt/decide.ts';
import { collectMemory } from './phases/collect-memory.ts';
import { limitReached, watchLimits } from './attempt/limits.ts';
import { missingOutputText } from './agent/output-collector.ts';
import { feedbackText } from './phases/report.ts';
import { OutageLasts } from './attempt/retry-policy.ts';
import { injectSecrets, wantedOutput } from './workspace/sandboxes.ts';
import { takeTurn, type Turn } from './turn.ts';
import { openNetwork } from './workspace/checkouts.ts';
import { blockedDelivery, blockedDeliveryText } from './phases/secret-gate.ts';
import { requireModel } from './agent/start-agent.ts';

/** Workers in a row that a session may lose without any progress; then it is the session. */
const maxLosses = 3;

/**
 * Works on a claimed session until it ends, waits, or is given back. Never rejects: a run that cannot go on and cannot
 * say so either is left to its lease, which runs out and makes room for another attempt.
 */
export async function runSession(ctx: WorkerContext, run: ClaimedRun, control: RunControl): Promise<void> {
  let attempt: Attempt | undefined;
  let failure: { error: unknown } | undefined;
  try {
    attempt = await Attempt.open(ctx, run, control);
    await takeOver(attempt);
    await work(attempt);
  } catch (error) {
    const taken = error instanceof LeaseLost || control.lost.aborted;
    const detail = {
      session: run.id,
      fence: run.fence,
      reason: messageOf(taken ? (control.lost.reason ?? error) : error),
    };
    if (taken) ctx.log.info(detail, 'a run lost its session');
    else {
      failure = { error };
      ctx.log.warn(detail, 'a run was given up; its session is tried again');
    }
  } finally {
    await attempt?.resources.close();
  }
  if (failure !== undefined) await giveBack(ctx, run, failure.error);
}

/** Gives back what cannot go on here. Only an outage of the database is no attempt that failed. */
async function giveBack(ctx: WorkerContext, run: ClaimedRun, error: unknown): Promise<void> {
  try {
    await (isDatabaseAway(error) ? release : giveUp)(ctx, run);
  } catch (failure) {
    ctx.log.warn({ session: run.id, reason: messageOf(failure) }, 'a session was left to its lease');
  }
}

/** What a session is told when its last run did not give it back. */
const takenOver: Partial<Record<ClaimedRun['before'], { code: string; message: string }>> = {
  gone: { code: 'worker_lost', message: 'The worker that ran this session was lost; another one took over.' },
  away: {
    code: 'database_unavailable',
    message: 'The worker that ran this session did not reach the database for too long; another attempt took over.',
  },
  failed: {
    code: 'attempt_repeated',
    message: 'The last attempt at this session came to nothing; this is the next one.',
  },
};

/** Tells of the runs that were lost before this one, and ends what they left unfinished in the log. */
async function takeOver(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events' | 'progress'>,
): Promise<void> {
  const { ctx, run, control, session, progress } = attempt;
  control.maxMinutes = session.budget.max_minutes;
  const why = takenOver[run.before];
  if (why === undefined) return;
  const from = progress.checkpoints.map(({ commit }) => commit.slice(0, 12)).join(', ');
  const where =
    from === '' ? 'It begins again: there is no checkpoint yet.' : `It goes on from the checkpoint ${from}.`;
  attempt.events.warn(why.code, `${why.message} ${where}`);
  await attempt.events.flush();
  await endOpenEvents(ctx, run, session.turn);
}

async function work(attempt: Attempt): Promise<void> {
  const { ctx, run, control } = attempt;
  const turn: Turn = { workspace: undefined, summary: '' };
  for (;;) {
    const end = await endOfTurn(attempt, turn).finally(watchLimits(attempt));
    await attempt.events.flush();
    await control.catchUp();
    await attempt.events.flush();
    if (end === undefined) return release(ctx, run);
    if (turn.workspace !== undefined) await collectMemory(attempt, turn.workspace, end, turn.summary);
    const finished = await finish(ctx, run, attempt.secrets.masked(end), { keep: mayStay(attempt, turn, end) });
    if (finished === 'given_back') return;
    if (finished === 'goes_on') {
      // It has its place still.
      const wanted = await wakeKept(ctx, run);
      attempt.continueWithMessages(wanted === 'waits' ? undefined : wanted?.session);
    } else {
      const wanted = await control.waitForWork();
      if (wanted === undefined) return giveUpKept(ctx, run);
      attempt.resume(wanted);
    }
    await attempt.refreshSettings();
    if (turn.workspace !== undefined) openNetwork(attempt, turn.workspace.checkoutSet);
  }
}

/**
 * Nobody talks to an agent that is not conversational. What follows a decision begins anew: nothing that was done while a
 * plan was made is in the sandbox in which it is carried out.
 */
function mayStay({ driver }: Pick<Attempt, 'driver'>, { workspace }: Turn, { plan }: RunEnd): boolean {
  return workspace !== undefined && driver.capabilities.conversational && plan === undefined;
}

/** Works on one turn; answers how it leaves the session, undefined when another worker is to go on with it. */
async function endOfTurn(attempt: Attempt, turn: Turn): Promise<RunEnd | undefined> {
  try {
    if (attempt.run.losses >= maxLosses) {
      throw new RunFailed(
        'sandbox_lost',
        `${attempt.run.losses} attempts in a row at this session were lost with their workers, or given up.`,
        { sandboxState: 'missing' },
      );
    }
    await attempt.refreshSecrets(turn.workspace === undefined);
    if (turn.workspace !== undefined) await injectSecrets(attempt, turn.workspace.sessionSandbox);
    const runner = await requireRunner(attempt);
    const next = attempt.progress.next();
    const reached = await limitReached(attempt, next.round);
    if (reached !== undefined) return reached;
    // A turn that a lost worker left unfinished goes on with what it has; any other that finds no sandbox begins anew.
    const equipsAnew = turn.workspace === undefined && (next.isNew || attempt.progress.turnEnded);
    const text = await begin(attempt, next, equipsAnew);
    return await takeTurn(attempt, turn, runner, text);
  } catch (error) {
    return endAfter(attempt, turn, error);
  }
}

async function begin(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'progress'>,
  next: NextTurn,
  equipsAnew: boolean,
): Promise<string> {
  const { ctx, run, session } = attempt;
  const { turn, round, isNew } = next;
  attempt.progress.beginTurn(next);
  const messages = isNew
    ? await beginTurn(ctx, run, turn, { round, equipsAnew })
    : await continueTurn(ctx, run, round, { equipsAnew });
  if (isNew) attempt.control.nextTurn();
  const text = await messageText(attempt, messages);
  if (text !== '') return text;
  if (round === 1) return session.prompt;
  // A round that nobody's words began: the agent was told that its work did not pass. While its next work is checked there
  // is no evidence, and nothing to tell it again.
  const withheld = blockedDelivery(attempt);
  if (withheld !== undefined) return blockedDeliveryText(withheld);
  const [evidence] = attempt.progress.phase('verify')?.evidence ?? [];
  if (evidence !== undefined) return feedbackText(evidence);
  return wantedOutput(attempt)?.required === true && session.structured_output === null ? missingOutputText : '';
}

/** Settles the session's model before anything is made for it. */
async function settleModel(attempt: Attempt): Promise<void> {
  const { ctx, run, session, models } = attempt;
  const { provider, name } = requireModel(attempt);
  const model = modelId({ provider, name });
  // The API has decided already, as far as it knew the model; a session that has begun keeps the one it has.
  const { created_by_type: type, created_by_id: id } = session;
  const refusal = session.turn > 0 ? '' : await refusalOf(ctx, run.orgId, models, model, { type, id });
  const problem = refusal === '' ? await keyProblem(provider) : refusal;
  if (problem !== '') throw new RunFailed('model_error', problem);
  if (session.model === model) return;
  await noteModel(ctx, run, model);
  attempt.modelChosen(model);
}

/** What runs the session's agent. Throws when that cannot run here, before anything is made for it. */
async function requireRunner(attempt: Attempt): Promise<AgentRunner> {
  const { ctx, agent, driver } = attempt;
  if (driver.capabilities.models === 'worker') await settleModel(attempt);
  const runner = ctx.agents[agent.runtime];
  if (runner !== undefined) return runner;
  const problem = await runtimeProblem(ctx, agent);
  throw new RunFailed('agent_error', problem === '' ? `This worker does not run "${agent.runtime}".` : problem);
}

/** How a turn that was cut short leaves the session. Rethrows what is not the session's to bear. */
async function endAfter(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events' | 'progress'>,
  { workspace }: Turn,
  error: unknown,
): Promise<RunEnd | undefined> {
  const { control, ctx, run } = attempt;
  if (control.lost.aborted || error instanceof LeaseLost || isDatabaseAway(error)) throw error;
  const stopped = control.stopped;
  // What was done so far is kept, if there still is something to take it from.
  await keepWork(workspace).catch((reason: unknown) => {
    ctx.log.warn({ session: run.id, reason: messageOf(reason) }, 'the last checkpoint of a turn failed');
  });
  if (stopped !== undefined) {
    const status = stoppedStatus(stopped);
    if (status === undefined) return undefined;
    attempt.progress.endOpenPhases({ status: 'stopped', summary: `The turn was stopped: ${stopped}.` });
    return { ...status, sandboxSeconds: attempt.progress.seconds };
  }
  // Whoever works it through again could not keep it either.
  const lasts = error instanceof OutageLasts;
  if (!lasts && error instanceof ProviderError && error.retryable && attempt.progress.losses + 1 < maxLosses) {
    // An outage around us: another attempt may find it over.
    attempt.events.warn('attempt_failed', `${error.message} The session is tried again.`);
    await attempt.events.flush();
    throw error;
  }
  const failure = failureOf(attempt, error);
  attempt.progress.endOpenPhases({ status: 'failed', summary: failure.message });
  return {
    status: 'failed',
    status_detail: failure.detail,
    sandbox_state: failure.sandboxState,
    error: { code: failure.code, message: failure.message },
    sandboxSeconds: attempt.progress.seconds,
  };
}

async function keepWork(workspace: Turn['workspace']): Promise<void> {
  await workspace?.checkpoints.take();
  await workspace?.checkpoints.settled();
}

function failureOf({ ctx, run }: Pick<Attempt, 'ctx' | 'run'>, error: unknown): RunFailed {
  if (error instanceof RunFailed) return error;
  if (error instanceof OutageLasts) {
    const message = `${error.message} The session waited for hours, and what it made since its last checkpoint is lost.`;
    return new RunFailed('agent_error', message, { code: 'storage_unavailable' });
  }
  if (error instanceof ProviderError && error.retryable) {
    const message = `${error.message} ${maxLosses} attempts in a row came to nothing.`;
    return error instanceof OwnHostAway
      ? new RunFailed('clone_failed', message)
      : new RunFailed('agent_error', message, { code: 'upstream_error' });
  }
  ctx.log.error({ session: run.id, err: error }, 'a run failed unexpectedly');
  const message =
    error instanceof ProviderError ? error.message : `An internal error ended the session: ${messageOf(error)}`;
  return new RunFailed('agent_error', message, { code: 'internal_error' });
}
