import { sql, type Kysely } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { StoredTrigger } from './schemas.ts';

/** Returns the automation of a webhook, with its organization's state; undefined if there is none. */
export async function readHook(db: Kysely<DB>, hookId: string) {
  return db
    .selectFrom('automation_triggers as t')
    .innerJoin('automations as a', 'a.id', 't.automation_id')
    .innerJoin('organizations as o', 'o.id', 't.org_id')
    .select(['t.org_id', 't.automation_id', 'a.enabled', 'a.status', 'a.hook_secret_no', 'a.hook_previous_until'])
    .select(['o.slug', 'o.state'])
    .select(sql<StoredTrigger[]>`a.triggers`.as('triggers'))
    .where('t.id', '=', hookId)
    .where('t.type', '=', 'webhook')
    .executeTakeFirst();
}

/** Returns true if an automation has this webhook. */
export async function hookExists(db: Kysely<DB>, hookId: string): Promise<boolean> {
  const found = await db
    .selectFrom('automation_triggers')
    .select('id')
    .where('id', '=', hookId)
    .where('type', '=', 'webhook')
    .executeTakeFirst();
  return found !== undefined;
}
