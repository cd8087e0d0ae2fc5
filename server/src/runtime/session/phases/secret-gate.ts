import type { Attempt } from '../attempt/attempt.ts';
import { describeFound, type SecretScanner } from '../secrets/secret-scanner.ts';
import type { RepositoryChange } from '../checkpoints/repository-change.ts';
import { RunFailed } from '../attempt/control.ts';

/**
 * Scans the changes for secrets before delivery. Returns feedback for the agent, or undefined if there are none. The second
 * time, and for an agent that takes no feedback, it throws RunFailed.
 */
export async function blockSecrets(
  attempt: Pick<Attempt, 'control' | 'session' | 'driver' | 'secrets' | 'progress'>,
  scanner: SecretScanner,
  changes: readonly RepositoryChange[],
): Promise<string | undefined> {
  const { session, driver, progress, secrets, control } = attempt;
  if (session.deliver === 'none' || !secrets.hasSecrets) return undefined;
  const found = [];
  for (const { checkout, commit } of changes) {
    const { checkpointsPath, baseCommit, directory } = checkout;
    const inOne = await scanner.addedSecrets(checkpointsPath, baseCommit, commit, control.lost);
    found.push(...inOne.map((one) => (directory === '' ? one : { ...one, path: `${directory}/${one.path}` })));
  }
  if (found.length === 0) return undefined;
  const wasBlocked = blockedDelivery(attempt) !== undefined;
  const problem = `Nothing was pushed: ${describeFound(found)}`;
  attempt.progress.endPhase('deliver', { status: 'failed', summary: problem });
  const mayGoOn = progress.round < (session.budget.max_turns ?? Infinity);
  if (wasBlocked || !driver.capabilities.conversational || !mayGoOn)
    throw new RunFailed('guardrail', problem, { code: 'secret_in_changes' });
  return blockedDeliveryText(problem);
}

/** Returns the summary of the last delivery if it was blocked. */
export function blockedDelivery({ progress }: Pick<Attempt, 'progress'>): string | undefined {
  const delivery = progress.phase('deliver');
  // Any other failed delivery ends the session, and a new turn starts without this phase.
  return delivery?.status === 'failed' ? delivery.summary : undefined;
}

/** Feedback to the agent after a blocked delivery. */
export function blockedDeliveryText(problem: string): string {
  return [
    `The platform checked your work before delivery. ${problem}`,
    'Change your work so that it can be pushed. If it is blocked again, the session fails.',
    'Remove every secret from files and file names. Let the program read it at run time from its environment variable, or from the file that the variable names. You see the value as ********, but the file contains the real one.',
  ].join('\n\n');
}
