import type { Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { recordSystemAct } from '../../../mutation/mutate.ts';
import { settingsOf } from '../../settings/service.ts';
import { noteOfAutomation, stopTriggers, type GoverningAutomation } from './store.ts';

/** Counts a run that ended without success, and pauses the automation after too many in a row. */
export async function countFailure(trx: Transaction<DB>, automation: GoverningAutomation, now: Date): Promise<void> {
  const { id, org_id: orgId, status } = automation;
  const consecutive_failures = automation.consecutive_failures + 1;
  const limit = automation.pause_after_failures ?? (await settingsOf(trx, orgId, 'automations')).pause_after_failures;
  const pauses = status !== 'paused' && limit > 0 && consecutive_failures >= limit;
  const after = pauses ? 'paused' : status === 'active' ? 'degraded' : status;
  await noteOfAutomation(trx, id, { consecutive_failures, status: after, ...(pauses ? { next_run_at: null } : {}) });
  if (!pauses) return;
  await stopTriggers(trx, id);
  const changes = { reason: 'failures', consecutive_failures };
  const act = { action: 'automation.pause', resource: { type: 'automation', id }, changes } as const;
  await recordSystemAct(trx, orgId, 'Guildhall', act, now);
}

/** Counts a success: failures before it no longer matter. Only a person ends a pause. */
export async function countSuccess(
  trx: Transaction<DB>,
  { id, status, consecutive_failures }: GoverningAutomation,
): Promise<void> {
  if (consecutive_failures === 0 && status !== 'degraded') return;
  await noteOfAutomation(trx, id, { consecutive_failures: 0, ...(status === 'degraded' ? { status: 'active' } : {}) });
}
