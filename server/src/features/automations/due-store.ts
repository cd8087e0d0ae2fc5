import { sql, type Insertable, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { StoredTrigger } from './schemas.ts';
import { activeRunStatuses } from './runs/transitions.ts';

/** Returns due triggers, the longest due first, and locks them and their automations; skips those that others hold. */
export async function claimDue(trx: Transaction<DB>, now: Date, limit: number) {
  return trx
    .selectFrom('automation_triggers as t')
    .innerJoin('automations as a', 'a.id', 't.automation_id')
    .innerJoin('organizations as o', 'o.id', 't.org_id')
    .select(['t.id', 't.org_id', 't.automation_id', 'a.executor', 'a.concurrency', 'a.missed_runs', 'o.state'])
    .select(sql<Date>`t.due_at`.as('due_at'))
    .select('t.last_due_at')
    .select(
      sql<StoredTrigger | null>`jsonb_path_query_first(a.triggers, '$[*] ? (@.id == $id)', jsonb_build_object('id', t.id))`.as(
        'trigger',
      ),
    )
    .where('t.due_at', '<=', now)
    .orderBy('t.due_at')
    .limit(limit)
    .forNoKeyUpdate(['t', 'a'])
    .skipLocked()
    .execute();
}

/** Sets the next times of triggers, and of their automations; `last` is the latest time that started a run, if one did. */
export async function setNextTimes(
  trx: Transaction<DB>,
  triggers: readonly { id: string; automation_id: string; next: Date | undefined; last: Date | undefined }[],
): Promise<void> {
  const ids = triggers.map(({ id }) => id);
  const times = triggers.map(({ next }) => next?.toISOString() ?? null);
  const lasts = triggers.map(({ last }) => last?.toISOString() ?? null);
  const automationIds = [...new Set(triggers.map(({ automation_id }) => automation_id))];
  await sql`
    update automation_triggers t set due_at = n.at, last_due_at = coalesce(n.last, t.last_due_at)
    from unnest(${ids}::text[], ${times}::timestamptz[], ${lasts}::timestamptz[]) as n (id, at, last)
    where t.id = n.id`.execute(trx);
  await sql`
    update automations a set next_run_at = (select min(t.due_at) from automation_triggers t where t.automation_id = a.id)
    where a.id = any(${automationIds}::text[])`.execute(trx);
}

/** Returns those of these automations that have a run that has not ended. */
export async function findBusy(trx: Transaction<DB>, automationIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('automation_runs')
    .select('automation_id')
    .distinct()
    .where(sql<boolean>`automation_id = any(${[...automationIds]}::text[])`)
    .where('status', 'in', activeRunStatuses)
    .execute();
  return new Set(rows.map(({ automation_id }) => automation_id));
}

/** Inserts runs, without those that exist; returns the new ones, and notes them in their automations. */
export async function insertRuns(trx: Transaction<DB>, rows: Insertable<DB['automation_runs']>[], now: Date) {
  if (rows.length === 0) return [];
  const made = await trx
    .insertInto('automation_runs')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['automation_id', 'deduplication_key']).doNothing())
    .returning(['id', 'org_id', 'automation_id', 'executor', 'status', 'attempt_no'])
    .execute();
  const started = made.filter(({ status }) => status === 'pending').map(({ automation_id }) => automation_id);
  await trx
    .updateTable('automations')
    .set({ last_run_at: now })
    .where(sql<boolean>`id = any(${started}::text[])`)
    .execute();
  return made;
}

/** Returns the first time at which something is due; undefined for none. One caller at a time, until the transaction ends. */
export async function lockFirstDue(trx: Transaction<DB>): Promise<Date | undefined> {
  await sql`select pg_advisory_xact_lock(hashtext('guildhall automation alarm'))`.execute(trx);
  const row = await trx
    .selectFrom('automation_triggers')
    .select('due_at')
    .where('due_at', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst();
  return row?.due_at ?? undefined;
}
