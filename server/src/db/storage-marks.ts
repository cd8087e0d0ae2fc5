import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './pool.ts';

/**
 * Returns the mark of the storage that the processes of this database share. The first caller creates it with `write`;
 * concurrent callers wait.
 */
export async function markOfStorage(
  db: Database,
  setting: string,
  write: (mark: string) => Promise<void>,
): Promise<string> {
  return db.transaction(async (trx) => {
    const fresh = randomUUID();
    const { rows } = await sql<{
      mark: string;
    }>`insert into shared_storage (setting, mark) values (${setting}, ${fresh})
      on conflict (setting) do update set setting = excluded.setting returning mark`.execute(trx);
    const mark = rows[0]?.mark ?? '';
    if (mark === fresh) await write(mark);
    return mark;
  });
}
