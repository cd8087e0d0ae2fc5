import type { Insertable, Kysely, Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';

const shown = [
  'id',
  'name',
  'content_type',
  'size_bytes',
  'sha256',
  principal('attachments.created_by').as('created_by'),
  'created_at',
] as const;

export function attachmentsQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('attachments').where('org_id', '=', orgId);
}

export async function listAttachmentRows(
  query: ReturnType<typeof attachmentsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function readAttachment(db: Kysely<DB>, orgId: string, id: string) {
  return attachmentsQuery(db, orgId).select(shown).where('id', '=', id).executeTakeFirst();
}

export async function readAttachments(db: Kysely<DB>, orgId: string, ids: readonly string[]) {
  return ids.length === 0 ? [] : attachmentsQuery(db, orgId).select(shown).where('id', 'in', ids).execute();
}

export async function insertAttachment(trx: Transaction<DB>, row: Insertable<DB['attachments']>) {
  return trx.insertInto('attachments').values(row).returning(shown).executeTakeFirstOrThrow();
}

/** Returns false if it does not exist. */
export async function deleteAttachmentRow(trx: Transaction<DB>, orgId: string, id: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('attachments')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}

/** Returns those of these ids that exist, and keeps their rows from being deleted until the transaction ends. */
export async function lockAttachments(trx: Transaction<DB>, orgId: string, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  // The order of locks is the same everywhere.
  const query = attachmentsQuery(trx, orgId).select('id').where('id', 'in', ids).orderBy('id').forKeyShare();
  return (await query.execute()).map(({ id }) => id);
}

/** Returns those of these ids that exist, in any organization. */
export async function existingAttachments(db: Kysely<DB>, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.selectFrom('attachments').select('id').where('id', 'in', ids).execute();
  return new Set(rows.map(({ id }) => id));
}

/** Returns the rules that a signed link to an organization's file must satisfy. */
export async function readDownloadRules(db: Kysely<DB>, orgId: string) {
  return db
    .selectFrom('organizations')
    .select(['ip_list_enabled', 'ip_list_revision', 'state'])
    .where('id', '=', orgId)
    .executeTakeFirst();
}
