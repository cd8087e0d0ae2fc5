import type { AgentRunner } from '../../adapters/agent/port.ts';
import { LeaseLost, type RunEnd } from '../../features/sessions/run/run-service.ts';
import { beginRound } from '../../features/sessions/run/turn-service.ts';
import type { StatusDetail } from '../../features/sessions/schemas/session-schemas.ts';
import { requireTransition } from '../../features/sessions/store/transitions.ts';
import { placeAttachments, messageText } from './workspace/attachments.ts';
import type { Attempt } from './attempt/attempt.ts';
import { isSameCheck } from './checks/check.ts';
import { PrewarmedSandbox, type CommitOf } from './workspace/prewarmed-sandbox.ts';
import { isChanged, mayHaveChanged, type RepositoryChange } from './checkpoints/repository-change.ts';
import { afterVerify } from './checks/outcome.ts';
import { deliver, deliverBranches } from './phases/deliver.ts';
import { implement } from './phases/implement.ts';
import { couldNotRunText, feedbackText } from './phases/report.ts';
import { proposed, proposeSteps } from './phases/propose.ts';
import { findCheck, reproduce, reproduceWithBrought, type Proof } from './phases/reproduce.ts';
import { platformMessage } from './log/message-events.ts';
import { suggestCheck } from './phases/suggest-check.ts';
import { verify, type Verified } from './phases/verify.ts';
import { blockSecrets } from './phases/secret-gate.ts';
import { openWorkspace, type Workspace } from './agent/workspace.ts';

/** What the turns of an attempt share. */
export interface Turn {
  workspace: Workspace | undefined;
  /** What the agent said last about what it did. */
  summary: string;
}

/** What is said to the agent, and what runs it. */
interface Task {
  runner: AgentRunner;
  text: string;
}

/** One turn from the messages to the delivery. Throws what cuts it short. */
export async function takeTurn(attempt: Attempt, turn: Turn, runner: AgentRunner, text: string): Promise<RunEnd> {
  // Nothing of declared work runs before it is approved, its setup included.
  if (attempt.mode === 'propose' && attempt.driver.capabilities.declaresWork) return proposeSteps(attempt);
  const workspace = await enter(attempt, turn, text);
  turn.summary = '';
  workspace.output.beginTurn();
  const take = attempt.mode === 'build' ? build : talk;
  return take(attempt, turn, workspace, { runner, text });
}

/** A turn that changes what it looks at: its work is proven and delivered. */
async function build(attempt: Attempt, turn: Turn, workspace: Workspace, { runner, text }: Task): Promise<RunEnd> {
  const { checkoutSet, checkpoints, log } = workspace;
  const { conversational } = attempt.driver.capabilities;
  const commitOf: CommitOf = ({ index, baseCommit }) => checkpoints.changes[index]?.commit ?? baseCommit;
  let proof = await reproduce(
    attempt,
    checkoutSet,
    await findCheck(attempt, checkoutSet, log.check),
    workspace.baseSandbox.take(),
  );
  let words = textWith(attempt, text, proof);
  for (let rounds = 1; ; rounds += 1) {
    const prewarmed = new PrewarmedSandbox(attempt, checkoutSet, 'verify');
    // A turn in which nobody is talked to is short: its clean sandbox is ready when it is. Any other would stand idle for long.
    if (!conversational && proof.check !== undefined) prewarmed.open();
    const onDone = (): void => {
      if (proof.check !== undefined && checkpoints.changes.some(mayHaveChanged)) prewarmed.fill(commitOf);
    };
    const { stopReason, summary } = await implement(attempt, workspace, runner, { text: words, onDone });
    turn.summary = summary;
    if (stopReason === 'awaiting_user') {
      prewarmed.discard();
      return awaitingUser(attempt);
    }
    const changes = checkpoints.changes.filter(isChanged);
    const told =
      (await blockSecrets(attempt, workspace.scanner, changes)) ?? (await outputDue(attempt, workspace, changes));
    if (told !== undefined) {
      prewarmed.discard();
      words = await takeFeedback(attempt, told);
      continue;
    }
    if (changes.length === 0) {
      prewarmed.discard();
      return nothingChanged(attempt);
    }
    working(attempt, 'verifying');
    proof = await prove(attempt, workspace, proof);
    const proven = await reproduceWithBrought(attempt, checkoutSet, proof, changes);
    const verified = await verify(attempt, checkoutSet, { proof: proven, commitOf, prepared: prewarmed.take() });
    const next = afterVerify({
      outcome: verified.outcome,
      conversational,
      rounds,
      round: attempt.progress.round,
      maxTurns: attempt.session.budget.max_turns,
    });
    if (next === 'feedback') {
      const { evidence } = verified;
      words = await takeFeedback(attempt, evidence === undefined ? '' : feedbackText(evidence));
      continue;
    }
    working(attempt, 'delivering');
    await deliver(attempt, checkoutSet, { proof: proven, verified, summary, changes });
    await suggestCheck(attempt, checkoutSet, proven, verified);
    return endOf(attempt, verified);
  }
}

/**
 * What the turn is about, with what the agent has to know of a check that proves nothing as things are. Without words there
 * is nothing to begin: only the rest of a turn that another worker began.
 */
function textWith(attempt: Pick<Attempt, 'events'>, text: string, { evidence }: Proof): string {
  if (evidence?.problem === undefined || text === '') return text;
  const told = couldNotRunText(evidence, 'base');
  for (const event of platformMessage(told)) attempt.events.write(event);
  return [text, told].join('\n\n');
}

