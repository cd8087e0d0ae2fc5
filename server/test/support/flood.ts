import type { Database } from '../../src/db/pool.ts';

let floods = 0;

/** Queues `each` sessions in every organization, a millisecond apart, in one statement. None of them has a message. */
export async function flood(db: Database, orgIds: readonly string[], each: number): Promise<void> {
  floods += 1;
  await db.pool.query(
    `insert into sessions (id, org_id, prompt, agent_id, agent_version, created_by_type, created_by_id, created_at)
     select 'ses_flood_' || $3::int || '_' || o.place || '_' || n, o.id, 'Do it.',
       (select id from agents a where a.org_id = o.id limit 1), 1, 'user', 'usr_1', now() - interval '1 day' + n * interval '1 ms'
     from unnest($1::text[]) with ordinality o (id, place), generate_series(1, $2::int) n`,
    [orgIds, each, floods],
  );
}
