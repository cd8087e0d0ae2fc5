import type { Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { dayOf } from '../../lib/days.ts';
import { limitFinding, rulesOfSession, type GuardedRepository } from './admission-service.ts';
import { lockCounts, readHeld } from './admission-store.ts';
import type { Finding } from './rules.ts';

/** The cost of a repository's sessions on a day, in US dollars, with what running model calls reserve. */
export interface RepositoryDay {
  repository: GuardedRepository;
  used: number;
  allowed: number;
}

/**
 * Returns the days of a session's repositories whose cost is limited. With `locks`, decisions on them are serialized until
 * the transaction ends; lock the session first.
 */
export async function limitedDays(
  trx: Transaction<DB>,
  session: { id: string; orgId: string },
  now: Date,
  { locks }: { locks: boolean },
): Promise<RepositoryDay[]> {
  const { id, orgId } = session;
  const days: RepositoryDay[] = [];
  for (const { repository, rules } of await rulesOfSession(trx, orgId, id)) {
    const allowed = rules.max_cost_per_day_usd;
    if (allowed === 0) continue;
    if (locks) await lockCounts(trx, orgId, repository.id);
    days.push({ repository, allowed, used: await readHeld(trx, orgId, repository.id, dayOf(now)) });
  }
  return days;
}

/** Returns the violation of a model call that a repository's day does not allow. */
export function spendingFinding({ repository, used, allowed }: RepositoryDay): Finding {
  return limitFinding('max_cost_per_day_usd', 'model_call', repository, { used, allowed });
}
