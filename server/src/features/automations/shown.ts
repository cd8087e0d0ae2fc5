import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { notFound } from '../../lib/errors.ts';
import { hookSecret } from './hook-secret.ts';
import type { AutomationSettings } from './rules.ts';
import type { StoredTrigger } from './schemas.ts';
import { readAutomation, type AutomationRow } from './store.ts';

/** Adds the secret of a webhook that was not there before. */
export function withSecret(
  ctx: Pick<Context, 'keyRing'>,
  answer: ShownAutomation,
  { triggers, before, no }: { triggers: readonly StoredTrigger[]; before: readonly StoredTrigger[]; no: number },
): ShownAutomation {
  const hook = triggers.find(({ type, id }) => type === 'webhook' && !before.some((known) => known.id === id));
  return hook === undefined ? answer : { ...answer, hook_secret: hookSecret(ctx, { hookId: hook.id, no }) };
}

/** Returns an automation as it is after a change. */
export async function readBack(
  ctx: Pick<Context, 'baseUrl'>,
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  settings: AutomationSettings,
) {
  const row = await readAutomation(trx, orgId, id);
  if (row === undefined) throw notFound('automation', id);
  return toApiShape(ctx, row, settings);
}

export type ShownAutomation = ReturnType<typeof toApiShape>;

/** Returns an automation as the API shows it. */
export function toApiShape(ctx: Pick<Context, 'baseUrl'>, row: AutomationRow, settings: AutomationSettings) {
  const { org_id: _, hook_secret_no: _no, triggers, ...rest } = row;
  const { created_by_type: _type, created_by_id: _id, max_attempts, backoff_seconds, ...shown } = rest;
  return {
    ...shown,
    triggers: triggers.map(({ at, ...trigger }) => ({
      ...trigger,
      at: at === '' ? null : new Date(at),
      url: trigger.type === 'webhook' ? `${ctx.baseUrl()}/v3/hooks/${trigger.id}` : '',
    })),
    retry: { max_attempts, backoff_seconds },
    pause_after_failures: row.pause_after_failures ?? settings.pause_after_failures,
    hook_secret: '',
  };
}
