import type { AgentRunner } from '../../adapters/agent/port.ts';
import { LeaseLost, type RunEnd } from '../../features/sessions/run-service.ts';
import { beginTurn } from '../../features/sessions/turn-service.ts';
import type { Attempt } from './attempt.ts';
import { isSameCheck } from './check.ts';
import { prepareRoom } from './clean-room.ts';
import { afterVerify, reproducedBefore } from './decide.ts';
import { deliver } from './deliver.ts';
import { implement } from './implement.ts';
import { feedbackText } from './report.ts';
import { findCheck, reproduce, type Proof } from './reproduce.ts';
import type { Room } from './sandboxes.ts';
import { verify, type Verified } from './verify.ts';
import type { Workplace } from './workplace.ts';
import { openWorkspace, type Workspace } from './workspace.ts';
import { declaredCheck } from './check.ts';

/** What the turns of an attempt share. */
export interface Turn {
  workspace: Workspace | undefined;
  /** The clean room of the phase reproduce, begun while the workspace is made. */
  reproduction: Promise<Room> | undefined;
}

/** One turn from the messages to the delivery. Throws what cuts it short. */
export async function takeTurn(attempt: Attempt, turn: Turn, runner: AgentRunner, text: string): Promise<RunEnd> {
  const workspace = await enter(attempt, turn);
  const { workplace, checkpoints, log } = workspace;
  let proof = await reproduce(attempt, workplace, await findCheck(attempt, workplace, log.check), turn.reproduction);
  turn.reproduction = undefined;
  let words = text;
  for (let rounds = 1; ; rounds += 1) {
    const summary = await implement(attempt, workspace, runner, words);
    const works = checkpoints.changed;
    if (works.length === 0) return nothingChanged(attempt);
    await working(attempt, 'verifying');
    const prepared = proof.check === undefined ? undefined : prepareRoom(attempt, workplace, 'verify');
    proof = await prove(attempt, workspace, proof);
    const verified = await verify(attempt, workplace, { proof, works: checkpoints.works, prepared });
    const next = afterVerify({
      outcome: verified.outcome,
      runtime: attempt.agent.runtime,
      rounds,
      turn: attempt.turn,
      maxTurns: attempt.session.budget.max_turns,
    });
    if (next === 'feedback') {
      words = await takeFeedback(attempt, proof, verified);
      continue;
    }
    await working(attempt, 'delivering');
    await deliver(attempt, workplace, { proof, verified, summary, works });
    return endOf(attempt, verified);
  }
}

/** The workspace of the attempt, made when the first turn enters it. */
async function enter(attempt: Attempt, turn: Turn): Promise<Workspace> {
  const { status } = attempt.session;
  if (turn.workspace === undefined) {
    const isNew = status === 'queued' || status === 'provisioning';
    await attempt.status({
      status: isNew ? 'provisioning' : 'running',
      status_detail: isNew ? '' : 'working',
      sandbox_state: 'starting',
    });
    turn.workspace = await openWorkspace(attempt, (workplace) => beginReproduction(attempt, turn, workplace));
  }
  await working(attempt, 'working');
  return turn.workspace;
}

/** Begins the clean room of the base commit when it is certain to be needed. */
function beginReproduction(attempt: Attempt, turn: Turn, workplace: Workplace): void {
  const { runtime, runtime_config } = attempt.agent;
  const command = attempt.session.verify_command || declaredCheck(runtime, runtime_config)?.command;
  if (command === undefined || reproducedBefore(attempt.phases, command) !== undefined) return;
  turn.reproduction = prepareRoom(attempt, workplace, 'reproduce');
}

/** The proof for the check as it is now: an agent may have declared its own while it worked. */
async function prove(attempt: Attempt, { workplace, log }: Workspace, proof: Proof): Promise<Proof> {
  const check = await findCheck(attempt, workplace, log.check);
  return isSameCheck(check, proof.check) ? proof : reproduce(attempt, workplace, check);
}

async function takeFeedback(attempt: Attempt, { check }: Proof, { evidence }: Verified): Promise<string> {
  const { ctx, run } = attempt;
  attempt.turn += 1;
  const messages = await beginTurn(ctx, run, attempt.turn);
  const feedback = check === undefined || evidence === undefined ? '' : feedbackText(check, evidence);
  await working(attempt, 'working');
  return [feedback, ...messages.map(({ content }) => content)].filter((part) => part !== '').join('\n\n');
}

async function working(attempt: Attempt, detail: 'working' | 'verifying' | 'delivering'): Promise<void> {
  if (attempt.control.lost.aborted) throw new LeaseLost(attempt.run.id);
  attempt.signal.throwIfAborted();
  await attempt.status({ status: 'running', status_detail: detail, sandbox_state: 'ready' });
}

async function nothingChanged(attempt: Attempt): Promise<RunEnd> {
  const summary = 'Nothing was changed.';
  await attempt.endPhase('verify', { status: 'skipped', summary });
  await attempt.endPhase('deliver', { status: 'skipped', summary });
  return { status: 'completed', status_detail: 'finished', sandbox_state: 'none', sandboxSeconds: attempt.seconds };
}

function endOf(attempt: Attempt, { outcome, evidence }: Verified): RunEnd {
  const common = { sandbox_state: 'none', verification: outcome, sandboxSeconds: attempt.seconds } as const;
  if (outcome !== 'failed') return { ...common, status: 'completed', status_detail: 'finished' };
  const message = `The check \`${evidence?.command ?? ''}\` fails on the commit that was to be delivered (exit code ${evidence?.exit_code ?? 'none'}).`;
  return { ...common, status: 'failed', status_detail: 'verify_failed', error: { code: 'verify_failed', message } };
}
