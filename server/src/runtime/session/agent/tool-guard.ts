import { posix } from 'node:path';
import { checkCommand, checkFile } from '../../../features/guardrails/public.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { currentRules, recordFound, type Found } from '../attempt/guardrails.ts';
import type { Checkout } from '../workspace/checkout-set.ts';

type GuardedAttempt = Pick<Attempt, 'ctx' | 'run' | 'session' | 'secrets' | 'events'>;

/**
 * Returns the reason why the agent may not run a command, for the agent and the log, and records the violation; undefined if it
 * may. `isFatal` if the session then fails.
 */
export async function permitCommand(
  attempt: GuardedAttempt,
  command: string,
  { isFatal = false }: { isFatal?: boolean } = {},
): Promise<string | undefined> {
  for (const { repository, rules } of await currentRules(attempt)) {
    const finding = await checkCommand(attempt.run.orgId, rules, command);
    if (finding !== undefined) return refuse(attempt, { repository, finding }, isFatal);
  }
  return undefined;
}

/** The same for a file that the agent wants to write, by its absolute path in the sandbox. */
export async function permitFile(
  attempt: GuardedAttempt,
  { workspace, checkouts }: { workspace: string; checkouts: readonly Pick<Checkout, 'repositoryId' | 'directory'>[] },
  path: string,
): Promise<string | undefined> {
  for (const { repository, rules } of await currentRules(attempt)) {
    const checkout = checkouts.find(({ repositoryId }) => repositoryId === repository.id);
    if (checkout === undefined) continue;
    const inside = posix.relative(posix.join(workspace, checkout.directory), path);
    if (inside === '' || inside === '..' || inside.startsWith('../')) continue;
    const finding = await checkFile(rules, inside);
    if (finding !== undefined) return refuse(attempt, { repository, finding }, false);
  }
  return undefined;
}

async function refuse(attempt: GuardedAttempt, found: Found, isFatal: boolean): Promise<string> {
  await recordFound(attempt, [found], { isFatal });
  const reason = `Blocked by a guardrail. ${found.finding.message}`;
  attempt.events.warn('guardrail_blocked', attempt.secrets.mask.text(reason));
  return reason;
}
