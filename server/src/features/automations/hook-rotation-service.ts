import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { mutate } from '../../mutation/mutate.ts';
import { hookSecret } from './hook-secret.ts';
import { automationSettings } from './rules.ts';
import { readBack } from './shown.ts';
import { lockAutomation, updateAutomationRow } from './store.ts';

const defaultOverlapSeconds = 86_400;

/**
 * Gives an automation's webhook a new secret; its URL stays, and the secret before is valid until the overlap ends. Throws
 * 404 `automation_not_found`, 409 `conflict` without a webhook.
 */
export async function rotateHookSecret(
  ctx: Pick<Context, 'db' | 'clock' | 'baseUrl' | 'keyRing'>,
  caller: Caller,
  id: string,
  overlapSeconds = defaultOverlapSeconds,
) {
  const orgId = caller.organization.id;
  const settings = await automationSettings(ctx, orgId);
  return mutate(
    ctx,
    caller,
    async (trx, audit) => {
      const before = await lockAutomation(trx, orgId, id);
      if (before === undefined) throw notFound('automation', id);
      const hook = before.triggers.find(({ type }) => type === 'webhook');
      if (hook === undefined)
        throw new AppError('conflict', 'This automation has no trigger "webhook", so it has no secret. Add one first.');
      const now = ctx.clock.now();
      const no = before.hook_secret_no + 1;
      await updateAutomationRow(trx, id, {
        hook_secret_no: no,
        hook_previous_until: overlapSeconds === 0 ? null : new Date(now.getTime() + overlapSeconds * 1_000),
        updated_at: now,
      });
      audit({
        action: 'automation.hook_secret_rotate',
        resource: { type: 'automation', id },
        changes: { name: before.name, overlap_seconds: overlapSeconds },
      });
      const shown = await readBack(ctx, trx, orgId, id, settings);
      return { ...shown, hook_secret: hookSecret(ctx, { hookId: hook.id, no }) };
    },
    ['hook_secret'],
  );
}
