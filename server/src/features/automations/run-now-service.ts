import type { Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { fieldError } from '../../lib/field-error.ts';
import { newId } from '../../lib/ids.ts';
import { notFound } from '../../lib/errors.ts';
import { mutate } from '../../mutation/mutate.ts';
import { createRun } from './runs/create-service.ts';
import { shownRun } from './runs/service.ts';

/** Of a payload as JSON. */
export const maxPayloadBytes = 262_144;

/**
 * Starts a run now, also of a paused or disabled automation; its conditions do not apply, its concurrency rule does.
 * Throws 404 `automation_not_found`.
 */
export async function triggerAutomation(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs'>,
  caller: Caller,
  id: string,
  payload: Record<string, unknown> = {},
) {
  if (Buffer.byteLength(JSON.stringify(payload)) > maxPayloadBytes)
    throw fieldError('/payload', `must have at most ${maxPayloadBytes / 1_024} KiB as JSON.`);
  const orgId = caller.organization.id;
  return mutate(ctx, caller, async (trx, audit) => {
    const run = await createRun(
      ctx,
      trx,
      { id, org_id: orgId },
      {
        trigger: { type: 'manual' },
        scheduledFor: null,
        payload,
        deduplicationKey: `manual ${newId('run', ctx.clock.now().getTime())}`,
      },
    );
    if (run === undefined) throw notFound('automation', id);
    audit({ action: 'automation.trigger', resource: { type: 'automation', id }, changes: { run_id: run.id } });
    return { run: shownRun(run) };
  });
}
