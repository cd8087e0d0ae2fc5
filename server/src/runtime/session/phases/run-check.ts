import { join } from 'node:path';
import type { Evidence } from '../../../features/repositories/change-request-schemas.ts';
import { ProviderError } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import type { AddedFile } from '../checks/added-files.ts';
import type { Check } from '../checks/check.ts';
import { RunFailed } from '../attempt/control.ts';
import { whyCheckDidNotRun } from '../checks/could-not-run.ts';
import { runCommand } from '../workspace/run-command.ts';
import { checkOutAll, type CommitOf } from '../workspace/prewarmed-sandbox.ts';
import { openSandbox, type SessionSandbox } from '../workspace/sandboxes.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

export interface CleanRun {
  phase: 'reproduce' | 'verify';
  check: Check;
  /** New files of the change that the check needs. */
  addedFiles?: readonly AddedFile[];
  commitOf: CommitOf;
  /** A prewarmed sandbox at these commits. */
  prepared: Promise<SessionSandbox> | undefined;
}

/** Runs a check in a clean sandbox, and once more in another one if the sandbox is lost. */
export async function runInCleanSandbox(attempt: Attempt, checkoutSet: CheckoutSet, run: CleanRun): Promise<Evidence> {
  const fresh = async (): Promise<SessionSandbox> =>
    checkOutAll(attempt, checkoutSet, await openSandbox(attempt, checkoutSet, run.phase), run.commitOf);
  try {
    return await runIn(attempt, await (run.prepared ?? fresh()), run);
  } catch (error) {
    attempt.control.signal.throwIfAborted();
    if (!(error instanceof ProviderError) || !error.retryable) throw error;
    attempt.events.warn('sandbox_retried', error.message);
  }
  try {
    return await runIn(attempt, await fresh(), run);
  } catch (error) {
    attempt.control.signal.throwIfAborted();
    if (!(error instanceof ProviderError)) throw error;
    throw new RunFailed('sandbox_lost', error.message, { sandboxState: 'error' });
  }
}

async function runIn(
  attempt: Pick<Attempt, 'control' | 'events' | 'secrets' | 'blobs' | 'resources'>,
  { sandbox, env }: SessionSandbox,
  { phase, check, addedFiles = [] }: CleanRun,
): Promise<Evidence> {
  try {
    const cwd = check.directory === '' ? sandbox.workspace : join(sandbox.workspace, check.directory);
    for (const { path, content } of check.files) await sandbox.writeFile(join(cwd, path), content);
    for (const { path, content, mode } of addedFiles)
      await sandbox.writeFile(join(sandbox.workspace, path), content, { mode });
    const { command } = check;
    const artifactName = `${phase}.log`;
    const { evidence, ...end } = await runCommand(attempt, sandbox, { command, cwd, env, phase, artifactName });
    const problem = whyCheckDidNotRun({ ...end, exitCode: evidence.exit_code, outputTail: evidence.output_tail });
    return problem === '' ? evidence : { ...evidence, problem };
  } finally {
    attempt.resources.discard(sandbox);
  }
}
