import { sql } from 'kysely';
import type { Database } from '../../db/pool.ts';

export interface Bucket {
  /** A hash, because typed e-mails must not be stored. */
  name: string;
  /** Number of failures that do not block yet. */
  free: number;
  /** Maximum duration of a block. */
  longestSeconds: number;
}

/** Counts an attempt as failed; returns the end of the block instead if a bucket is blocked. */
export async function takeAttempt(
  db: Database,
  buckets: readonly Bucket[],
  forgetSeconds: number,
  now: Date,
): Promise<Date | null> {
  const result = await sql<{ until: Date | null }>`
    select take_sign_in_attempt(${buckets.map(({ name }) => name)}::text[],
      ${buckets.map(({ free }) => free)}::integer[], ${buckets.map(({ longestSeconds }) => longestSeconds)}::float8[],
      ${forgetSeconds}, ${now}) as until`.execute(db.kysely);
  return result.rows[0]?.until ?? null;
}

/** Refunds a successful attempt. */
export async function returnAttempt(db: Database, buckets: readonly Bucket[]): Promise<void> {
  await sql`
    update sign_in_attempts a
    set failures = greatest(0, a.failures - 1),
        blocked_until = case when ceil(a.failures - 1) < l.free then '-infinity' else a.blocked_until end
    from unnest(${buckets.map(({ name }) => name)}::text[], ${buckets.map(({ free }) => free)}::integer[]) as l (name, free)
    where l.name = a.bucket`.execute(db.kysely);
}

/** Purges forgotten failures. */
export async function purgeAttempts(db: Database, before: Date): Promise<void> {
  await db.kysely.deleteFrom('sign_in_attempts').where('counted_at', '<', before).execute();
}
