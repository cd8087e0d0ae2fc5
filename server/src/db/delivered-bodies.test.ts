import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { migrate } from './migrate.ts';

const migrations = fileURLToPath(new URL('migrations/', import.meta.url));
const moving = '20261129370000_delivered_bodies.sql';

test('the descriptions of what sessions delivered move out of their repositories, and go with their session', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'guildhall-migrations-'));
  const target = await createEmptyDatabase();
  const { pool } = target.database;
  try {
    for (const name of readdirSync(migrations))
      if (name < moving) cpSync(join(migrations, name), join(directory, name));
    await migrate(target.database, { directory });
    await pool.query("insert into organizations (id, slug, name) values ('org_1', 'o', 'O')");
    await pool.query('alter table sessions drop constraint sessions_agent_id_fkey');
    const [one, two, three] = ['repo_1', 'repo_2', 'repo_3'].map((id) => ({ repository_id: id, branch: `b/${id}` }));
    const stored = {
      ses_a: [{ ...one, delivered_body: 'First.' }, two, { ...three, delivered_body: '' }],
      ses_b: [{ ...one, delivered_body: 'Other.' }],
      ses_c: [two],
      ses_d: [],
    };
    for (const [id, repositories] of Object.entries(stored))
      await pool.query(
        `insert into sessions (id, org_id, title, prompt, agent_id, agent_version, created_by_type, created_by_id, repositories)
         values ($1, 'org_1', '', '', 'agt_1', 1, 'user', 'usr_1', $2)`,
        [id, JSON.stringify(repositories)],
      );
    cpSync(join(migrations, moving), join(directory, moving));
    await migrate(target.database, { directory });
    const kept = await pool.query('select id, repositories from sessions order by id');
    expect(kept.rows).toEqual([
      { id: 'ses_a', repositories: [one, two, three] },
      { id: 'ses_b', repositories: [one] },
      { id: 'ses_c', repositories: [two] },
      { id: 'ses_d', repositories: [] },
    ]);
    await pool.query("delete from sessions where id = 'ses_b'");
    const moved = await pool.query('select * from session_delivered_bodies order by session_id, repository_id');
    expect(moved.rows).toEqual([
      { session_id: 'ses_a', repository_id: 'repo_1', body: 'First.' },
      { session_id: 'ses_a', repository_id: 'repo_3', body: '' },
    ]);
  } finally {
    await target.drop();
    rmSync(directory, { recursive: true, force: true });
  }
});
