import { sql, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import { firstIdAt } from '../../lib/ids.ts';

interface OldAttachments {
  orgId: string;
  after: string;
  before: Date;
  limit: number;
}

/** Returns the next attachments from before an instant, in the order of their ids. */
export async function listOldAttachments(db: Kysely<DB>, { orgId, after, before, limit }: OldAttachments) {
  return db
    .selectFrom('attachments')
    .select(['id', 'name', 'size_bytes'])
    .where('org_id', '=', orgId)
    .where('id', '>', after)
    .where('id', '<', firstIdAt('att', before.getTime()))
    .where('created_at', '<', before)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Locks those of these attachments that nobody deletes or starts to use at this moment. */
export async function lockUnused(trx: Transaction<DB>, ids: readonly string[]): Promise<string[]> {
  const query = trx.selectFrom('attachments').select('id').where('id', 'in', ids).orderBy('id');
  return (await query.forUpdate().skipLocked().execute()).map(({ id }) => id);
}

/** Returns those of these attachments that sessions use: all that have not ended. */
export async function usedAttachments(db: Kysely<DB>, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select distinct a.id from session_messages m
    join sessions s on s.id = m.session_id and (s.status not in ('completed', 'failed', 'canceled') or s.lease_owner <> '')
    cross join unnest(m.attachment_ids) as a (id)
    where m.attachment_ids <> '{}' and m.attachment_ids && ${ids}::text[]`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

export async function deleteAttachments(trx: Transaction<DB>, ids: readonly string[]): Promise<void> {
  await trx.deleteFrom('attachments').where('id', 'in', ids).execute();
}
