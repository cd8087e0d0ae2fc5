import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import type { Rules } from './rules.ts';

/** Nothing else writes into the column. */
interface GuardrailJson {
  rules: Partial<Rules>;
}

/** Selects what is set for existing repositories. */
export function guardrailsQuery(db: Kysely<DB>, orgId: string) {
  const rows = db
    .selectFrom('guardrails as g')
    .innerJoin('repositories as r', 'r.id', 'g.repository_id')
    .select(['g.id', 'r.repo', 'g.rules', 'g.updated_at'])
    .$narrowType<GuardrailJson>()
    .where('g.org_id', '=', orgId)
    .where('r.deleted_at', 'is', null);
  return db.selectFrom(rows.as('found'));
}

export async function listGuardrailRows(
  query: ReturnType<typeof guardrailsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(['id', 'repo', 'rules', 'updated_at']), after, limit).execute();
}

/** Returns what is set for the organization and for a repository; `''` for none. */
export async function readGuardrails(db: Kysely<DB>, orgId: string, repositoryId: string) {
  const rows = await db
    .selectFrom('guardrails')
    .select(['id', 'rules', 'updated_at'])
    .$narrowType<GuardrailJson>()
    .where('org_id', '=', orgId)
    .where('id', 'in', [orgId, repositoryId])
    .execute();
  return {
    organization: rows.find(({ id }) => id === orgId),
    repository: rows.find(({ id }) => id === repositoryId),
  };
}

/** Serializes changes of an organization's guardrails until the transaction ends. */
export async function lockGuardrails(trx: Transaction<DB>, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`guardrails ${orgId}`}, 0))`.execute(trx);
}

export async function writeGuardrails(trx: Transaction<DB>, row: Insertable<DB['guardrails']>): Promise<void> {
  const { rules, at_dispatch, updated_at } = row;
  await trx
    .insertInto('guardrails')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ rules, at_dispatch, updated_at }))
    .execute();
}

export async function deleteGuardrailRow(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  await trx.deleteFrom('guardrails').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Has waiting sessions checked again: those of a repository, or of all the organization's. */
export async function wakeHeld(trx: Transaction<DB>, orgId: string, repositoryId: string): Promise<void> {
  await sql`select wake_queue(queues.id) from (
    select id from session_queues where org_id = ${orgId}
      and (id = ${queueOf(orgId, repositoryId)} or (${repositoryId} = '' and id like ${`guardrail/${orgId}/%`}))
    order by id) queues`.execute(trx);
}

/** The queue of sessions that wait for a repository's guardrail. */
export function queueOf(orgId: string, repositoryId: string): string {
  return `guardrail/${orgId}/${repositoryId}`;
}
