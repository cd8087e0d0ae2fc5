import type { AgentMessage, AgentResult, AgentRunner } from '../../../adapters/agent/port.ts';
import { takeMessages } from '../../../features/sessions/run/turn-service.ts';
import { ProviderError } from '../../../lib/errors.ts';
import { placeAttachments, messageText } from '../workspace/attachments.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { isChanged } from '../checkpoints/repository-change.ts';
import { RunFailed, TurnStopped } from '../attempt/control.ts';
import { startAgent } from '../agent/start-agent.ts';
import { replaceSandbox, type Workspace } from '../agent/workspace.ts';
import { SandboxDiskFailed } from '../workspace/sandboxes.ts';

/**
 * The phase implement: one prompt of the agent, with checkpoints while it works. Returns its end and the agent's summary.
 * `onDone` is called when the work is copied out of the sandbox, before its checkpoint is recorded.
 */
export async function implement(
  attempt: Attempt,
  workspace: Workspace,
  runner: AgentRunner,
  { text, onDone }: { text: string; onDone: () => void },
): Promise<Pick<AgentResult, 'stopReason' | 'summary' | 'plan'>> {
  const { log, checkpoints, live } = workspace;
  attempt.progress.beginPhase('implement');
  const unwatch = checkpoints.watch(() => live.takeTouched() || log.mayHaveChanged);
  let result: AgentResult;
  try {
    result = await promptAgent(attempt, workspace, runner, text);
  } finally {
    await unwatch();
    await log.settle();
  }
  if (result.stopReason === 'canceled') {
    attempt.control.signal.throwIfAborted();
    throw new TurnStopped('interrupt');
  }
  if (result.error !== undefined) throw new RunFailed(result.error.code, result.error.message);
  if (result.stopReason === 'refused') throw new RunFailed('agent_error', 'The agent refused the task.');
  // Otherwise the last step's checkpoint has all changes.
  if (live.takeTouched() || log.active) await takeCheckpoint(attempt, workspace);
  onDone();
  await checkpoints.settled();
  attempt.progress.endPhase('implement', {
    status: 'passed',
    summary: `${checkpoints.changes.some(isChanged) ? countChanges(workspace) : 'No changes.'}${countLeftOut(workspace)}`,
  });
  return result;
}

async function promptAgent(
  attempt: Attempt,
  workspace: Workspace,
  runner: AgentRunner,
  text: string,
): Promise<AgentResult> {
  const { progress, secrets } = attempt;
  for (;;) {
    try {
      const agent = await startAgent(attempt, workspace, runner);
      return await agent.prompt({
        turn: progress.round,
        text: secrets.mask.text(text),
        takeMessages: () => takeNewMessages(attempt, workspace),
        signal: attempt.control.signal,
      });
    } catch (error) {
      attempt.control.signal.throwIfAborted();
      if (!isReplaceable(error)) throw error;
      await replaceSandbox(attempt, workspace, error);
    }
  }
}

/** Another sandbox would have the same disk below it: the next attempt waits until a worker has space. */
function isReplaceable(error: unknown): error is ProviderError {
  return error instanceof ProviderError && !(error instanceof SandboxDiskFailed);
}

/** Returns messages that arrived during the turn, after writing their attachments into the sandbox. */
async function takeNewMessages(attempt: Attempt, workspace: Workspace): Promise<AgentMessage[]> {
  const messages = await takeMessages(attempt.ctx, attempt.run, attempt.progress.round);
  const { mask } = attempt.secrets;
  const texts = await Promise.all(messages.map((message) => messageText(attempt, [message])));
  await placeAttachments(attempt, workspace.sessionSandbox);
  return texts.map((text) => ({ text: mask.text(text) }));
}

/** Takes the turn's last checkpoint, which is then verified and delivered. */
async function takeCheckpoint(attempt: Attempt, workspace: Workspace): Promise<void> {
  try {
    await workspace.checkpoints.take();
  } catch (error) {
    attempt.control.signal.throwIfAborted();
    if (!isReplaceable(error)) throw error;
    await replaceSandbox(attempt, workspace, error);
  }
}

function countChanges({ checkpoints }: Workspace): string {
  const diffs = checkpoints.changes.map(({ diff }) => diff);
  const sum = (count: (diff: (typeof diffs)[number]) => number) =>
    diffs.reduce((total, diff) => total + count(diff), 0);
  const files = sum((diff) => diff.files.length);
  return `${files} ${files === 1 ? 'file' : 'files'} changed, +${sum((diff) => diff.additions)} −${sum((diff) => diff.deletions)}.`;
}

function countLeftOut({ checkpoints }: Workspace): string {
  const count = checkpoints.changes.reduce((sum, { leftOut }) => sum + leftOut.length, 0);
  return count === 0 ? '' : ` Files left out: ${count}; the warning files_skipped names them.`;
}
