import { sql, type Insertable, type Kysely, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import type { DB } from '../../db/types.ts';
import { asked, type GroupDay } from './admission-store.ts';

const shown = [
  'id',
  'name',
  'description',
  'max_cost_usd',
  'max_tokens',
  'max_sessions',
  'max_sandbox_minutes',
  'timezone',
  'on_exceed',
] as const;

const ofMembers = sql`from group_members where group_members.group_id = groups.id`;
const members = [
  sql<number>`(select count(*) ${ofMembers})`.as('member_count'),
  sql<string>`encode(sha256(convert_to((select coalesce(string_agg(user_id, ' ' order by user_id), '') ${ofMembers}), 'UTF8')), 'hex')`.as(
    'members_digest',
  ),
] as const;

export function groupsQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('groups').where('org_id', '=', orgId);
}

export async function listGroupRows(query: ReturnType<typeof groupsQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown).select(members), after, limit).execute();
}

export async function readGroup(db: Kysely<DB>, orgId: string, id: string) {
  return groupsQuery(db, orgId).select(shown).select(members).where('id', '=', id).executeTakeFirst();
}

/** Locks a group until the transaction ends, so that no session is admitted by outdated limits. */
export async function lockGroup(trx: Transaction<DB>, orgId: string, id: string) {
  return groupsQuery(trx, orgId).select(shown).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

export async function insertGroup(trx: Transaction<DB>, row: Insertable<DB['groups']>): Promise<void> {
  await trx.insertInto('groups').values(row).execute();
}

export async function updateGroupRow(trx: Transaction<DB>, id: string, change: Updateable<DB['groups']>) {
  await trx.updateTable('groups').set(change).where('id', '=', id).execute();
}

export async function deleteGroupRow(trx: Transaction<DB>, id: string): Promise<void> {
  await trx.deleteFrom('groups').where('id', '=', id).execute();
}

/** Tells if another group of the organization has this name, case-insensitively; reserves it until the transaction ends. */
export async function nameIsTaken(trx: Transaction<DB>, orgId: string, name: string, butFor: string): Promise<boolean> {
  const key = `group ${orgId} ${name.toLowerCase()}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx);
  const row = await groupsQuery(trx, orgId)
    .select('id')
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .where('id', '<>', butFor)
    .executeTakeFirst();
  return row !== undefined;
}

/** Adds users who are not in the group yet. Returns how many it added. */
export async function insertGroupMembers(
  trx: Transaction<DB>,
  group: { id: string; orgId: string },
  userIds: readonly string[],
  now: Date,
): Promise<bigint> {
  if (userIds.length === 0) return 0n;
  const result = await trx
    .insertInto('group_members')
    .values(userIds.map((user_id) => ({ group_id: group.id, org_id: group.orgId, user_id, added_at: now })))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return result.numInsertedOrUpdatedRows ?? 0n;
}

/** Removes these users, or with `others` all other ones. Returns how many it removed. */
export async function deleteGroupMembers(
  trx: Transaction<DB>,
  groupId: string,
  userIds: readonly string[],
  { others = false } = {},
): Promise<bigint> {
  const listed = sql<boolean>`user_id = any(${[...userIds]}::text[])`;
  const result = await trx
    .deleteFrom('group_members')
    .where('group_id', '=', groupId)
    .where(others ? sql<boolean>`not ${listed}` : listed)
    .executeTakeFirst();
  return result.numDeletedRows;
}

/** Returns the users who are not members of the organization. The others stay members until the transaction ends. */
export async function findNonMembers(
  trx: Transaction<DB>,
  orgId: string,
  userIds: readonly string[],
): Promise<string[]> {
  const rows = await trx
    .selectFrom('members')
    .select('user_id')
    .where('org_id', '=', orgId)
    .where(sql<boolean>`user_id = any(${[...userIds]}::text[])`)
    .orderBy('user_id')
    .forKeyShare()
    .execute();
  const known = new Set(rows.map(({ user_id }) => user_id));
  return userIds.filter((id) => !known.has(id));
}

/** Returns up to `limit` groups of a user, oldest first. */
export async function readGroupsOfUser(db: Kysely<DB>, orgId: string, userId: string, limit: number) {
  const own = db
    .selectFrom('group_members')
    .select('group_id')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId);
  return groupsQuery(db, orgId)
    .select(shown)
    .select(members)
    .where('id', 'in', own)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns what groups used and reserved on days; nothing for a day on which nothing was dispatched. */
export async function readGroupDays(db: Kysely<DB>, days: readonly GroupDay[]) {
  const amount = (column: string) => sql<number>`${sql.ref(column)}::float8`;
  return db
    .selectFrom('group_days')
    .select([
      'group_id',
      'tokens',
      'sessions',
      'reserved_tokens',
      'reserved_sessions',
      amount('cost_usd').as('cost_usd'),
      amount('sandbox_seconds').as('sandbox_seconds'),
      amount('reserved_cost_usd').as('reserved_cost_usd'),
      amount('reserved_sandbox_seconds').as('reserved_sandbox_seconds'),
    ])
    .where(sql<boolean>`(group_id, day) in (select group_id, day from ${asked(days)})`)
    .execute();
}

/** Schedules a check of a queue, and notifies the workers. */
export async function wakeQueue(trx: Transaction<DB>, queue: string): Promise<void> {
  await sql`select wake_queue(${queue})`.execute(trx);
}
