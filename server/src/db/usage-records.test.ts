import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { migrate } from './migrate.ts';

const migrations = fileURLToPath(new URL('migrations/', import.meta.url));
const ledger = '20261125150000_usage_records.sql';

test('what sessions used before there was a ledger is in it as opening records', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'guildhall-migrations-'));
  const target = await createEmptyDatabase();
  const { pool } = target.database;
  try {
    for (const name of readdirSync(migrations))
      if (name < ledger) cpSync(join(migrations, name), join(directory, name));
    await migrate(target.database, { directory });
    await pool.query("insert into organizations (id, slug, name) values ('org_1', 'o', 'O')");
    await pool.query("insert into agents (id, org_id, name) values ('agt_1', 'org_1', 'x')");
    const session = `insert into sessions (id, org_id, prompt, agent_id, agent_version, created_by_type, created_by_id, origin,
        repositories, updated_at)
      values ($1, 'org_1', 'x', 'agt_1', 1, $2, $3, $4, $5, '2026-11-01T00:00:00Z')`;
    const repositories = JSON.stringify([
      { provider: 'local', repo: 'acme/one' },
      { provider: 'local', repo: 'acme/two' },
    ]);
    await pool.query(session, ['ses_1', 'user', 'usr_1', 'api', repositories]);
    await pool.query(session, ['ses_2', 'session', 'ses_1', 'session', '[]']);
    await pool.query(session, ['ses_3', 'session', 'ses_gone', 'session', '[]']);
    await pool.query(
      `insert into session_usage (session_id, org_id, model, input_tokens, output_tokens, cached_input_tokens, cost_usd)
       values ('ses_1', 'org_1', 'anthropic/a', 10, 2, 5, 0.1::float8 + 0.2::float8), ('ses_1', 'org_1', 'openai/b', 1, 1, 0, 0),
         ('ses_2', 'org_1', 'scripted', 7, 3, 0, 1e-6), ('ses_3', 'org_1', 'anthropic/a', 1, 1, 0, 12345678.000001)`,
    );
    cpSync(join(migrations, ledger), join(directory, ledger));
    await migrate(target.database, { directory });
    const { rows } = await pool.query(
      `select session_id, principal_type || ':' || principal_id as principal, origin, repository, provider, model, input_tokens,
         output_tokens, cached_input_tokens, cost_usd, price_source, created_at from usage_records order by session_id, model`,
    );
    const common = { price_source: 'opening', created_at: new Date('2026-11-01T00:00:00Z') };
    const one = {
      ...common,
      session_id: 'ses_1',
      principal: 'user:usr_1',
      origin: 'api',
      repository: 'local:acme/one',
    };
    const child = { ...common, origin: 'session', repository: '' };
    const tokens = (input: number, output: number, cached: number) => ({
      input_tokens: input,
      output_tokens: output,
      cached_input_tokens: cached,
    });
    expect(rows).toEqual([
      { ...one, provider: 'anthropic', model: 'anthropic/a', ...tokens(10, 2, 5), cost_usd: '0.300000' },
      { ...one, provider: 'openai', model: 'openai/b', ...tokens(1, 1, 0), cost_usd: '0.000000' },
      {
        ...child,
        session_id: 'ses_2',
        principal: 'user:usr_1',
        provider: '',
        model: 'scripted',
        ...tokens(7, 3, 0),
        cost_usd: '0.000001',
      },
      {
        ...child,
        session_id: 'ses_3',
        principal: 'session:ses_gone',
        provider: 'anthropic',
        model: 'anthropic/a',
        ...tokens(1, 1, 0),
        cost_usd: '12345678.000001',
      },
    ]);
  } finally {
    await target.drop();
    rmSync(directory, { recursive: true });
  }
});
