import { sql, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { StoredTrigger } from './schemas.ts';

/** A place in the order of an organization's triggers: by automation, as everything locks automations. */
export interface ListenerPage {
  readonly after: { readonly automation_id: string; readonly id: string };
  readonly limit: number;
}

/** Returns automations of an organization that wait for events of a type, with their triggers. */
export async function listListeners(
  trx: Transaction<DB>,
  orgId: string,
  type: 'push' | 'change_request' | 'issue',
  { after, limit }: ListenerPage,
) {
  return trx
    .selectFrom('automation_triggers as t')
    .innerJoin('automations as a', 'a.id', 't.automation_id')
    .innerJoin('organizations as o', 'o.id', 't.org_id')
    .select(['t.id as trigger_id', 'a.id', 'a.org_id'])
    .select(sql<StoredTrigger[]>`a.triggers`.as('triggers'))
    .where('t.org_id', '=', orgId)
    .where('t.type', '=', type)
    .where(sql<boolean>`(t.automation_id, t.id) > (${after.automation_id}, ${after.id})`)
    .where('a.enabled', '=', true)
    .where('a.status', '<>', 'paused')
    .where('o.state', '=', 'active')
    .orderBy('t.automation_id')
    .orderBy('t.id')
    .limit(limit)
    .execute();
}

export async function readEventRepository(trx: Transaction<DB>, orgId: string, id: string) {
  return trx
    .selectFrom('repositories')
    .select(['id', 'provider', 'repo', 'default_branch', 'connection_id'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function readEventChangeRequest(trx: Transaction<DB>, orgId: string, id: string) {
  return trx
    .selectFrom('change_requests as c')
    .innerJoin('repositories as r', 'r.id', 'c.repository_id')
    .select([
      'r.provider',
      'r.repo',
      'c.number',
      'c.title',
      'c.state',
      'c.draft',
      'c.head_ref',
      'c.head_sha',
      'c.base_ref',
    ])
    .select(['c.url', 'c.author_type', 'c.author_id', 'c.session_id'])
    .where('c.org_id', '=', orgId)
    .where('c.id', '=', id)
    .executeTakeFirst();
}

/** Returns the automation that started a session or its ancestor, and its run's `chain_length`; undefined for none. */
export async function readCause(
  trx: Transaction<DB>,
  orgId: string,
  sessionId: string,
): Promise<{ automationId: string; chainLength: number } | undefined> {
  const { rows } = await sql<{ automationId: string; chainLength: number }>`
    with recursive line (id, automation_id, parent_id) as (
      select id, automation_id, parent_session_id from sessions where org_id = ${orgId} and id = ${sessionId}
      union all
      select s.id, s.automation_id, s.parent_session_id from line join sessions s on s.id = line.parent_id
    )
    select l.automation_id as "automationId", coalesce(r.chain_length, 0) as "chainLength"
    from line l left join automation_runs r on r.session_id = l.id
    where l.automation_id <> ''
    limit 1`.execute(trx);
  return rows[0];
}
