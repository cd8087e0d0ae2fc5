import { sql, type Kysely } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { firstIdAt } from '../../../lib/ids.ts';

interface Old {
  orgId: string;
  after: string;
  before: Date;
  limit: number;
}

/** Returns the next runs that ended before an instant, in the order of their ids, without those whose session works. */
export async function listOldRuns(db: Kysely<DB>, { orgId, after, before, limit }: Old) {
  return db
    .selectFrom('automation_runs as r')
    .leftJoin('sessions as s', 's.id', 'r.session_id')
    .select('r.id')
    .select(sql<number>`pg_column_size(r)`.as('bytes'))
    .where('r.org_id', '=', orgId)
    .where('r.id', '>', after)
    .where('r.id', '<', firstIdAt('run', before.getTime()))
    .where('r.ended_at', '<', before)
    .where((eb) => eb.or([eb('s.id', 'is', null), eb('s.status', 'in', ['completed', 'failed', 'canceled'])]))
    .orderBy('r.id')
    .limit(limit)
    .execute();
}

/** Deletes runs with their tokens, except one that was started again meanwhile; returns those that were deleted. */
export async function deleteRuns(db: Kysely<DB>, ids: readonly string[], before: Date): Promise<string[]> {
  const rows = await db
    .deleteFrom('automation_runs')
    .where('id', 'in', ids)
    .where('ended_at', '<', before)
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the next tokens of runs that ended before an instant, in the order of their ids; of all organizations for `''`. */
export async function listOldTokens(db: Kysely<DB>, { orgId, after, before, limit }: Old) {
  return db
    .selectFrom('automation_run_tokens as t')
    .innerJoin('automation_runs as r', 'r.id', 't.run_id')
    .select(['t.id', 't.org_id'])
    .select(sql<number>`pg_column_size(t)`.as('bytes'))
    .where('t.id', '>', after)
    .where('t.id', '<', firstIdAt('cbk', before.getTime()))
    .where('r.ended_at', '<', before)
    .$if(orgId !== '', (query) => query.where('t.org_id', '=', orgId))
    .orderBy('t.id')
    .limit(limit)
    .execute();
}

export async function deleteTokens(db: Kysely<DB>, ids: readonly string[]): Promise<void> {
  await db.deleteFrom('automation_run_tokens').where('id', 'in', ids).execute();
}
