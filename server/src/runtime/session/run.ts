import type { AgentRunner } from '../../adapters/agent/port.ts';
import { isDatabaseAway } from '../../db/outage.ts';
import { runtimeProblem } from '../../features/agents/service.ts';
import { releaseWarm, wakeWarm } from '../../features/sessions/run/warm-service.ts';
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
import { beginTurn, continueTurn, type TurnStart } from '../../features/sessions/run/turn-service.ts';
import { keyProblem } from '../../features/models/service.ts';
import { messageOf, ProviderError } from '../../lib/errors.ts';
import { modelId } from '../../lib/models.ts';
import type { WorkerContext } from '../context.ts';
import { messageText } from './workspace/attachments.ts';
import { Attempt } from './attempt/attempt.ts';
import { BuiltInHostUnavailable, RunFailed, type RunControl } from './attempt/control.ts';
import { stoppedStatus, type NextTurn } from './attempt/decide.ts';
import { collectMemory } from './phases/collect-memory.ts';
import { limitReached, watchLimits } from './attempt/limits.ts';
import { missingOutputText } from './agent/output-collector.ts';
import { feedbackText } from './phases/report.ts';
import { OutageTooLong } from './attempt/retry-policy.ts';
import { injectSecrets, newIsolation, wantedOutput } from './workspace/sandboxes.ts';
import { takeTurn, type Turn } from './turn.ts';
import { endLive, saveWork, waitWarm } from './warm.ts';
import { openNetwork } from './workspace/checkouts.ts';
import { blockedDelivery, blockedDeliveryText } from './phases/secret-gate.ts';
import { requireModel } from './agent/start-agent.ts';

/** Consecutive attempts without progress after which the session fails. After each lost worker but the first two, the next attempt waits. */
const maxLosses = 6;
/** The same for attempts that fail: they say what is wrong. */
const maxFailures = 3;

/**
 * Runs a claimed session until it ends, waits, or is requeued. Never rejects: if the database is unreachable, the lease
 * runs out and another attempt follows.
 */
export async function runSession(ctx: WorkerContext, run: ClaimedRun, control: RunControl): Promise<void> {
  let attempt: Attempt | undefined;
  let failure: { error: unknown } | undefined;
  try {
    attempt = await Attempt.open(ctx, run, control);
    await reportTakeover(attempt);
    await work(attempt);
  } catch (error) {
    const taken = error instanceof LeaseLost || control.lost.aborted;
    const detail = {
      session: run.id,
      fence: run.fence,
      reason: messageOf(taken ? (control.lost.reason ?? error) : error),
    };
    if (taken) ctx.log.info(detail, 'a run lost its lease');
    else {
      failure = { error };
      ctx.log.warn(detail, 'a run failed; its session is retried');
    }
  } finally {
    await attempt?.resources.close();
  }
  if (failure !== undefined) await requeue(ctx, run, failure.error);
}

/** Requeues a session that cannot continue here. It counts as a failed attempt, except for an outage of the database. */
async function requeue(ctx: WorkerContext, run: ClaimedRun, error: unknown): Promise<void> {
  try {
    await (isDatabaseAway(error) ? release : giveUp)(ctx, run);
  } catch (failure) {
    ctx.log.warn({ session: run.id, reason: messageOf(failure) }, 'failed to requeue a session; its lease will expire');
  }
}

/** Warnings about a previous run that did not requeue the session itself. */
const takeoverWarnings: Partial<Record<ClaimedRun['before'], { code: string; message: string }>> = {
  gone: { code: 'worker_lost', message: 'The worker that ran this session was lost; another one took over.' },
  away: {
    code: 'database_unavailable',
    message: 'The worker that ran this session lost the database for too long; another attempt took over.',
  },
  failed: {
    code: 'attempt_repeated',
    message: 'The last attempt at this session failed; this is the next one.',
  },
};

/** Reports the loss of the previous run, and ends its unfinished events in the log. */
async function reportTakeover(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events' | 'progress'>,
): Promise<void> {
  const { ctx, run, control, session, progress } = attempt;
  control.maxMinutes = session.budget.max_minutes;
  const why = takeoverWarnings[run.before];
  if (why === undefined) return;
  const from = progress.checkpoints.map(({ commit }) => commit.slice(0, 12)).join(', ');
  const where = from === '' ? 'Starting over: there is no checkpoint yet.' : `Resuming from checkpoint ${from}.`;
  const losses =
    run.losses < 2 ? '' : ` ${run.losses} attempts in a row made no progress; after ${maxLosses} the session fails.`;
  attempt.events.warn(why.code, `${why.message}${losses} ${where}`);
  await attempt.events.flush();
  await endOpenEvents(ctx, run, session.turn);
}

