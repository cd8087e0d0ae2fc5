import { findSecretsOf, judgeCommandOf, NotInspected } from './inspection/inspector.ts';
import type { Finding, Rules } from './rules.ts';

const shownLength = 300;

/** Returns the violation of a command that an agent wants to run; undefined if it may. */
export async function checkCommand(orgId: string, rules: Rules, command: string): Promise<Finding | undefined> {
  const verdict = await judgeCommandOf(orgId, command, rules.commands_denied);
  if (verdict.outcome === 'allowed') return undefined;
  const message =
    verdict.outcome === 'denied'
      ? `The command \`${verdict.pattern}\` is denied here, so nothing was run. Solve the task without it, or leave this step to the user.`
      : `Nothing was run: some commands are denied here, and it cannot be ruled out that this runs one, because ${verdict.reason}. Write the command with plain words: no computed program names, options or scripts.`;
  return {
    rule: 'commands_denied',
    stage: 'tool_call',
    action: 'blocked',
    message,
    items: [(await mayShow(orgId, command)) ? command.slice(0, shownLength) : '[redacted]'],
  };
}

/** Returns false for a command that contains what looks like a secret, or that could not be scanned. */
async function mayShow(orgId: string, command: string): Promise<boolean> {
  try {
    return (await findSecretsOf(orgId, '', command)).length === 0;
  } catch (error) {
    if (error instanceof NotInspected) return false;
    throw error;
  }
}
