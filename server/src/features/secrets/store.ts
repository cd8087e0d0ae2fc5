import { sql, type Insertable, type Kysely, type Selectable, type Transaction, type Updateable } from 'kysely';
import { newestFirst } from '../../db/page.ts';
import { principal } from '../../db/principal.ts';
import type { DB } from '../../db/types.ts';
import { containing } from '../../db/pattern.ts';
import type { SecretScope } from './schemas.ts';

/** The authors of a secret: of its value, and of its settings. */
export const writers = ['value_written_by', 'traits_written_by'] as const;

/** All columns but the sealed value. */
const known = [
  ...writers,
  'id',
  'key',
  'kind',
  'scope',
  'repo',
  'note',
  'exposure',
  'allowed_hosts',
  'version',
  principal('found.created_by').as('created_by'),
  'created_at',
  'updated_at',
  'last_used_at',
] as const;

export interface SecretFilter {
  readonly scopes?: readonly SecretScope[];
  /** `owner/name` or `provider:owner/name`, in lower case. */
  readonly repos?: readonly string[];
  /** Part of the key. */
  readonly search?: string | undefined;
}

/** Selects the secrets that a principal (`<type>:<id>`) may see: its own and the shared ones; none of a deleted repository. */
export function secretsQuery(db: Kysely<DB>, orgId: string, viewer: string, filter: SecretFilter = {}) {
  const { scopes = [], repos = [], search } = filter;
  const pattern = containing(search ?? '');
  const secrets = db
    .selectFrom('secrets')
    .leftJoin('repositories', 'repositories.id', 'secrets.repository_id')
    .selectAll('secrets')
    .select((eb) => eb.fn.coalesce('repositories.repo', sql<string>`''`).as('repo'))
    .where('secrets.org_id', '=', orgId)
    .where('secrets.owner', 'in', ['', viewer])
    .where('repositories.deleted_at', 'is', null)
    .$if(search !== undefined, (query) => query.where('secrets.key', 'ilike', pattern))
    .$if(scopes.length > 0, (query) => query.where('secrets.scope', 'in', scopes))
    .$if(repos.length > 0, (query) =>
      query.where((eb) =>
        eb.or([
          eb(sql<string>`lower(repositories.repo)`, 'in', repos),
          eb(sql<string>`repositories.provider || ':' || lower(repositories.repo)`, 'in', repos),
        ]),
      ),
    );
  return db.selectFrom(secrets.as('found'));
}

export async function listSecretRows(query: ReturnType<typeof secretsQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(known), after, limit).execute();
}

export async function readSecret(db: Kysely<DB>, orgId: string, viewer: string, id: string) {
  return secretsQuery(db, orgId, viewer).select(known).where('id', '=', id).executeTakeFirst();
}

/** Locks a secret until the transaction ends. */
export async function lockSecret(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  await trx.selectFrom('secrets').select('id').where('org_id', '=', orgId).where('id', '=', id).forUpdate().execute();
}

/** Includes the sealed value, for callers that open it. */
export async function readSealed(db: Kysely<DB>, orgId: string, viewer: string, id: string) {
  return secretsQuery(db, orgId, viewer).select(['id', 'version', 'sealed']).where('id', '=', id).executeTakeFirst();
}

/** Keeps others from adding secrets to the organization until the transaction ends. */
export async function lockSecrets(trx: Transaction<DB>, orgId: string): Promise<void> {
  // Weak enough not to block sessions and other rows that reference the organization.
  await sql`select 1 from organizations where id = ${orgId} for no key update`.execute(trx);
}

/** Lists the secrets in one scope: of the organization, of a repository, or of an owner. */
export async function listPlace(
  trx: Transaction<DB>,
  orgId: string,
  place: Pick<Selectable<DB['secrets']>, 'scope' | 'repository_id' | 'owner'>,
) {
  return trx
    .selectFrom('secrets')
    .select('key')
    .where('org_id', '=', orgId)
    .where('scope', '=', place.scope)
    .where(sql<string>`coalesce(repository_id, '')`, '=', place.repository_id ?? '')
    .where('owner', '=', place.owner)
    .execute();
}

export async function insertSecret(trx: Transaction<DB>, row: Insertable<DB['secrets']>): Promise<void> {
  await trx.insertInto('secrets').values(row).execute();
}

export async function updateSecretRow(
  trx: Transaction<DB>,
  orgId: string,
  id: string,
  change: Updateable<DB['secrets']>,
): Promise<void> {
  await trx.updateTable('secrets').set(change).where('org_id', '=', orgId).where('id', '=', id).execute();
}

export async function deleteSecretRow(trx: Transaction<DB>, orgId: string, id: string): Promise<void> {
  await trx.deleteFrom('secrets').where('org_id', '=', orgId).where('id', '=', id).execute();
}

/** Deletes the secrets of an owner who left. */
export async function deleteOwned(trx: Transaction<DB>, orgId: string, owner: string): Promise<void> {
  await trx.deleteFrom('secrets').where('org_id', '=', orgId).where('owner', '=', owner).execute();
}

/** Returns the secret of an owner with this name; by default the organization's own. */
export async function readOrganizationSecret(db: Kysely<DB>, orgId: string, key: string, owner = '') {
  return db
    .selectFrom('secrets')
    .select(['id', 'version', 'sealed', 'last_used_at', 'allowed_hosts'])
    .where('org_id', '=', orgId)
    .where('scope', '=', owner === '' ? 'organization' : 'user')
    .where('owner', '=', owner)
    .where('key', '=', key)
    .executeTakeFirst();
}

/** Updates `used_at`, unless it is newer than `unless`. */
export async function touchSecrets(db: Kysely<DB>, orgId: string, ids: string[], now: Date, unless: Date) {
  if (ids.length === 0) return;
  await db
    .updateTable('secrets')
    .set({ last_used_at: now })
    .where('org_id', '=', orgId)
    .where(
      'id',
      'in',
      // Updated in one order, so that two sessions cannot deadlock.
      sql<string>`(select id from secrets where id = any(${ids}::text[]) and (last_used_at is null or last_used_at < ${unless})
        order by id for update skip locked)`,
    )
    .execute();
}

/** Selects the uses of a secret; the list's `id` sorts by session and version. */
export function usesQuery(db: Kysely<DB>, orgId: string, secretId: string) {
  const uses = db
    .selectFrom('secret_uses')
    .select([
      sql<string>`session_id || '_' || to_char(version, 'FM0000000000')`.as('id'),
      'session_id',
      'version',
      'used_at',
    ])
    .where('org_id', '=', orgId)
    .where('secret_id', '=', secretId);
  return db.selectFrom(uses.as('found'));
}

export async function listUseRows(query: ReturnType<typeof usesQuery>, after: string | undefined, limit: number) {
  return newestFirst(query.select(['id', 'session_id', 'version', 'used_at']), after, limit).execute();
}