/** The workspace of the attempt, made when the first turn enters it. */
async function enter(attempt: Attempt, turn: Turn, text: string): Promise<Workspace> {
  const { status } = attempt.session;
  if (turn.workspace === undefined) {
    if (status === 'running') show(attempt, 'work', detailOf(attempt), 'starting');
    else show(attempt, 'provision', '', 'starting');
    turn.workspace = await openWorkspace(attempt, text);
  }
  // A new turn has another chance when its sandbox is lost.
  turn.workspace.replaced = false;
  await placeAttachments(attempt, turn.workspace.sessionSandbox);
  working(attempt, detailOf(attempt));
  return turn.workspace;
}

function detailOf({ mode }: Pick<Attempt, 'mode'>): 'planning' | 'working' {
  return mode === 'plan' || mode === 'propose' ? 'planning' : 'working';
}

/** A turn that only looks: nothing is checked and nothing delivered. */
async function talk(attempt: Attempt, turn: Turn, workspace: Workspace, { runner, text }: Task): Promise<RunEnd> {
  let words = text;
  for (;;) {
    const said = { text: words, onDone: () => undefined };
    const { stopReason, summary, plan } = await implement(attempt, workspace, runner, said);
    turn.summary = summary;
    if (plan !== undefined) return proposed(attempt, plan);
    if (stopReason === 'awaiting_user') return awaitingUser(attempt);
    if (attempt.mode === 'propose') return proposed(attempt, summary);
    const due = await outputDue(attempt, workspace, []);
    if (due === undefined) break;
    words = await takeFeedback(attempt, due);
  }
  return {
    status: 'completed',
    status_detail: 'finished',
    sandbox_state: 'none',
    sandboxSeconds: attempt.progress.seconds,
  };
}

/** What the agent is to be told of the output that is due. Where it is told no more, its work is kept and this throws. */
async function outputDue(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events' | 'progress'>,
  { checkoutSet, output, sessionSandbox }: Workspace,
  changes: readonly RepositoryChange[],
): Promise<string | undefined> {
  const due = await output.settle(sessionSandbox);
  if (due?.failure === undefined) return due?.feedback;
  const summary = 'The session has no output.';
  attempt.progress.endPhase('verify', { status: 'skipped', summary });
  await deliverBranches(attempt, checkoutSet, changes, summary);
  throw due.failure;
}

function awaitingUser(attempt: Pick<Attempt, 'progress'>): RunEnd {
  return {
    status: 'waiting',
    status_detail: 'awaiting_user',
    sandbox_state: 'none',
    sandboxSeconds: attempt.progress.seconds,
  };
}

/** The proof for the check as it is now: an agent may have declared its own while it worked. */
async function prove(attempt: Attempt, { checkoutSet, log }: Workspace, proof: Proof): Promise<Proof> {
  const check = await findCheck(attempt, checkoutSet, log.check);
  return isSameCheck(check, proof.check) ? proof : reproduce(attempt, checkoutSet, check);
}

async function takeFeedback(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events' | 'secrets' | 'progress'>,
  feedback: string,
): Promise<string> {
  const { ctx, run } = attempt;
  const round = attempt.progress.round + 1;
  await attempt.events.flush();
  const told = feedback === '' ? [] : platformMessage(attempt.secrets.masked(feedback));
  const messages = await beginRound(ctx, run, round, told);
  attempt.progress.beginRound(round);
  working(attempt, 'working');
  return [feedback, await messageText(attempt, messages)].filter((part) => part !== '').join('\n\n');
}

function working(
  attempt: Pick<Attempt, 'run' | 'control' | 'session' | 'events'>,
  detail: 'working' | 'planning' | 'verifying' | 'delivering',
): void {
  if (attempt.control.lost.aborted) throw new LeaseLost(attempt.run.id);
  attempt.control.signal.throwIfAborted();
  show(attempt, 'work', detail, 'ready');
}

/** Shows what is done with the session; the database refuses what its status by now does not allow. */
function show(
  attempt: Pick<Attempt, 'session' | 'events'>,
  event: 'provision' | 'work',
  detail: StatusDetail,
  sandbox_state: 'starting' | 'ready',
): void {
  const { status } = requireTransition(attempt.session.status, event, detail);
  attempt.events.status({ status, status_detail: detail, sandbox_state });
}

function nothingChanged(attempt: Pick<Attempt, 'progress'>): RunEnd {
  const summary = 'Nothing was changed.';
  attempt.progress.endPhase('verify', { status: 'skipped', summary });
  attempt.progress.endPhase('deliver', { status: 'skipped', summary });
  return {
    status: 'completed',
    status_detail: 'finished',
    sandbox_state: 'none',
    sandboxSeconds: attempt.progress.seconds,
  };
}

function endOf(attempt: Pick<Attempt, 'progress'>, { outcome, evidence }: Verified): RunEnd {
  const common = { sandbox_state: 'none', verification: outcome, sandboxSeconds: attempt.progress.seconds } as const;
  if (outcome !== 'failed') return { ...common, status: 'completed', status_detail: 'finished' };
  const { command = '', exit_code, problem } = evidence ?? {};
  const message =
    problem === undefined
      ? `The check \`${command}\` fails on the commit that was to be delivered (exit code ${exit_code ?? 'none'}).`
      : `The check \`${command}\` could not run on the commit that was to be delivered, although it ran on the base commit: ${problem}`;
  return { ...common, status: 'failed', status_detail: 'verify_failed', error: { code: 'verify_failed', message } };
}
