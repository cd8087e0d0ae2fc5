import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createEmptyDatabase } from '../../test/support/database.ts';
import { migrate } from './migrate.ts';

const migrations = fileURLToPath(new URL('migrations/', import.meta.url));
const splitting = '20261125013000_skill_matches.sql';

test('why the prompt asked for a skill is taken out of the reasons that are on record', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'guildhall-migrations-'));
  const target = await createEmptyDatabase();
  const { pool } = target.database;
  try {
    for (const name of readdirSync(migrations))
      if (name < splitting) cpSync(join(migrations, name), join(directory, name));
    await migrate(target.database, { directory });
    await pool.query('alter table session_contexts drop constraint session_contexts_session_id_fkey');
    const skills = [
      { name: 'pdf', reason: 'It is for acme/web.io, which acme/web.io is. The prompt names it.' },
      { name: 'sql', reason: 'The session chose it. The prompt shares words with it: sql, migration.' },
      { name: 'css', reason: 'It is for the whole organization.' },
    ];
    const contexts = {
      ses_a: { skills, memory: [] },
      ses_b: { skills: [skills[2]] },
      ses_c: { skills: [] },
      ses_d: {},
    };
    for (const [id, given] of Object.entries(contexts))
      await pool.query('insert into session_contexts (session_id, turn, given) values ($1, 1, $2)', [id, given]);
    cpSync(join(migrations, splitting), join(directory, splitting));
    await migrate(target.database, { directory });
    const { rows } = await pool.query('select session_id, given from session_contexts order by session_id');
    const matches = ['The prompt names it.', 'The prompt shares words with it: sql, migration.'];
    const split = skills.map((skill, at) => (at < 2 ? { ...skill, match: matches[at] } : skill));
    expect(rows).toEqual(
      Object.entries({ ...contexts, ses_a: { skills: split, memory: [] } }).map(([id, given]) => ({
        session_id: id,
        given,
      })),
    );
  } finally {
    await target.drop();
    rmSync(directory, { recursive: true, force: true });
  }
});
