import { checkCommand } from '../../../features/guardrails/public.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { currentRules, recordFound } from '../attempt/guardrails.ts';

/**
 * Returns the reason why the agent may not run a command, for the agent and the log, and records the violation; undefined if it
 * may. `isFatal` if the session then fails.
 */
export async function permitCommand(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'session' | 'secrets' | 'events'>,
  command: string,
  { isFatal = false }: { isFatal?: boolean } = {},
): Promise<string | undefined> {
  for (const { repository, rules } of await currentRules(attempt)) {
    const finding = await checkCommand(attempt.run.orgId, rules, command);
    if (finding === undefined) continue;
    await recordFound(attempt, [{ repository, finding }], { isFatal });
    const reason = `Blocked by a guardrail. ${finding.message}`;
    attempt.events.warn('guardrail_blocked', attempt.secrets.mask.text(reason));
    return reason;
  }
  return undefined;
}