async function work(attempt: Attempt): Promise<void> {
  const { ctx, run, control } = attempt;
  const turn: Turn = { workspace: undefined, summary: '' };
  for (;;) {
    const end = await runTurn(attempt, turn).finally(watchLimits(attempt));
    await attempt.events.flush();
    await control.catchUp();
    await attempt.events.flush();
    if (end === undefined) {
      await endLive(attempt, turn);
      return release(ctx, run);
    }
    if (turn.workspace !== undefined) await collectMemory(attempt, turn.workspace, end, turn.summary);
    const keep = mayStayWarm(attempt, turn, end);
    if (!keep) await endLive(attempt, turn);
    const finished = await finish(ctx, run, attempt.secrets.masked(end), { keep });
    if (finished === 'given_back') return;
    if (finished === 'goes_on') {
      turn.workspace?.live.enter();
      // The session keeps its slot.
      const woken = await wakeWarm(ctx, run);
      attempt.continueWithMessages(woken === 'waits' ? undefined : woken?.session);
    } else {
      const woken = await waitWarm(attempt, turn);
      if (woken === undefined) {
        await endLive(attempt, turn);
        return releaseWarm(ctx, run);
      }
      attempt.resume(woken);
    }
    await attempt.refreshSettings();
    if (turn.workspace !== undefined) openNetwork(attempt, turn.workspace.checkoutSet);
  }
}

/**
 * A warm sandbox needs a conversational agent. A plan is carried out in a new sandbox, without leftovers of the planning.
 */
function mayStayWarm({ driver }: Pick<Attempt, 'driver'>, { workspace }: Turn, { plan, status }: RunEnd): boolean {
  const goesOn = status === 'completed' || status === 'waiting';
  return workspace !== undefined && driver.capabilities.conversational && plan === undefined && goesOn;
}

/** Runs one turn. Returns the session's status after it; undefined if another worker must continue it. */
async function runTurn(attempt: Attempt, turn: Turn): Promise<RunEnd | undefined> {
  try {
    if (attempt.run.losses >= maxLosses) {
      throw new RunFailed(
        'sandbox_lost',
        `${attempt.run.losses} consecutive attempts at this session failed or lost their worker.`,
        { sandboxState: 'missing' },
      );
    }
    await attempt.refreshSecrets(turn.workspace === undefined);
    if (turn.workspace !== undefined) await injectSecrets(attempt, turn.workspace.sessionSandbox);
    const runner = await requireRunner(attempt);
    const next = attempt.progress.next();
    const reached = await limitReached(attempt, next.round);
    if (reached !== undefined) return reached;
    // An unfinished turn of a lost worker keeps its context; any other turn in a new sandbox selects it again.
    const needsContext = turn.workspace === undefined && (next.isNew || attempt.progress.turnEnded);
    const sandbox = turn.workspace === undefined ? await newIsolation(attempt) : undefined;
    const text = await beginNextTurn(attempt, next, { needsContext, sandbox });
    return await takeTurn(attempt, turn, runner, text);
  } catch (error) {
    return endInterrupted(attempt, turn, error);
  }
}

async function beginNextTurn(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'progress'>,
  next: NextTurn,
  start: TurnStart,
): Promise<string> {
  const { ctx, run, session } = attempt;
  const { turn, round, isNew } = next;
  attempt.progress.beginTurn(next);
  const messages = isNew
    ? await beginTurn(ctx, run, turn, { round, ...start })
    : await continueTurn(ctx, run, round, start);
  if (isNew) attempt.control.nextTurn();
  const text = await messageText(attempt, messages);
  if (text !== '') return text;
  if (round === 1) return session.prompt;
  // A round without a user's message: it began with the platform's feedback, which is repeated. During verification there is
  // no evidence, and so no feedback.
  const withheld = blockedDelivery(attempt);
  if (withheld !== undefined) return blockedDeliveryText(withheld);
  const [evidence] = attempt.progress.phase('verify')?.evidence ?? [];
  if (evidence !== undefined) return feedbackText(evidence);
  return wantedOutput(attempt)?.required === true && session.structured_output === null ? missingOutputText : '';
}

