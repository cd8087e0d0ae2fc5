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
import { nextAfterVerify } from './checks/outcome.ts';
import { deliver, deliverBranches } from './phases/deliver.ts';
import { implement } from './phases/implement.ts';
import { couldNotRunText, feedbackText } from './phases/report.ts';
import { endWithPlan, proposeSteps } from './phases/propose.ts';
import { findCheck, reproduce, reproduceWithAddedFiles, type Proof } from './phases/reproduce.ts';
import { platformMessage } from './log/message-events.ts';
import { suggestCheck } from './phases/suggest-check.ts';
import { verify, type Verified } from './phases/verify.ts';
import { guardPush, type ScannedBlobs } from './phases/push-guard.ts';
import { blockSecrets } from './phases/secret-gate.ts';
import { openWorkspace, type Workspace } from './agent/workspace.ts';

/** State shared by the turns of an attempt. */
export interface Turn {
  workspace: Workspace | undefined;
  /** The agent's last summary of its work. */
  summary: string;
}

/** The prompt of a turn, and the agent's runner. */
interface Task {
  runner: AgentRunner;
  text: string;
}

/** Runs one turn, from the messages to the delivery. Throws if it is stopped or fails. */
export async function takeTurn(attempt: Attempt, turn: Turn, runner: AgentRunner, text: string): Promise<RunEnd> {
  // Declared work needs approval before any of it runs, including the setup.
  if (attempt.mode === 'propose' && attempt.driver.capabilities.declaresWork) return proposeSteps(attempt);
  const workspace = await enterWorkspace(attempt, turn, text);
  turn.summary = '';
  workspace.output.beginTurn();
  const take = attempt.mode === 'build' ? runBuild : runReadOnly;
  return take(attempt, turn, workspace, { runner, text });
}

/** Runs a turn that changes the repositories, then verifies and delivers the work. */
async function runBuild(attempt: Attempt, turn: Turn, workspace: Workspace, { runner, text }: Task): Promise<RunEnd> {
  const { checkoutSet, checkpoints, log } = workspace;
  const { conversational } = attempt.driver.capabilities;
  const scanned: ScannedBlobs = new Map();
  const commitOf: CommitOf = ({ index, baseCommit }) => checkpoints.changes[index]?.commit ?? baseCommit;
  const check = await findCheck(attempt, checkoutSet, log.check);
  let proof = await reproduce(attempt, checkoutSet, check, workspace.baseSandbox.take());
  let prompt = withCheckProblem(attempt, text, proof);
  for (let rounds = 1; ; rounds += 1) {
    const prewarmed = new PrewarmedSandbox(attempt, checkoutSet, 'verify');
    // A turn without a conversation is short, so its clean sandbox is started now. Otherwise it would sit idle for long.
    if (!conversational && proof.check !== undefined) prewarmed.open();
    const onDone = (): void => {
      if (proof.check !== undefined && checkpoints.changes.some(mayHaveChanged)) prewarmed.fill(commitOf);
    };
    const { stopReason, summary } = await implement(attempt, workspace, runner, { text: prompt, onDone });
    turn.summary = summary;
    if (stopReason === 'awaiting_user') {
      prewarmed.discard();
      return endAwaitingUser(attempt);
    }
    const changes = checkpoints.changes.filter(isChanged);
    const feedback =
      (await blockSecrets(attempt, workspace.scanner, changes)) ??
      (await guardPush(attempt, scanned, changes)) ??
      (await checkOutput(attempt, workspace, changes));
    if (feedback !== undefined) {
      prewarmed.discard();
      prompt = await takeFeedback(attempt, feedback);
      continue;
    }
    if (changes.length === 0) {
      prewarmed.discard();
      return endUnchanged(attempt);
    }
    showWork(attempt, 'verifying');
    proof = await reprove(attempt, workspace, proof);
    const proven = await reproduceWithAddedFiles(attempt, checkoutSet, proof, changes);
    const verified = await verify(attempt, checkoutSet, { proof: proven, commitOf, prepared: prewarmed.take() });
    const next = nextAfterVerify({
      outcome: verified.outcome,
      conversational,
      rounds,
      round: attempt.progress.round,
      maxTurns: attempt.session.budget.max_turns,
    });
    if (next === 'feedback') {
      const { evidence } = verified;
      prompt = await takeFeedback(attempt, evidence === undefined ? '' : feedbackText(evidence));
      continue;
    }
    showWork(attempt, 'delivering');
    const kept = await deliver(attempt, checkoutSet, { proof: proven, verified, summary, changes });
    await suggestCheck(attempt, checkoutSet, proven, verified);
    return endVerified(attempt, verified, kept);
  }
}

/**
 * Adds to the prompt that the check could not run on the base commit. An empty prompt stays empty: it continues an
 * unfinished turn.
 */
function withCheckProblem(attempt: Pick<Attempt, 'events'>, text: string, { evidence }: Proof): string {
  if (evidence?.problem === undefined || text === '') return text;
  const told = couldNotRunText(evidence, 'base');
  for (const event of platformMessage(told)) attempt.events.write(event);
  return [text, told].join('\n\n');
}

