import type { Database } from '../../server/src/db/pool.ts';

/**
 * Fills an organization up to `count` ended sessions as real use leaves them: four phases with evidence, tags, a
 * repository.
 */
export async function seedSessions(db: Database, orgId: string, count: number): Promise<void> {
  const { rows } = await db.pool.query<{ n: number; agent: string }>(
    `select (select count(*) from sessions where org_id = $1) as n, (select id from agents where org_id = $1 limit 1) as agent`,
    [orgId],
  );
  const present = rows[0]?.n ?? 0;
  const client = await db.pool.connect();
  try {
    await client.query('set statement_timeout = 0');
    for (let from = present; from < count; from += 50_000)
      await client.query(insert, [orgId, rows[0]?.agent, from, Math.min(count, from + 50_000) - 1]);
    await client.query('vacuum analyze sessions');
  } finally {
    client.release(true);
  }
}

const phase = (name: string, evidence: string): string =>
  `jsonb_build_object('name', '${name}', 'status', 'passed', 'started_at', '2026-01-01T00:00:00.000Z', 'ended_at', '2026-01-01T00:01:00.000Z', 'summary', 'Done.', 'evidence', ${evidence})`;
const command = `jsonb_build_array(jsonb_build_object('kind', 'command', 'command', 'npm test', 'exit_code', 0, 'duration_ms', 1234, 'output_tail', repeat('ok ', 100), 'artifact_id', null))`;

const insert = `
  insert into sessions (id, org_id, title, prompt, status, status_detail, agent_id, agent_version, repositories, repo_names,
                        tags, metadata, created_by_type, created_by_id, verification, last_seq, phases, created_at, updated_at,
                        started_at, ended_at)
  select 'ses_' || lpad(to_hex(n), 26, '0'), $1, 'Fix the parser ' || n, 'The parser fails on empty input. Reproduce and fix it.',
         'completed', 'finished', $2, 1,
         jsonb_build_array(jsonb_build_object('provider', 'local', 'repo', 'acme/widgets', 'repository_id', 'repo_1',
           'base_ref', 'main', 'base_commit', repeat('a', 40), 'branch', 'guildhall/fix-' || n)),
         array['acme/widgets', 'local:acme/widgets'], array['nightly'], '{"team": "core"}', 'user', 'usr_1', 'fixed', 120,
         jsonb_build_array(${phase('reproduce', command)}, ${phase('implement', "'[]'::jsonb")}, ${phase('verify', command)}, ${phase('deliver', "'[]'::jsonb")}),
         now(), now(), now(), now()
  from generate_series($3::int, $4::int) as n`;
