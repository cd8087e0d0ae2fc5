import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import type { PrincipalKind } from '../../caller.ts';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';

/** Selects an author's current name. */
const author = sql<{ type: PrincipalKind; id: string; name: string }>`json_build_object(
  'type', author_type, 'id', author_id, 'name', coalesce(case author_type
    when 'user' then (select name from users where users.id = author_id)
    when 'service_user' then (select name from service_users where service_users.id = author_id)
    when 'app' then (select name from apps where apps.id = author_id)
    when 'session' then (select title from sessions where sessions.id = author_id)
  end, ''))`.as('author');

const shown = ['id', 'body', 'path', 'path as file', 'side', 'line', 'start_line', 'in_reply_to', 'resolved'] as const;

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
  return newestFirst(query.select([...shown, 'created_at', author]), after, limit)
    .$narrowType<{ side: 'old' | 'new' }>()
    .execute();
}

export async function insertComment(trx: Transaction<DB>, row: Insertable<DB['change_request_comments']>) {
  return trx
    .insertInto('change_request_comments')
    .values(row)
    .returning([...shown, 'created_at', author])
    .$narrowType<{ side: 'old' | 'new' }>()
    .executeTakeFirstOrThrow();
}

/** Returns a comment and locks it; undefined if the change request has no such comment. */
export async function lockComment(trx: Transaction<DB>, orgId: string, changeRequestId: string, id: string) {
  return commentsQuery(trx, orgId, changeRequestId)
    .select([...shown, 'created_at', author, 'author_type', 'author_id'])
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
    .returning([...shown, 'created_at', author])
    .$narrowType<{ side: 'old' | 'new' }>()
    .executeTakeFirstOrThrow();
}
