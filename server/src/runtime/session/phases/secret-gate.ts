import type { Attempt } from '../attempt/attempt.ts';
import { foundText, type SecretScanner } from '../secrets/secret-scanner.ts';
import type { RepositoryChange } from '../checkpoints/repository-change.ts';
import { RunFailed } from '../attempt/control.ts';

/**
 * Looks for secrets in what is to be delivered; answers what the agent has to be told, undefined when nothing is wrong.
 * It is told once: then, or when it cannot be told, the session fails.
 */
export async function blockSecrets(
  attempt: Pick<Attempt, 'control' | 'session' | 'driver' | 'secrets' | 'progress'>,
  scanner: SecretScanner,
  changes: readonly RepositoryChange[],
): Promise<string | undefined> {
  const { session, driver, progress, secrets, control } = attempt;
  if (session.deliver === 'none' || !secrets.areGiven) return undefined;
  const found = [];
  for (const { checkout, commit } of changes) {
    const { checkpointsPath, baseCommit, directory } = checkout;
    const inOne = await scanner.added(checkpointsPath, baseCommit, commit, control.lost);
    found.push(...inOne.map((one) => (directory === '' ? one : { ...one, path: `${directory}/${one.path}` })));
  }
  if (found.length === 0) return undefined;
  const wasTold = blockedDelivery(attempt) !== undefined;
  const problem = `Nothing was pushed: ${foundText(found)}`;
  attempt.progress.endPhase('deliver', { status: 'failed', summary: problem });
  const mayGoOn = progress.round < (session.budget.max_turns ?? Infinity);
  if (wasTold || !driver.capabilities.conversational || !mayGoOn)
    throw new RunFailed('guardrail', problem, { code: 'secret_in_changes' });
  return blockedDeliveryText(problem);
}

/** Why the last delivery was withheld, when it was. */
export function blockedDelivery({ progress }: Pick<Attempt, 'progress'>): string | undefined {
  const delivery = progress.phase('deliver');
  // Any other failed delivery ends the session, and a new turn begins without this phase.
  return delivery?.status === 'failed' ? delivery.summary : undefined;
}

/** What the agent is told of it. */
export function blockedDeliveryText(problem: string): string {
  return [
    `The platform looked at your work before it was delivered. ${problem}`,
    'Take every secret out of the files and their names: read it from its environment variable, or from the file that the variable names, when the program runs. It is shown to you as ********, but it is in the file. A second time the session fails.',
  ].join('\n\n');
}
