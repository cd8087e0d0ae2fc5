import { sql } from 'kysely';
import { named, type Database } from '../db/pool.ts';

/** Takes `want` tokens from a shared bucket, which has the id of a key, a sign-in or a principal. */
export async function takeTokens(
  db: Database,
  bucket: string,
  limit: { perSecond: number; burst: number },
  want: number,
): Promise<{ granted: number; remaining: number }> {
  const rows = await named<{ granted: number; remaining: number }>(
    db,
    'rate_limit_take',
    'select granted, remaining from take_rate_tokens($1, $2, $3, $4)',
    [bucket, limit.perSecond, limit.burst, want],
  );
  return rows[0] ?? { granted: 0, remaining: 0 };
}

/** Deletes buckets that were not used for a day; they are full. */
export async function purgeRateLimits(db: Database): Promise<void> {
  await db.kysely
    .deleteFrom('rate_limits')
    .where('refilled_at', '<', sql<Date>`now() - interval '1 day'`)
    .execute();
}
