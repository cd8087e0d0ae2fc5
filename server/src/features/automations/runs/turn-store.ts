import type { Kysely, Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import type { RunRow } from './store.ts';
import { activeRunStatuses } from './transitions.ts';

/** Returns true if the automation's rules keep an exclusive run from starting: another one runs, or is older. */
export async function isHeldBack(trx: Transaction<DB>, { id, automation_id, exclusive }: RunRow): Promise<boolean> {
  if (!exclusive) return false;
  const other = await trx
    .selectFrom('automation_runs')
    .select('id')
    .where('automation_id', '=', automation_id)
    .where('id', '<>', id)
    .where('exclusive', '=', true)
    .where('status', 'in', activeRunStatuses)
    .where((eb) => eb.or([eb('status', '=', 'running'), eb('id', '<', id)]))
    .limit(1)
    .executeTakeFirst();
  return other !== undefined;
}

/** Returns the oldest run of an automation that waits to start. */
export async function findNextPending(trx: Transaction<DB>, automationId: string) {
  return trx
    .selectFrom('automation_runs')
    .select(['id', 'org_id', 'executor'])
    .where('automation_id', '=', automationId)
    .where('status', '=', 'pending')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Returns the oldest external run that may start. Under the lock of its automation the result holds; without it, another
 * claim may take the run meanwhile.
 */
export async function findClaimable(
  db: Kysely<DB>,
  orgId: string,
  automationIds: readonly string[],
): Promise<{ id: string; automation_id: string } | undefined> {
  return db
    .selectFrom('automation_runs as r')
    .select(['r.id', 'r.automation_id'])
    .where('r.org_id', '=', orgId)
    .where('r.status', '=', 'pending')
    .where('r.executor', '=', 'external')
    .$if(automationIds.length > 0, (query) => query.where('r.automation_id', 'in', [...automationIds]))
    .where((eb) =>
      eb.or([
        eb('r.exclusive', '=', false),
        eb.not(
          eb.exists(
            eb
              .selectFrom('automation_runs as o')
              .select('o.id')
              .whereRef('o.automation_id', '=', 'r.automation_id')
              .whereRef('o.id', '<>', 'r.id')
              .where('o.exclusive', '=', true)
              .where('o.status', 'in', activeRunStatuses)
              .where((either) =>
                either.or([either('o.status', '=', 'running'), either('o.id', '<', either.ref('r.id'))]),
              ),
          ),
        ),
      ]),
    )
    .orderBy('r.id')
    .limit(1)
    .executeTakeFirst();
}

/** Returns runs of an automation that wait to start, the oldest first. */
export async function listPendingIds(
  trx: Transaction<DB>,
  automationId: string,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await trx
    .selectFrom('automation_runs')
    .select('id')
    .where('automation_id', '=', automationId)
    .where('status', '=', 'pending')
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns how many runs of an organization wait for an external executor, at most `most`. */
export async function countWaitingOutside(trx: Transaction<DB>, orgId: string, most: number): Promise<number> {
  const waiting = trx
    .selectFrom('automation_runs')
    .select('id')
    .where('org_id', '=', orgId)
    .where('status', '=', 'pending')
    .where('executor', '=', 'external')
    .limit(most);
  const { count } = await trx
    .selectFrom(waiting.as('waiting'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
