import type { OrganizationState } from '../../caller.ts';
import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { named, type Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';
import type { Permission, Role } from '../../lib/scopes.ts';

/** A sign-in, one row per selected organization of the user; the organization's fields are null without one. */
export interface SignInRow {
  id: string;
  user_id: string;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
  user_name: string;
  user_email: string;
  org_id: string | null;
  org_slug: string;
  org_name: string;
  org_state: OrganizationState;
  ip_list_enabled: boolean;
  ip_list_revision: number;
  permission: Permission;
  role: Role;
  last_active_at: Date | null;
}

/** Runs for every request with a cookie, or with a ticket for a sign-in. `$2` selects an organization by id or by a current or retired slug; '' for all. */
const signInStatement = (column: 'hash' | 'id') => `
  select s.id, s.user_id, s.created_at, s.last_used_at, s.expires_at, u.name as user_name, u.email as user_email,
         o.id as org_id, o.slug as org_slug, o.name as org_name, o.state as org_state,
         o.ip_list_enabled, o.ip_list_revision, m.permission, m.role, m.last_active_at
  from sign_ins s
  join users u on u.id = s.user_id
  left join (members m join organizations o on o.id = m.org_id) on m.user_id = s.user_id
    and ($2 in ('', o.id, o.slug)
         or exists (select 1 from retired_slugs r where r.slug = $2 and r.org_id = o.id and r.expires_at > now()))
  where s.${column} = $1
  order by m.joined_at, o.id`;

export async function findSignIn(
  db: Database,
  which: { hash: string } | { id: string },
  organization: string,
): Promise<SignInRow[]> {
  return 'hash' in which
    ? named<SignInRow>(db, 'sign_in', signInByHash, [which.hash, organization])
    : named<SignInRow>(db, 'sign_in_id', signInById, [which.id, organization]);
}

const signInByHash = signInStatement('hash');
const signInById = signInStatement('id');

export interface SignInUse {
  id: string;
  at: Date;
}

export interface MemberUse {
  orgId: string;
  userId: string;
  at: Date;
}

/** Updates the last use of sign-ins; later times win. */
export async function touchSignIns(db: Database, uses: readonly SignInUse[]): Promise<void> {
  await sql`
    update sign_ins set last_used_at = used.at
    from unnest(${uses.map(({ id }) => id)}::text[], ${uses.map(({ at }) => at)}::timestamptz[]) as used (id, at)
    where sign_ins.id = used.id and last_used_at < used.at`.execute(db.kysely);
}

/** Updates the last activity of members; later times win. */
export async function touchMembers(db: Database, uses: readonly MemberUse[]): Promise<void> {
  await sql`
    update members set last_active_at = used.at
    from unnest(${uses.map(({ orgId }) => orgId)}::text[], ${uses.map(({ userId }) => userId)}::text[],
      ${uses.map(({ at }) => at)}::timestamptz[]) as used (org_id, user_id, at)
    where members.org_id = used.org_id and members.user_id = used.user_id
      and (last_active_at is null or last_active_at < used.at)`.execute(db.kysely);
}

export async function insertSignIn(trx: Transaction<DB>, row: Insertable<DB['sign_ins']>): Promise<void> {
  await trx.insertInto('sign_ins').values(row).execute();
}

/** Ends sign-ins, and notifies the open streams of every process. Returns the ended ones. */
export async function deleteSignIns(
  trx: Transaction<DB>,
  which: { userId: string; id?: string } | { hash: string },
): Promise<{ id: string; user_id: string }[]> {
  const rows = await trx
    .deleteFrom('sign_ins')
    .where('userId' in which ? 'user_id' : 'hash', '=', 'userId' in which ? which.userId : which.hash)
    .$if('id' in which, (query) => query.where('id', '=', 'id' in which ? (which.id ?? '') : ''))
    .returning(['id', 'user_id'])
    .execute();
  await notify(
    trx,
    rows.map(({ id }) => id),
  );
  return rows;
}

/** Makes the open streams of a user's sign-ins recheck their access. */
export async function notifySignIns(trx: Transaction<DB>, userId: string): Promise<void> {
  const rows = await trx.selectFrom('sign_ins').select('id').where('user_id', '=', userId).execute();
  await notify(
    trx,
    rows.map(({ id }) => id),
  );
}

async function notify(trx: Transaction<DB>, ids: string[]): Promise<void> {
  for (const id of ids) await sql`select pg_notify('guildhall_keys', ${id})`.execute(trx);
}

/** Selects a user's sign-ins that have not expired. */
export function signInsQuery(db: Kysely<DB>, userId: string, now: Date, idleSince: Date) {
  return db
    .selectFrom('sign_ins')
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .where('last_used_at', '>', idleSince);
}

export async function listSignInRows(query: ReturnType<typeof signInsQuery>, after: string | undefined, limit: number) {
  const shown = ['id', 'method', 'ip', 'user_agent', 'created_at', 'last_used_at', 'expires_at'] as const;
  return newestFirst(query.select(shown), after, limit).execute();
}

/** Returns true while no user has a password. */
export async function isFirstRun(db: Kysely<DB>): Promise<boolean> {
  return (await db.selectFrom('user_passwords').select('user_id').limit(1).executeTakeFirst()) === undefined;
}

/** Returns when a sign-in expires; undefined if it ended, or its user is no longer a member of the organization. */
export async function readSignInEnd(db: Kysely<DB>, orgId: string, id: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('sign_ins')
    .innerJoin('members', 'members.user_id', 'sign_ins.user_id')
    .select('sign_ins.expires_at')
    .where('sign_ins.id', '=', id)
    .where('members.org_id', '=', orgId)
    .executeTakeFirst();
  return row?.expires_at;
}

/** Returns false if the user would own an e-mail that has an owner. */
export async function insertPerson(trx: Transaction<DB>, row: Insertable<DB['users']>): Promise<boolean> {
  const inserted = await trx
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function readPerson(db: Kysely<DB>, userId: string) {
  return db
    .selectFrom('users')
    .leftJoin('user_passwords', 'user_passwords.user_id', 'users.id')
    .select(['users.id', 'users.email', 'users.name', 'user_passwords.hash'])
    .where('users.id', '=', userId)
    .executeTakeFirst();
}

/** Locks a user until the transaction ends, so that the password cannot change between its verification and the sign-in. */
export async function lockPerson(trx: Transaction<DB>, userId: string): Promise<void> {
  await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
}

export async function writePassword(trx: Transaction<DB>, userId: string, hash: string, at: Date): Promise<void> {
  await trx
    .insertInto('user_passwords')
    .values({ user_id: userId, hash, changed_at: at })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ hash, changed_at: at }))
    .execute();
}

