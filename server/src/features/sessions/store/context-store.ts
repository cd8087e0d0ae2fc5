import type { Kysely } from 'kysely';
import { named, type Database } from '../../../db/pool.ts';

import type { DB } from '../../../db/types.ts';

/** The last context of a session; `given` is null for none. Also says if a run continues with it. */
export interface StoredContext {
  equipped: boolean;
  given: unknown;
}

/** Returns the context for a run; undefined if it no longer owns the session. */
export async function readRunContext(db: Database, id: string, fence: number): Promise<StoredContext | undefined> {
  const rows = await named<StoredContext>(
    db,
    'session_context_of_run',
    `select s.equipped, c.given from sessions s left join lateral (
       select given from session_contexts where session_id = s.id order by turn desc limit 1) c on true
     where s.id = $1 and s.fence = $2`,
    [id, fence],
  );
  return rows[0];
}

/** Records the context of a session for its turn; false if the run no longer owns the session. */
export async function insertContext(db: Database, id: string, fence: number, given: object): Promise<boolean> {
  const rows = await named(
    db,
    'session_context_insert',
    `with held as (update sessions set equipped = true where id = $1 and fence = $2 returning id, turn)
     insert into session_contexts (session_id, turn, given) select id, turn, $3::jsonb from held
     on conflict (session_id, turn) do update set given = excluded.given, created_at = excluded.created_at
     returning session_id`,
    [id, fence, JSON.stringify(given)],
  );
  return rows.length === 1;
}

/** Returns the last context of a session; undefined before its first start. */
export async function readNewestContext(db: Kysely<DB>, sessionId: string) {
  return db
    .selectFrom('session_contexts')
    .select(['turn', 'given', 'created_at'])
    .$narrowType<{ given: unknown }>()
    .where('session_id', '=', sessionId)
    .orderBy('turn', 'desc')
    .limit(1)
    .executeTakeFirst();
}