/** Chooses the session's model before any resource is created. */
async function settleModel(attempt: Attempt): Promise<void> {
  const { ctx, run, session, models } = attempt;
  const { provider, name } = requireModel(attempt);
  const model = modelId({ provider, name });
  // The API has checked the model as far as it knew it; a session keeps its model after its first turn.
  const { created_by_type: type, created_by_id: id } = session;
  const refusal = session.turn > 0 ? '' : await refusalOf(ctx, run.orgId, models, model, { type, id });
  const problem = refusal === '' ? await keyProblem(provider) : refusal;
  if (problem !== '') throw new RunFailed('model_error', problem);
  if (session.model === model) return;
  await noteModel(ctx, run, model);
  attempt.modelChosen(model);
}

/** Returns the runner of the session's agent. Throws RunFailed if this worker has none. */
async function requireRunner(attempt: Attempt): Promise<AgentRunner> {
  const { ctx, agent, driver } = attempt;
  if (driver.capabilities.models === 'worker') await settleModel(attempt);
  const runner = ctx.agents[agent.runtime];
  if (runner !== undefined) return runner;
  const problem = await runtimeProblem(ctx, agent);
  throw new RunFailed(
    'agent_error',
    problem === '' ? `This worker cannot run the agent runtime "${agent.runtime}".` : problem,
  );
}

/** Returns the session's status after a failed or stopped turn. Rethrows errors that must not fail the session. */
async function endInterrupted(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'events' | 'progress'>,
  { workspace }: Turn,
  error: unknown,
): Promise<RunEnd | undefined> {
  const { control, ctx, run } = attempt;
  if (control.lost.aborted || error instanceof LeaseLost || isDatabaseAway(error)) throw error;
  const stopped = control.stopped;
  // Saves the work so far, if the sandbox still exists.
  await saveWork(workspace).catch((reason: unknown) => {
    ctx.log.warn({ session: run.id, reason: messageOf(reason) }, 'the last checkpoint of a turn failed');
  });
  if (stopped !== undefined) {
    const status = stoppedStatus(stopped);
    if (status === undefined) return undefined;
    attempt.progress.endOpenPhases({ status: 'stopped', summary: `The turn was stopped: ${stopped}.` });
    return { ...status, sandboxSeconds: attempt.progress.seconds };
  }
  // Another attempt could not store its work either.
  const lasts = error instanceof OutageTooLong;
  if (!lasts && error instanceof ProviderError && error.retryable && attempt.progress.losses + 1 < maxFailures) {
    // A temporary failure: another attempt may succeed.
    attempt.events.warn('attempt_failed', `${error.message} The session is retried.`);
    await attempt.events.flush();
    throw error;
  }
  const failure = toRunFailed(attempt, error);
  attempt.progress.endOpenPhases({ status: 'failed', summary: failure.message });
  return {
    status: 'failed',
    status_detail: failure.detail,
    sandbox_state: failure.sandboxState,
    error: { code: failure.code, message: failure.message },
    sandboxSeconds: attempt.progress.seconds,
  };
}

function toRunFailed(attempt: Pick<Attempt, 'ctx' | 'run' | 'progress'>, error: unknown): RunFailed {
  const { ctx, run } = attempt;
  const { losses } = attempt.progress;
  if (error instanceof RunFailed) return error;
  if (error instanceof OutageTooLong) {
    const message = `${error.message} The session waited for hours; its work since the last checkpoint is lost.`;
    return new RunFailed('agent_error', message, { code: 'storage_unavailable' });
  }
  if (error instanceof ProviderError && error.retryable) {
    const message = `${error.message} ${losses + 1} consecutive attempts failed or lost their worker.`;
    return error instanceof BuiltInHostUnavailable
      ? new RunFailed('clone_failed', message)
      : new RunFailed('agent_error', message, { code: 'upstream_error' });
  }
  ctx.log.error({ session: run.id, err: error }, 'a run failed unexpectedly');
  const message =
    error instanceof ProviderError ? error.message : `An internal error ended the session: ${messageOf(error)}`;
  return new RunFailed('agent_error', message, { code: 'internal_error' });
}