/** Returns the attempt's workspace; the first turn creates it. */
async function enterWorkspace(attempt: Attempt, turn: Turn, text: string): Promise<Workspace> {
  const { status } = attempt.session;
  if (turn.workspace === undefined) {
    if (status === 'running') setStatus(attempt, 'work', workDetail(attempt), 'starting');
    else setStatus(attempt, 'provision', '', 'starting');
    turn.workspace = await openWorkspace(attempt, text);
  }
  // Each turn may replace its sandbox once.
  turn.workspace.replaced = false;
  await placeAttachments(attempt, turn.workspace.sessionSandbox);
  showWork(attempt, workDetail(attempt));
  return turn.workspace;
}

function workDetail({ mode }: Pick<Attempt, 'mode'>): 'planning' | 'working' {
  return mode === 'plan' || mode === 'propose' ? 'planning' : 'working';
}

/** Runs a turn without changes: it verifies and delivers nothing. */
async function runReadOnly(
  attempt: Attempt,
  turn: Turn,
  workspace: Workspace,
  { runner, text }: Task,
): Promise<RunEnd> {
  let prompt = text;
  for (;;) {
    const said = { text: prompt, onDone: () => undefined };
    const { stopReason, summary, plan } = await implement(attempt, workspace, runner, said);
    turn.summary = summary;
    if (plan !== undefined) return endWithPlan(attempt, plan);
    if (stopReason === 'awaiting_user') return endAwaitingUser(attempt);
    if (attempt.mode === 'propose') return endWithPlan(attempt, summary);
    const due = await checkOutput(attempt, workspace, []);
    if (due === undefined) break;
    prompt = await takeFeedback(attempt, due);
  }
  return {
    status: 'completed',
    status_detail: 'finished',
    sandbox_state: 'none',
    sandboxSeconds: attempt.progress.seconds,
  };
}

/** Returns feedback about a missing output. Delivers the work and throws RunFailed when no attempts are left. */
async function checkOutput(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'control' | 'session' | 'events' | 'progress'>,
  { checkoutSet, output, sessionSandbox }: Workspace,
  changes: readonly RepositoryChange[],
): Promise<string | undefined> {
  const due = await output.settle(sessionSandbox);
  if (due?.failure === undefined) return due?.feedback;
  const summary = 'The session has no structured output.';
  attempt.progress.endPhase('verify', { status: 'skipped', summary });
  await deliverBranches(attempt, checkoutSet, changes, summary);
  throw due.failure;
}

function endAwaitingUser(attempt: Pick<Attempt, 'progress'>): RunEnd {
  return {
    status: 'waiting',
    status_detail: 'awaiting_user',
    sandbox_state: 'none',
    sandboxSeconds: attempt.progress.seconds,
  };
}

/** Returns the proof for the current check, which the agent may have declared during the turn. */
async function reprove(attempt: Attempt, { checkoutSet, log }: Workspace, proof: Proof): Promise<Proof> {
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
  showWork(attempt, 'working');
  return [feedback, await messageText(attempt, messages)].filter((part) => part !== '').join('\n\n');
}

function showWork(
  attempt: Pick<Attempt, 'run' | 'control' | 'session' | 'events'>,
  detail: 'working' | 'planning' | 'verifying' | 'delivering',
): void {
  if (attempt.control.lost.aborted) throw new LeaseLost(attempt.run.id);
  attempt.control.signal.throwIfAborted();
  setStatus(attempt, 'work', detail, 'ready');
}

/** Shows the session's activity. The database rejects a change that its current status does not allow. */
function setStatus(
  attempt: Pick<Attempt, 'session' | 'events'>,
  event: 'provision' | 'work',
  detail: StatusDetail,
  sandbox_state: 'starting' | 'ready',
): void {
  const { status } = requireTransition(attempt.session.status, event, detail);
  attempt.events.status({ status, status_detail: detail, sandbox_state });
}

function endUnchanged(attempt: Pick<Attempt, 'progress'>): RunEnd {
  const summary = 'No changes.';
  attempt.progress.endPhase('verify', { status: 'skipped', summary });
  attempt.progress.endPhase('deliver', { status: 'skipped', summary });
  return {
    status: 'completed',
    status_detail: 'finished',
    sandbox_state: 'none',
    sandboxSeconds: attempt.progress.seconds,
  };
}

function endVerified(attempt: Pick<Attempt, 'progress'>, { outcome, evidence }: Verified, kept: string): RunEnd {
  const common = { sandbox_state: 'none', verification: outcome, sandboxSeconds: attempt.progress.seconds } as const;
  if (outcome !== 'failed') return { ...common, status: 'completed', status_detail: 'finished' };
  const { command = '', exit_code, problem } = evidence ?? {};
  const reason =
    problem === undefined
      ? `The check \`${command}\` fails on the new commit (exit code ${exit_code ?? 'none'}).`
      : `The check \`${command}\` ran on the base commit but cannot run on the new commit: ${problem}`;
  const message = [reason, kept].filter((part) => part !== '').join(' ');
  return { ...common, status: 'failed', status_detail: 'verify_failed', error: { code: 'verify_failed', message } };
}
