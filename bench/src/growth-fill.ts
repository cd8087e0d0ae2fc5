import type { Database } from '../../server/src/db/pool.ts';

export interface Extent {
  orgId: string;
  sessions: number;
  /** Of every tenth session. */
  eventsEach: number;
}

/** Every tenth session has a log. */
const logEvery = 10;
const chunk = 500_000;

/**
 * Fills an organization with ended sessions of 400 days, and logs. Triggers are off, so there are no documents of the
 * search; indexes are created at the end, as that takes a tenth of the time.
 */
export async function fillGrowth(db: Database, extent: Extent, say: (line: string) => void): Promise<void> {
  const { orgId, sessions, eventsEach } = extent;
  const createIndexes = await dropIndexes(db);
  const client = await db.pool.connect();
  try {
    await client.query('set session_replication_role = replica');
    const { rows } = await client.query<{ id: string }>('select id from agents where org_id = $1 limit 1', [orgId]);
    for (let from = 0; from < sessions; from += chunk) {
      const to = Math.min(sessions, from + chunk);
      await client.query(insertSessions, [orgId, rows[0]?.id, from, to - 1, sessions]);
      await client.query(insertLabels, [orgId, from, to - 1]);
      await client.query(insertEvents, [orgId, from, to - 1, sessions, eventsEach]);
      say(`${to.toLocaleString('en')} sessions`);
    }
    await client.query(
      `insert into session_counts (org_id, archived, shard, n) values ($1, false, 0, $2)
       on conflict (org_id, archived, shard) do update set n = session_counts.n + excluded.n`,
      [orgId, sessions],
    );
  } finally {
    client.release(true);
  }
  say('indexes');
  await createIndexes(say);
  say('vacuum');
  for (const table of ['sessions', 'session_labels', 'session_events']) await db.pool.query(`vacuum analyze ${table}`);
}

/** Drops the indexes of the large tables, except primary keys. Returns a function that creates them again. */
async function dropIndexes(db: Database): Promise<(say: (line: string) => void) => Promise<void>> {
  const { rows } = await db.pool.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in ('sessions'::regclass, 'session_events'::regclass) and not indisprimary`,
  );
  for (const { name } of rows) await db.pool.query(`drop index ${name}`);
  return async (say) => {
    for (const { name, definition } of rows) {
      await db.pool.query(definition);
      say(name);
    }
  };
}

const createdAt = (n: string, all: string): string =>
  `now() - interval '400 days' + interval '399 days' * (${n}::float8 / ${all}::float8)`;
const phase = (name: string): string =>
  `jsonb_build_object('name', '${name}', 'status', 'passed', 'started_at', '2026-01-01T00:00:00.000Z', 'ended_at', '2026-01-01T00:01:00.000Z', 'summary', 'Done.', 'evidence', '[]'::jsonb)`;

const insertSessions = `
  insert into sessions (id, org_id, title, prompt, status, status_detail, agent_id, agent_version, repositories, repo_names,
                        tags, created_by_type, created_by_id, verification, last_seq, phases, created_at, updated_at,
                        started_at, ended_at)
  select 'ses_' || lpad(to_hex(n), 26, '0'), $1, 'Fix the parser ' || n, 'The parser fails on empty input.',
         case n % 20 when 0 then 'failed' else 'completed' end, case n % 20 when 0 then 'agent_error' else 'finished' end, $2, 1,
         jsonb_build_array(jsonb_build_object('provider', 'local', 'repo', 'acme/' || n % 500, 'repository_id', 'repo_' || n % 500,
           'base_ref', 'main', 'base_commit', repeat('a', 40), 'branch', 'guildhall/fix-' || n)),
         array['acme/' || n % 500, 'local:acme/' || n % 500], array['tag-' || n % 50], 'user', 'usr_' || n % 200, 'fixed', 20,
         case n % 20 when 1 then jsonb_build_array(${phase('reproduce')}, ${phase('implement')}, ${phase('verify')}, ${phase('deliver')})
           else '[]'::jsonb end,
         t.at, t.at, t.at, t.at
  from generate_series($3::int, $4::int) as n, lateral (select ${createdAt('n', '$5')} as at) t`;

const insertLabels = `
  insert into session_labels (org_id, kind, value, archived, session_id)
  select $1, kind, value, false, 'ses_' || lpad(to_hex(n), 26, '0')
  from generate_series($2::int, $3::int) as n,
    lateral (values ('tag', 'tag-' || n % 50), ('repository', 'acme/' || n % 500)) as label (kind, value)`;

const insertEvents = `
  insert into session_events (session_id, seq, id, org_id, kind, turn, attempt_no, data, created_at)
  select 'ses_' || lpad(to_hex(n), 26, '0'), seq, 'evt_' || lpad(to_hex(n::bigint * 256 + seq), 26, '0'), $1,
         case seq when 1 then 'status' else 'output' end, 1, 1,
         case seq when 1 then '{"status":"queued","status_detail":"","sandbox_state":"none"}'
           else '{"command_id":"c1","call_id":"","stream":"stdout","text":"line ' || seq || ' of what a test prints\\n"}' end::json,
         ${createdAt('n', '$4')}
  from generate_series(($2::int + ${logEvery - 1}) / ${logEvery} * ${logEvery}, $3::int, ${logEvery}) as n, generate_series(1, $5::int) as seq`;
