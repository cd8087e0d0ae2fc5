import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { migrate } from './migrate.ts';

const migrations = fileURLToPath(new URL('migrations/', import.meta.url));
const ours = '20261125010000_session_transitions.sql';

test('what a worker of the version before gave back has no lease any more, and what one holds keeps it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'guildhall-migrations-'));
  const target = await createEmptyDatabase();
  const { pool } = target.database;
  try {
    for (const name of readdirSync(migrations)) if (name < ours) cpSync(join(migrations, name), join(directory, name));
    await migrate(target.database, { directory });
    await pool.query("insert into organizations (id, slug, name) values ('org_1', 'o', 'O')");
    await pool.query("insert into agents (id, org_id, name) values ('agt_1', 'org_1', 'A')");
    const insert = `insert into sessions (id, org_id, prompt, status, agent_id, agent_version, created_by_type, created_by_id,
        lease_owner, lease_until, losses, dispatched)
      values ($1, 'org_1', 'x', $2, 'agt_1', 1, 'user', 'usr_1', $3, $4, $5, true)`;
    const [past, later] = [new Date(0), new Date(Date.now() + 60_000)];
    await pool.query(insert, ['ses_1', 'running', '', past, -1]);
    await pool.query(insert, ['ses_2', 'provisioning', 'worker', past, -1]);
    await pool.query(insert, ['ses_3', 'running', 'worker', later, 2]);
    cpSync(join(migrations, ours), join(directory, ours));
    await migrate(target.database, { directory });
    const { rows } = await pool.query('select id, lease_owner, lease_until, losses from sessions order by id');
    expect(rows).toEqual([
      { id: 'ses_1', lease_owner: '', lease_until: null, losses: 0 },
      { id: 'ses_2', lease_owner: '', lease_until: null, losses: 0 },
      { id: 'ses_3', lease_owner: 'worker', lease_until: later, losses: 2 },
    ]);
  } finally {
    await target.drop();
    rmSync(directory, { recursive: true, force: true });
  }
});