/** Replaces a verified hash by one with current parameters; the password keeps its age. */
export async function rewriteHash(trx: Transaction<DB>, userId: string, from: string, to: string): Promise<void> {
  await trx
    .updateTable('user_passwords')
    .set({ hash: to })
    .where('user_id', '=', userId)
    .where('hash', '=', from)
    .execute();
}

/** Returns a user's memberships, oldest first. */
export async function readMemberships(db: Kysely<DB>, userId: string) {
  return db
    .selectFrom('members')
    .innerJoin('organizations', 'organizations.id', 'members.org_id')
    .select([
      'organizations.id',
      'organizations.slug',
      'organizations.name',
      sql<Permission>`members.permission`.as('permission'),
    ])
    .where('members.user_id', '=', userId)
    .orderBy('members.joined_at')
    .orderBy('organizations.id')
    .execute();
}

/** Returns the user that an identity provider's subject stands for. */
export async function readIdentity(trx: Transaction<DB>, issuer: string, subject: string): Promise<string | undefined> {
  const row = await trx
    .selectFrom('sso_identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id;
}

/** Links a subject to a user; last seen at `now`. */
export async function writeIdentity(
  trx: Transaction<DB>,
  identity: { issuer: string; subject: string; userId: string; now: Date },
): Promise<void> {
  const { issuer, subject, userId, now } = identity;
  await trx
    .insertInto('sso_identities')
    .values({ issuer, subject, user_id: userId, created_at: now, last_used_at: now })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doUpdateSet({ last_used_at: now }))
    .execute();
}

/** Tells if the provider already has a subject for the user. */
export async function hasIdentity(trx: Transaction<DB>, issuer: string, userId: string): Promise<boolean> {
  const row = await trx
    .selectFrom('sso_identities')
    .select('subject')
    .where('issuer', '=', issuer)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deletePassword(trx: Transaction<DB>, userId: string): Promise<void> {
  await trx.deleteFrom('user_passwords').where('user_id', '=', userId).execute();
}

/** Purges expired sign-ins. */
export async function purgeSignIns(db: Database, now: Date, idleSince: Date): Promise<void> {
  await db.kysely
    .deleteFrom('sign_ins')
    .where((eb) => eb.or([eb('expires_at', '<=', now), eb('last_used_at', '<=', idleSince)]))
    .execute();
}
