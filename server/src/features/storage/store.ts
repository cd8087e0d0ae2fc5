import { sql, type Kysely, type Transaction } from 'kysely';
import type { Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';

export interface Stored {
  key: string;
  orgId: string;
  bytes: number;
}

/** Adds to the bytes of a key, unless its organization would exceed `max`: then returns false and adds nothing. */
export async function addBytes(db: Database, { key, orgId, bytes }: Stored, max: number): Promise<boolean> {
  // The lock lets concurrent additions see each other.
  const { rows } = await db.pool.query(
    `with counted as (select used_bytes from organization_storage where org_id = $2 for update)
     insert into stored_bytes (key, org_id, size_bytes)
     select $1, $2, $3::bigint from counted where used_bytes + $3::bigint <= $4::bigint
     on conflict (key) do update set size_bytes = stored_bytes.size_bytes + excluded.size_bytes, updated_at = now()
     returning key`,
    [key, orgId, bytes, Math.min(max, Number.MAX_SAFE_INTEGER)],
  );
  return rows.length === 1;
}

/** Sets the bytes of keys. Skips keys of organizations that do not exist. */
export async function setBytes(db: Database, stored: readonly Stored[]): Promise<void> {
  await db.pool.query(
    `insert into stored_bytes (key, org_id, size_bytes)
     select key, org_id, bytes from unnest($1::text[], $2::text[], $3::bigint[]) as stored (key, org_id, bytes)
     where org_id in (select id from organizations)
     on conflict (key) do update set size_bytes = excluded.size_bytes, updated_at = now()`,
    [stored.map(({ key }) => key), stored.map(({ orgId }) => orgId), stored.map(({ bytes }) => bytes)],
  );
}

/** Sets the bytes of a key together with what it counts. */
export async function setBytesIn(trx: Transaction<DB>, { key, orgId, bytes }: Stored): Promise<void> {
  const now = sql<Date>`now()`;
  await trx
    .insertInto('stored_bytes')
    .values({ key, org_id: orgId, size_bytes: bytes })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ size_bytes: bytes, updated_at: now }))
    .execute();
}

/** Deletes the counts of keys; with `before` only those that were not updated since. */
export async function deleteBytes(db: Database, keys: readonly string[], before?: Date): Promise<void> {
  await db.kysely
    .deleteFrom('stored_bytes')
    .where('key', 'in', keys)
    .$if(before !== undefined, (query) => query.where('updated_at', '<', before ?? new Date(0)))
    .execute();
}

/** Returns the stored bytes of an organization; 0 if it does not exist. */
export async function readUsed(db: Kysely<DB>, orgId: string): Promise<number> {
  const row = await db
    .selectFrom('organization_storage')
    .select('used_bytes')
    .where('org_id', '=', orgId)
    .executeTakeFirst();
  return row?.used_bytes ?? 0;
}

/** Returns the bytes of keys with this prefix, sorted by key, after `after`. */
export async function listStored(db: Database, prefix: string, after: string, limit: number) {
  return db.kysely
    .selectFrom('stored_bytes')
    .select(['key', 'size_bytes', 'updated_at'])
    .where('key', '>', after)
    .where(sql<boolean>`starts_with(key, ${prefix})`)
    .where('key', '>=', prefix)
    .orderBy('key')
    .limit(limit)
    .execute();
}

/** Returns the bytes of organizations by kind, largest first; of all, or of one. */
export async function listUse(db: Kysely<DB>, orgId?: string) {
  return db
    .selectFrom('organization_storage')
    .innerJoin('organizations', 'organizations.id', 'organization_storage.org_id')
    .select(['organizations.slug', 'organization_storage.used_bytes'])
    .select(
      sql<Record<string, number>>`(
        select coalesce(jsonb_object_agg(kind, kinds.used_bytes), '{}') from organization_storage_kinds as kinds
        where kinds.org_id = organization_storage.org_id
      )`.as('by_kind'),
    )
    .$if(orgId !== undefined, (query) => query.where('organization_storage.org_id', '=', orgId ?? ''))
    .orderBy('organization_storage.used_bytes', 'desc')
    .orderBy('organizations.slug')
    .execute();
}

/** Returns totals for the operator's metrics: the bytes of all organizations, and how many have at least `max`. */
export async function readTotals(db: Kysely<DB>, max: number): Promise<{ usedBytes: number; full: number }> {
  const row = await db
    .selectFrom('organization_storage')
    .select([
      sql<number>`coalesce(sum(used_bytes), 0)::bigint`.as('usedBytes'),
      sql<number>`count(*) filter (where used_bytes >= ${Math.min(max, Number.MAX_SAFE_INTEGER)})`.as('full'),
    ])
    .executeTakeFirst();
  return row ?? { usedBytes: 0, full: 0 };
}
