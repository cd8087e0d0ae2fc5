import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { named, type Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';
import type { OrganizationState, PrincipalType } from '../../caller.ts';
import type { Audience } from '../../lib/keys.ts';
import type { Permission } from '../../lib/scopes.ts';

/** All facts that authentication needs, in one row. */
export interface AuthenticationRow {
  id: string;
  org_id: string;
  org_slug: string;
  org_name: string;
  org_state: OrganizationState;
  ip_list_enabled: boolean;
  ip_list_revision: number;
  principal_type: PrincipalType;
  principal_id: string;
  audience: Audience;
  scopes: string[];
  prefix: string;
  last4: string;
  ip_ranges: string[];
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  permission: Permission | null;
  role: 'pro' | 'regular' | null;
  user_name: string | null;
  user_email: string | null;
  service_user_name: string | null;
  service_user_disabled: boolean;
  app_name: string | null;
  session_title: string | null;
  /** False for the key of a session run that was taken over or stopped. */
  fence_holds: boolean;
}

/** The server's most frequent statement: it runs for every request. */
export const authenticationStatement = `
  select k.id, k.org_id, o.slug as org_slug, o.name as org_name, o.state as org_state,
         o.ip_list_enabled, o.ip_list_revision, k.principal_type, k.principal_id, k.audience, k.scopes, k.prefix, k.last4, k.ip_ranges, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
         m.permission, m.role, u.name as user_name, u.email as user_email,
         s.name as service_user_name, s.disabled_at is not null as service_user_disabled,
         a.name as app_name, r.title as session_title, k.fence is null or k.fence = r.fence as fence_holds
  from api_keys k
  join organizations o on o.id = k.org_id
  left join members m on k.principal_type = 'user' and m.org_id = k.org_id and m.user_id = k.principal_id
  left join users u on u.id = m.user_id
  left join service_users s on k.principal_type = 'service_user' and s.org_id = k.org_id and s.id = k.principal_id
  left join apps a on k.principal_type = 'app' and a.org_id = k.org_id and a.id = k.principal_id
  left join sessions r on k.principal_type = 'session' and r.org_id = k.org_id and r.id = k.principal_id
  where k.hash = $1`;

export async function findKeyByHash(db: Database, hash: string): Promise<AuthenticationRow | undefined> {
  const rows = await named<AuthenticationRow>(db, 'authenticate', authenticationStatement, [hash]);
  return rows[0];
}

export interface KeyUse {
  id: string;
  at: Date;
}

/** Updates the last use of keys; later times win. */
export async function touchKeys(db: Database, uses: readonly KeyUse[]): Promise<void> {
  await sql`
    update api_keys set last_used_at = used.at
    from unnest(${uses.map(({ id }) => id)}::text[], ${uses.map(({ at }) => at)}::timestamptz[]) as used (id, at)
    where api_keys.id = used.id and (last_used_at is null or last_used_at < used.at)`.execute(db.kysely);
}

export interface KeyOwner {
  orgId: string;
  type: PrincipalType;
  id: string;
}

// Each kind of key shows its owner's id under another name; a route's schema selects its own.
const shown = [
  'id',
  'principal_id as service_user_id',
  'principal_id as app_id',
  'name',
  'scopes',
  'prefix',
  'last4',
  'ip_ranges',
  'created_at',
  'expires_at',
  'last_used_at',
  'revoked_at',
  sql<string>`coalesce(created_by_key, '')`.as('created_by_key'),
] as const;

function ofOwner(db: Kysely<DB>, owner: KeyOwner) {
  return db
    .selectFrom('api_keys')
    .where('org_id', '=', owner.orgId)
    .where('principal_type', '=', owner.type)
    .where('principal_id', '=', owner.id);
}

/** Selects the keys that are listed and revoked individually; MCP tokens are not. */
function apiKeysOf(db: Kysely<DB>, owner: KeyOwner) {
  return ofOwner(db, owner).where('audience', '=', 'api');
}

export function keysQuery(db: Kysely<DB>, owner: KeyOwner, statuses: readonly string[], now: Date) {
  return apiKeysOf(db, owner).$if(statuses.length > 0, (query) =>
    query.where((eb) =>
      eb.or([
        ...(statuses.includes('revoked') ? [eb('revoked_at', 'is not', null)] : []),
        ...(statuses.includes('expired') ? [eb.and([eb('revoked_at', 'is', null), eb('expires_at', '<=', now)])] : []),
        ...(statuses.includes('active')
          ? [eb.and([eb('revoked_at', 'is', null), eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)])])]
          : []),
      ]),
    ),
  );
}

export async function listKeyRows(query: ReturnType<typeof keysQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(shown), after, limit).execute();
}

export async function lockKey(trx: Transaction<DB>, owner: KeyOwner, id: string) {
  return apiKeysOf(trx, owner).select(shown).where('id', '=', id).forUpdate().executeTakeFirst();
}

export async function insertKey(trx: Kysely<DB>, row: Insertable<DB['api_keys']>) {
  return trx.insertInto('api_keys').values(row).returning(shown).executeTakeFirstOrThrow();
}

/** Ends keys at a time: `revoked_at` for a revocation, `expires_at` for a rotation. Notifies open streams. */
export async function endKeys(
  trx: Transaction<DB>,
  ids: string[],
  end: { revoked_at: Date } | { expires_at: Date },
): Promise<void> {
  if (ids.length === 0) return;
  await trx.updateTable('api_keys').set(end).where('id', 'in', ids).execute();
  for (const id of ids) await sql`select pg_notify('guildhall_keys', ${id})`.execute(trx);
}

/** Returns when a key expires or ended; undefined if it does not exist. */
export async function readKeyEnd(db: Kysely<DB>, orgId: string, id: string) {
  return db
    .selectFrom('api_keys')
    .select(['revoked_at', 'expires_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Holds a key until the transaction ends; false if it was revoked. A concurrent revocation waits. */
export async function shareKey(trx: Transaction<DB>, id: string): Promise<boolean> {
  const row = await trx.selectFrom('api_keys').select('revoked_at').where('id', '=', id).forShare().executeTakeFirst();
  return row !== undefined && row.revoked_at === null;
}

/** Serializes creating keys of one owner until the transaction ends. */
export async function lockOwner(trx: Transaction<DB>, { orgId, type, id }: KeyOwner): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`keys ${orgId} ${type} ${id}`}, 0))`.execute(trx);
}

export async function countActiveKeys(trx: Transaction<DB>, owner: KeyOwner, now: Date): Promise<number> {
  const row = await keysQuery(trx, owner, ['active'], now)
    .select((eb) => eb.fn.countAll<string>().as('n'))
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

export async function activeKeyIds(trx: Transaction<DB>, owner: KeyOwner): Promise<string[]> {
  const rows = await ofOwner(trx, owner).select('id').where('revoked_at', 'is', null).execute();
  return rows.map((row) => row.id);
}
