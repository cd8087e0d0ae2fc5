import { sql, type Kysely } from 'kysely';
import type { Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';

const sessionBatch = 200;
const rowBatch = 5_000;

/** Returns the organizations that were deleted before a time, oldest first. */
export async function listDue(db: Kysely<DB>, deletedBefore: Date): Promise<{ id: string; slug: string }[]> {
  return db
    .selectFrom('organizations')
    .select(['id', 'slug'])
    .where('state', '=', 'deleting')
    .where('deleted_at', '<=', deletedBefore)
    .orderBy('deleted_at')
    .execute();
}

/** Deletes an organization's sessions and their rows in small batches: they are most of its data. */
export async function deleteSessions(db: Database, orgId: string): Promise<void> {
  await inBatches(sessionBatch, (limit) =>
    sql`delete from sessions where id = any(array(select id from sessions where org_id = ${orgId} limit ${limit}))`.execute(
      db.kysely,
    ),
  );
}

/** Deletes the rows of all tables that name an organization without a foreign key. */
export async function deleteLooseRows(db: Database, orgId: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    with recursive follows as (
      select 'organizations'::regclass::oid as oid
      union
      select c.conrelid from pg_constraint c join follows f on c.confrelid = f.oid
      where c.contype = 'f' and c.confdeltype = 'c'
    )
    select t.relname as name from pg_class t join pg_attribute a on a.attrelid = t.oid
    where t.relnamespace = 'public'::regnamespace and t.relkind = 'r' and a.attname = 'org_id' and not a.attisdropped
      and t.oid not in (select oid from follows) and t.relname not like 'audit\\_%'`.execute(db.kysely);
  for (const { name } of rows) {
    const table = sql.table(name);
    await inBatches(rowBatch, (limit) =>
      sql`delete from ${table} where ctid = any(array(select ctid from ${table} where org_id = ${orgId} limit ${limit}))`.execute(
        db.kysely,
      ),
    );
  }
}

async function inBatches(
  limit: number,
  remove: (limit: number) => Promise<{ numAffectedRows?: bigint | undefined }>,
): Promise<void> {
  for (;;) {
    const { numAffectedRows = 0n } = await remove(limit);
    if (Number(numAffectedRows) < limit) return;
  }
}

/** Deletes the organization with everything that references it, and the users who belong to no other one. */
export async function deleteOrganizationRow(db: Database, orgId: string): Promise<void> {
  await db.transaction(async (trx) => {
    const members = await trx.selectFrom('members').select('user_id').where('org_id', '=', orgId).execute();
    await trx.deleteFrom('organizations').where('id', '=', orgId).where('state', '=', 'deleting').execute();
    const ids = members.map(({ user_id: id }) => id);
    if (ids.length === 0) return;
    await trx
      .deleteFrom('users')
      .where('id', 'in', ids)
      .where((eb) =>
        eb.not(eb.exists(eb.selectFrom('members').select('user_id').whereRef('members.user_id', '=', 'users.id'))),
      )
      .execute();
  });
}

/** Returns those of these organizations that exist. */
export async function listExisting(db: Kysely<DB>, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.selectFrom('organizations').select('id').where('id', 'in', ids).execute();
  return rows.map(({ id }) => id);
}
