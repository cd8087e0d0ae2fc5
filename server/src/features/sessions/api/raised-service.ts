import type { Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { AppError } from '../../../lib/errors.ts';
import { requireDayRaised } from '../../groups/admission-service.ts';
import { requirePeriodRaised } from '../dispatch/limit-service.ts';
import type { SessionStatus, StatusDetail } from '../schemas/session-schemas.ts';
import { readReached } from '../store/model-store.ts';

interface Stopped {
  id: string;
  org_id: string;
  person_id: string;
  status: SessionStatus;
  status_detail: StatusDetail;
}

/**
 * Rejects a session that would stop again at once: the limit that suspended it was not raised, and its period is not over.
 * Throws 402 `budget_exceeded`.
 */
export async function requireRaised(trx: Transaction<DB>, session: Stopped, now: Date): Promise<void> {
  const { id, org_id: orgId, person_id: personId, status, status_detail: detail } = session;
  if (status !== 'suspended' || detail !== 'budget_reached') return;
  const reached = await readReached(trx, id);
  if (reached === undefined) return;
  await requirePeriodRaised(trx, { id, orgId }, reached, now);
  await requireDayRaised(trx, { orgId, personId }, reached, now);
  const { limit, allowed } = reached;
  if (reached.now === null || reached.now > allowed) return;
  throw new AppError(
    'budget_exceeded',
    `The session has used up its budget: ${limit} is ${allowed}. Raise it with PATCH {"budget": {"${limit}": …}} or remove it, then resume.`,
  );
}
