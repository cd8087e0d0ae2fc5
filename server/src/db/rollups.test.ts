import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { rollUp } from '../features/consumption/rollup-service.ts';
import { migrate } from './migrate.ts';

const migrations = fileURLToPath(new URL('migrations/', import.meta.url));
const rollups = '20261126130000_rollups.sql';

test('calls, sessions, change requests and prices from before there were rollups are in them', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'guildhall-migrations-'));
  const target = await createEmptyDatabase();
  const { pool } = target.database;
  try {
    for (const name of readdirSync(migrations))
      if (name < rollups) cpSync(join(migrations, name), join(directory, name));
    await migrate(target.database, { directory });
    await pool.query("insert into organizations (id, slug, name) values ('org_1', 'o', 'O')");
    await pool.query("insert into agents (id, org_id, name) values ('agt_1', 'org_1', 'x')");
    await pool.query(
      `insert into sessions (id, org_id, prompt, agent_id, agent_version, created_by_type, created_by_id, origin, automation_id,
         repositories, tags, status, created_at, started_at, ended_at, sandbox_seconds)
       values ('ses_1', 'org_1', 'x', 'agt_1', 1, 'user', 'usr_1', 'automation', 'aut_1', '[{"provider":"local","repo":"a/b"}]', '{t}',
           'completed', '2026-10-01T23:00:00Z', '2026-10-01T23:01:00Z', '2026-10-02T01:00:00Z', 60),
         ('ses_2', 'org_1', 'x', 'agt_1', 1, 'session', 'ses_1', 'session', '', '[]', '{}', 'queued', '2026-10-02T00:00:00Z', null, null, 0)`,
    );
    await pool.query(
      `insert into usage_records (id, org_id, session_id, principal_type, principal_id, origin, repository, provider, model,
         input_tokens, output_tokens, cached_input_tokens, cache_write_tokens, cost_usd, price_source, created_at)
       values ('use_1', 'org_1', 'ses_1', 'user', 'usr_1', 'automation', 'local:a/b', 'p', 'p/m', 1, 2, 0, 0, 0.5, 'published',
           '2026-10-01T23:59:59Z'),
         ('use_2', 'org_1', 'ses_2', 'user', 'usr_1', 'session', '', 'p', 'p/m', 1, 2, 0, 0, 0.25, 'published', '2026-10-02T00:00:00Z'),
         ('use_3', 'org_1', 'ses_gone', 'user', 'usr_2', 'api', '', 'p', 'p/m', 1, 2, 0, 0, 0.125, 'published', '2026-10-02T00:00:00Z')`,
    );
    await pool.query(`insert into settings (org_id, namespace, value, updated_at)
      values ('org_1', 'models', '{"prices": {"p/m": {"input_per_mtok": 1, "output_per_mtok": 2}}}', '2026-09-01T00:00:00Z')`);
    await migrate(target.database);
    await rollUp({ db: target.database });
    const { rows: days } = await pool.query(
      `select dimension, value, day, cost_usd, sandbox_seconds from usage_days where value <> '' or dimension = 'organization'
       order by dimension, value, day`,
    );
    const sum = (dimension: string, value: string, day: string, cost: string, sandbox = '0.000') => ({
      dimension,
      value,
      day,
      cost_usd: cost,
      sandbox_seconds: sandbox,
    });
    const first = days.filter(({ day }) => day === '2026-10-01');
    expect(first).toEqual([
      sum('automation', 'aut_1', '2026-10-01', '0.500000'),
      sum('model', 'p/m', '2026-10-01', '0.500000'),
      sum('organization', '', '2026-10-01', '0.500000'),
      sum('repo', 'local:a/b', '2026-10-01', '0.500000'),
      sum('repo_tag', 'local:a/b\nt', '2026-10-01', '0.500000'),
      sum('tag', 't', '2026-10-01', '0.500000'),
      sum('user', 'usr_1', '2026-10-01', '0.500000'),
    ]);
    // The child's calls are those of the automation, too.
    expect(days).toContainEqual(sum('automation', 'aut_1', '2026-10-02', '0.250000'));
    expect(days).toContainEqual(sum('organization', '', '2026-10-02', '0.375000'));
    const { rows: metrics } = await pool.query(
      `select metric, day, count, seconds from metric_days where dimension = 'organization' and metric not like '%/%' order by metric, day`,
    );
    expect(metrics).toEqual([
      { metric: 'session.completed', day: '2026-10-02', count: 1, seconds: '0.000' },
      { metric: 'session.created', day: '2026-10-01', count: 1, seconds: '0.000' },
      { metric: 'session.created', day: '2026-10-02', count: 1, seconds: '0.000' },
      { metric: 'session.queued', day: '2026-10-01', count: 1, seconds: '60.000' },
    ]);
    const { rows: prices } = await pool.query('select model, cached_input_per_mtok, effective_until from model_prices');
    expect(prices).toEqual([{ model: 'p/m', cached_input_per_mtok: '1', effective_until: null }]);
  } finally {
    await target.drop();
    rmSync(directory, { recursive: true, force: true });
  }
});
