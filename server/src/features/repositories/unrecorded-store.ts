import { sql, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

const nameOf = (id: string): string => `new repository ${id}`;

/** Keeps others from taking the files of a repository away that this transaction records. */
export async function lockNew(trx: Transaction<DB>, id: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${nameOf(id)}, 0))`.execute(trx);
}

/** Returns false if a transaction records the repository right now. */
export async function tryLockNew(trx: Transaction<DB>, id: string): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${nameOf(id)}, 0)) as got`.execute(trx);
  return rows[0]?.got === true;
}
