import type { Database } from '../../server/src/db/pool.ts';
import { runRetention } from '../../server/src/jobs/retention.ts';
import { removeOldEvents } from '../../server/src/features/sessions/run/event-retention-service.ts';
import { systemClock } from '../../server/src/lib/clock.ts';

export interface RetentionFigures {
  /** Events that were removed. */
  removed: number;
  seconds: number;
  /** Sessions that a night looks at, and its seconds when nothing is left to remove. */
  sessions: number;
  againSeconds: number;
  /** Events of a bare `delete` in one statement, and its seconds. */
  bare: { removed: number; seconds: number };
  /** Of the table of events with its indexes, afterwards. */
  vacuumSeconds: number;
}

/** The oldest logs are 400 days old. */
const keptDays = 395;

/** Removes the events of the oldest days as the server does each night, and those of as many sessions by a bare statement. */
export async function measureRetention(db: Database, say: (line: string) => void): Promise<RetentionFigures> {
  await db.pool.query(
    `insert into settings (org_id, namespace, value) select id, 'retention', $1::jsonb from organizations where slug = 'default'
     on conflict (org_id, namespace) do update set value = excluded.value`,
    [JSON.stringify({ events_days: keptDays })],
  );
  const retention = { kind: 'events', remove: removeOldEvents };
  const run = { orgId: '', isDryRun: false, signal: new AbortController().signal };
  const remove = async (): Promise<{ count: number; seconds: number }> => {
    const begun = performance.now();
    const removals = await runRetention(retention, { db, clock: systemClock }, run);
    const count = [...removals.values()].reduce((sum, removed) => sum + removed.count, 0);
    return { count, seconds: (performance.now() - begun) / 1_000 };
  };
  const first = await remove();
  say(`${first.count.toLocaleString('en')} events in ${first.seconds.toFixed(0)} s`);
  const again = await remove();
  const { rows } = await db.pool.query<{ count: number }>('select count(*) from sessions');
  const begun = performance.now();
  const bare = await db.pool.query(
    `delete from session_events where session_id in (
       select s.id from sessions s where s.created_at >= now() - $1 * interval '1 day' and s.created_at < now() - $2 * interval '1 day')`,
    [keptDays, keptDays - (400 - keptDays)],
  );
  const bareSeconds = (performance.now() - begun) / 1_000;
  const before = performance.now();
  await db.pool.query('vacuum session_events');
  return {
    removed: first.count,
    seconds: first.seconds,
    sessions: rows[0]?.count ?? 0,
    againSeconds: again.seconds,
    bare: { removed: bare.rowCount ?? 0, seconds: bareSeconds },
    vacuumSeconds: (performance.now() - before) / 1_000,
  };
}
