import { addSuggestion } from '../../../features/knowledge/public.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { fenced } from '../log/markdown.ts';
import type { Proof } from './reproduce.ts';
import type { Verified } from './verify.ts';
import type { CheckoutSet } from '../workspace/checkout-set.ts';

/**
 * Suggests a note with the check that the agent found, if it failed before the change and passes now, and the repository
 * defines none. Never rejects.
 */
export async function suggestCheck(
  attempt: Pick<Attempt, 'ctx' | 'run' | 'secrets'>,
  { checkouts }: CheckoutSet,
  { check, addedFiles }: Proof,
  { outcome }: Verified,
): Promise<void> {
  const [checkout, ...others] = checkouts;
  if (outcome !== 'fixed' || check?.source !== 'agent') return;
  // With several repositories it is unknown which one the command checks.
  if (checkout === undefined || checkout.repo === '' || others.length > 0 || checkout.verifyCommand !== '') return;
  const { ctx, run, secrets } = attempt;
  const { repo } = checkout;
  const files = [...check.files.map(({ path }) => path), ...addedFiles].map((path) => `- ${path}`);
  const found = {
    name: `How to check ${repo}`,
    trigger: `You change something in ${repo} and want to know whether it works.`,
    body: [
      `This command failed before a change of ${repo} and passed after it, each time in a clean sandbox:`,
      fenced(check.command, 'sh'),
      ...(files.length === 0 ? [] : [`It needs these files of the change:\n\n${files.join('\n')}`]),
    ].join('\n\n'),
    repo,
  };
  try {
    await addSuggestion(ctx, run.orgId, { sessionId: run.id, ...secrets.masked(found) });
  } catch (error) {
    ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'failed to store a suggestion');
  }
}
