import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

const shown = [
  'id',
  'body',
  'path',
  'side',
  'line',
  'start_line',
  'in_reply_to',
  'resolved',
  'head_sha',
  'review_state',
  'review_id',
  'author_type',
  'author_id',
  'created_at',
] as const;

const maxComments = 1_000;
/** All bodies of a discussion together, in bytes. */
const maxBytes = 16 * 1_024 * 1_024;

export type HostedCommentRow = Awaited<ReturnType<typeof listNewest>>[number];

/** Returns the newest comments of a change request within the limits, oldest first, and the first comments of their threads. */
export async function listNewest(db: Kysely<DB>, orgId: string, changeRequestId: string) {
  const newest = db
    .selectFrom('change_request_comments')
    .select(shown)
    .where('org_id', '=', orgId)
    .where('change_request_id', '=', changeRequestId)
    .orderBy('id', 'desc')
    .limit(maxComments)
    .as('newest');
  const rows = await db
    .selectFrom((eb) =>
      eb
        .selectFrom(newest)
        .selectAll()
        .select(sql<number>`sum(octet_length(body)) over (order by id desc)`.as('size'))
        .as('sized'),
    )
    .select(shown)
    .where('size', '<=', maxBytes)
    .orderBy('id')
    .execute();
  const ids = new Set(rows.map(({ id }) => id));
  const missing = rows.map((row) => row.in_reply_to).filter((id) => id !== '' && !ids.has(id));
  if (missing.length === 0) return rows;
  const first = await db
    .selectFrom('change_request_comments')
    .select(shown)
    .where('org_id', '=', orgId)
    .where('change_request_id', '=', changeRequestId)
    .where('id', 'in', [...new Set(missing)])
    .orderBy('id')
    .execute();
  return [...first, ...rows];
}

export async function insertComments(
  trx: Transaction<DB>,
  rows: readonly Insertable<DB['change_request_comments']>[],
): Promise<void> {
  await trx.insertInto('change_request_comments').values(rows).execute();
}

/** Marks a comment as acknowledged, once; false if the change request has no such comment. */
export async function acknowledge(
  db: Kysely<DB>,
  orgId: string,
  changeRequestId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const row = await db
    .updateTable('change_request_comments')
    .set({ acknowledged_at: sql<Date>`coalesce(acknowledged_at, ${now}::timestamptz)` })
    .where('org_id', '=', orgId)
    .where('change_request_id', '=', changeRequestId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns what a principal may do with repositories, by its membership or its keys. */
export async function readAccess(db: Kysely<DB>, orgId: string, id: string, now: Date) {
  const member = await db
    .selectFrom('members')
    .select('permission')
    .where('org_id', '=', orgId)
    .where('user_id', '=', id)
    .executeTakeFirst();
  if (member !== undefined) return { permission: member.permission };
  const keys = await db
    .selectFrom('api_keys')
    .select('scopes')
    .where('org_id', '=', orgId)
    .where('principal_type', 'in', ['service_user', 'app'])
    .where('principal_id', '=', id)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .limit(100)
    .execute();
  return { scopes: keys.flatMap(({ scopes }) => scopes) };
}

/** Lists change requests of the built-in host that changed or were commented after a time, the oldest change first. */
export async function listChanged(db: Kysely<DB>, orgId: string, repositoryId: string, since: Date, limit: number) {
  const { rows } = await sql<{ number: number; createdAt: Date; updatedAt: Date }>`
    select number, created_at as "createdAt", changed as "updatedAt" from (
      select h.number, h.created_at, greatest(h.updated_at, r.updated_at,
        (select max(c.created_at) from change_request_comments c where c.change_request_id = r.id)) as changed
      from hosted_change_requests h
      left join change_requests r on r.repository_id = h.repository_id and r.number = h.number
      where h.org_id = ${orgId} and h.repository_id = ${repositoryId}
    ) as all_changes
    where changed > ${since}::timestamptz order by changed, number limit ${limit}`.execute(db);
  return rows;
}
