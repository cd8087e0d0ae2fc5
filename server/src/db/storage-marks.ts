import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from './pool.ts';

/**
 * The mark of what the processes on this database share. The first to ask makes it, and `write` puts it
 * there; whoever asks at the same time waits until it is there.
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
