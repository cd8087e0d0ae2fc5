import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { migrate } from './migrate.ts';

const migrations = fileURLToPath(new URL('migrations/', import.meta.url));
const keeping = '20261124134700_secret_writers.sql';

test("secrets that were there before are their creator's, where nobody else is on record as having changed them", async () => {
  const directory = mkdtempSync(join(tmpdir(), 'guildhall-migrations-'));
  const target = await createEmptyDatabase();
  const { pool } = target.database;
  try {
    for (const name of readdirSync(migrations))
      if (name < keeping) cpSync(join(migrations, name), join(directory, name));
    await migrate(target.database, { directory });
    await pool.query("insert into organizations (id, slug, name) values ('org_1', 'o', 'O')");
    for (const [id, permission] of [
      ['usr_admin', 'admin'],
      ['usr_member', 'member'],
    ]) {
      await pool.query("insert into users (id, email, name) values ($1, $1 || '@example.com', $1)", [id]);
      await pool.query("insert into members (org_id, user_id, permission) values ('org_1', $1, $2)", [id, permission]);
    }
    const made: [key: string, type: string, creator: string, changedBy: string[]][] = [
      ['A', 'user', 'usr_admin', []],
      ['B', 'user', 'usr_admin', ['usr_admin']],
      ['C', 'user', 'usr_admin', ['usr_admin', 'usr_member']],
      ['D', 'user', 'usr_member', ['usr_member']],
      ['E', 'user', 'usr_gone', []],
      ['F', 'service_user', 'usr_admin', []],
    ];
    for (const [key, type, creator, changedBy] of made) {
      await pool.query(
        `insert into secrets (id, org_id, key, kind, scope, exposure, sealed, created_by_type, created_by_id)
         values ($1, 'org_1', $1, 'env', 'organization', 'sandbox', '', $2, $3)`,
        [key, type, creator],
      );
      for (const [at, actor] of changedBy.entries())
        await pool.query(
          `insert into audit_entries (id, org_id, action, actor_type, actor_id, actor_display, resource_type, resource_id,
             outcome, ip, user_agent, request_id)
           values ($1, 'org_1', 'secret.set_value', 'user', $2, '', 'secret', $3, 'success', '', '', '')`,
          [`${key}${at}`, actor, key],
        );
    }
    cpSync(join(migrations, keeping), join(directory, keeping));
    await migrate(target.database, { directory });
    const { rows } = await pool.query(
      'select id, value_written_by as value, traits_written_by as traits from secrets order by id',
    );
    const by = (id: string, writer: string) => ({ id, value: writer, traits: writer });
    expect(rows).toEqual([
      by('A', 'administrator'),
      by('B', 'administrator'),
      by('C', ''),
      by('D', 'user:usr_member'),
      by('E', 'user:usr_gone'),
      by('F', 'service_user:usr_admin'),
    ]);
  } finally {
    await target.drop();
    rmSync(directory, { recursive: true });
  }
});
