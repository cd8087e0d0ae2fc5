import type { Insertable, Kysely, Transaction, Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';

const shown = [
  'id',
  'body',
  'path',
  'path as file',
  'side',
  'line',
  'start_line',
  'in_reply_to',
  'resolved',
  'acknowledged_at',
  principal('change_request_comments.author').as('author'),
  'created_at',
] as const;

export function commentsQuery(db: Kysely<DB>, orgId: string, changeRequestId: string) {
  return db
    .selectFrom('change_request_comments')
    .where('org_id', '=', orgId)
    .where('change_request_id', '=', changeRequestId);
}

export async function listCommentRows(
  query: ReturnType<typeof commentsQuery>,
  after: string | undefined,
  limit: number,
) {
  return newestFirst(query.select(shown), after, limit).$narrowType<{ side: 'old' | 'new' }>().execute();
}

export async function insertComment(trx: Transaction<DB>, row: Insertable<DB['change_request_comments']>) {
  return trx
    .insertInto('change_request_comments')
    .values(row)
    .returning(shown)
    .$narrowType<{ side: 'old' | 'new' }>()
    .executeTakeFirstOrThrow();
}

/** Returns the commented file, `''` for none; undefined if the change request has no such comment. */
export async function readPath(db: Kysely<DB>, orgId: string, changeRequestId: string, id: string) {
  const row = await commentsQuery(db, orgId, changeRequestId).select('path').where('id', '=', id).executeTakeFirst();
  return row?.path;
}

/** Returns a comment and locks it; undefined if the change request has no such comment. */
export async function lockComment(trx: Transaction<DB>, orgId: string, changeRequestId: string, id: string) {
  return commentsQuery(trx, orgId, changeRequestId)
    .select([...shown, 'author_type', 'author_id'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateCommentRow(
  trx: Transaction<DB>,
  id: string,
  change: Updateable<DB['change_request_comments']>,
) {
  return trx
    .updateTable('change_request_comments')
    .set(change)
    .where('id', '=', id)
    .returning(shown)
    .$narrowType<{ side: 'old' | 'new' }>()
    .executeTakeFirstOrThrow();
}
