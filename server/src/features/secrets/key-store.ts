import type { Kysely } from 'kysely';
import type { WrappedKey } from '../../adapters/keys/port.ts';
import type { Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';

/** A version of an organization's data key, wrapped by the ring. */
export interface StoredKey extends WrappedKey {
  readonly orgId: string;
  readonly version: number;
}

const columns = ['org_id', 'version', 'ring_key', 'wrapped'] as const;

/** Returns the given version, or the newest. */
export async function readKey(db: Kysely<DB>, orgId: string, version?: number): Promise<StoredKey | undefined> {
  const row = await db
    .selectFrom('organization_keys')
    .select(columns)
    .where('org_id', '=', orgId)
    .$if(version !== undefined, (query) => query.where('version', '=', version ?? 0))
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? undefined : stored(row);
}

/** Returns false if that version already exists. */
export async function insertKey(db: Kysely<DB>, { orgId, version, ringKey, wrapped }: StoredKey): Promise<boolean> {
  const row = await db
    .insertInto('organization_keys')
    .values({ org_id: orgId, version, ring_key: ringKey, wrapped })
    .onConflict((conflict) => conflict.doNothing())
    .returning('version')
    .executeTakeFirst();
  return row !== undefined;
}

/** Replaces the wrapping of a data key, unless it was changed concurrently. */
export async function replaceWrapping(db: Kysely<DB>, before: StoredKey, after: WrappedKey): Promise<void> {
  await db
    .updateTable('organization_keys')
    .set({ ring_key: after.ringKey, wrapped: after.wrapped })
    .where('org_id', '=', before.orgId)
    .where('version', '=', before.version)
    .where('wrapped', '=', before.wrapped)
    .execute();
}

/** Lists data keys that are wrapped by another ring key, in a stable order, starting after `after`. */
export async function listWrappedOtherwise(
  db: Kysely<DB>,
  ringKey: string,
  after: StoredKey | undefined,
  limit: number,
): Promise<StoredKey[]> {
  const rows = await db
    .selectFrom('organization_keys')
    .select(columns)
    .where('ring_key', '<>', ringKey)
    .$if(after !== undefined, (query) =>
      query.where((eb) => eb(eb.refTuple('org_id', 'version'), '>', eb.tuple(after?.orgId ?? '', after?.version ?? 0))),
    )
    .orderBy('org_id')
    .orderBy('version')
    .limit(limit)
    .execute();
  return rows.map(stored);
}

/** Counts the data keys that each key of the ring wraps. */
export async function countByRingKey(db: Kysely<DB>): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('organization_keys')
    .select((eb) => ['ring_key' as const, eb.fn.countAll<number>().as('keys')])
    .groupBy('ring_key')
    .execute();
  return new Map(rows.map(({ ring_key, keys }) => [ring_key, keys]));
}

/** Serializes changes of the ring across all machines. */
export async function withRingLock<T>(db: Database, run: () => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('guildhall key ring', 0))`);
    return await run();
  } finally {
    // The lock ends with its connection.
    client.release(true);
  }
}

function stored(row: { org_id: string; version: number; ring_key: string; wrapped: Buffer }): StoredKey {
  return { orgId: row.org_id, version: row.version, ringKey: row.ring_key, wrapped: row.wrapped };
}
