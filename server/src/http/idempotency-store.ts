import { sql, type Transaction } from 'kysely';
import { named, type Database } from '../db/pool.ts';
import type { DB } from '../db/types.ts';

export interface IdempotencyRecord {
  request_hmac: string;
  status: number | null;
  body: unknown;
  /** True while the first request is running. */
  locked: boolean;
}

const lockSeconds = 60;

/** Claims the key for this request: true when it was free, older than 24 h, or left by a dead process. */
export async function claimIdempotencyKey(
  db: Database,
  claim: { keyId: string; idempotencyKey: string; hmac: string; owner: string },
): Promise<boolean> {
  const rows = await named<{ owner: string }>(
    db,
    'idempotency_claim',
    `insert into idempotency_keys as i (key_id, idempotency_key, request_hmac, owner, locked_until)
     values ($1, $2, $3, $4, now() + make_interval(secs => ${lockSeconds}))
     on conflict (key_id, idempotency_key) do update
       set request_hmac = excluded.request_hmac, owner = excluded.owner, locked_until = excluded.locked_until,
           status = null, body = null, created_at = now()
       where i.created_at < now() - interval '24 hours'
          or (i.status is null and i.locked_until < now() and i.request_hmac = excluded.request_hmac)
     returning owner`,
    [claim.keyId, claim.idempotencyKey, claim.hmac, claim.owner],
  );
  return rows.length === 1;
}

export async function readIdempotencyKey(
  db: Database,
  keyId: string,
  idempotencyKey: string,
): Promise<IdempotencyRecord | undefined> {
  return db.kysely
    .selectFrom('idempotency_keys')
    .select(['request_hmac', 'status', 'body', sql<boolean>`locked_until >= now()`.as('locked')])
    .where('key_id', '=', keyId)
    .where('idempotency_key', '=', idempotencyKey)
    .executeTakeFirst();
}

export async function renewIdempotencyKey(db: Database, keyId: string, owner: string): Promise<void> {
  await db.kysely
    .updateTable('idempotency_keys')
    .set({ locked_until: sql<Date>`now() + make_interval(secs => ${lockSeconds})` })
    .where('key_id', '=', keyId)
    .where('owner', '=', owner)
    .execute();
}

/** Stores the response; false when another request has taken the key over. */
export async function completeIdempotencyKey(
  db: Database['kysely'] | Transaction<DB>,
  answer: { keyId: string; owner: string; status: number; body: string },
): Promise<boolean> {
  const result = await db
    .updateTable('idempotency_keys')
    .set({ status: answer.status, body: answer.body })
    .where('key_id', '=', answer.keyId)
    .where('owner', '=', answer.owner)
    .where('status', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

export async function releaseIdempotencyKey(db: Database, keyId: string, owner: string): Promise<void> {
  await db.kysely
    .deleteFrom('idempotency_keys')
    .where('key_id', '=', keyId)
    .where('owner', '=', owner)
    .where('status', 'is', null)
    .execute();
}

/** Deletes responses older than a day, which are no longer replayed. */
export async function purgeIdempotencyKeys(db: Database): Promise<void> {
  await db.kysely
    .deleteFrom('idempotency_keys')
    .where('created_at', '<', sql<Date>`now() - interval '24 hours'`)
    .execute();
}
