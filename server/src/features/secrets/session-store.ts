import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { named, type Database } from '../../db/pool.ts';
import type { DB } from '../../db/types.ts';
import { sealedOverheadBytes } from './envelope.ts';
import type { SecretScope } from './schemas.ts';
import { writers } from './store.ts';

interface SessionOf {
  db: Database;
  orgId: string;
  sessionId: string;
}

/** A filter for the secrets that a session may get. */
export interface Selection {
  /** Those of these repositories; for equal names the first repository wins. */
  readonly repositoryIds: readonly string[];
  /** Those of this principal, `<type>:<id>`; `''` for none. */
  readonly owner: string;
  /** Only these ids; undefined for all. */
  readonly chosen: readonly string[] | undefined;
}

/** Returns false if no secret can apply to a session: it has none, nor does its organization besides those of others. */
export async function mayHaveSecrets({ db, orgId, sessionId }: SessionOf): Promise<boolean> {
  const rows = await named(
    db,
    'session_may_have_secrets',
    `select from sessions s where s.org_id = $1 and s.id = $2 and (
       exists (select from session_secrets where session_id = s.id)
       or exists (select from secrets where org_id = s.org_id
         and (scope <> 'user' or owner = s.created_by_type || ':' || s.created_by_id)))`,
    [orgId, sessionId],
  );
  return rows.length > 0;
}

/** Returns every secret in the selection, including those that another one with the same key overrides. */
export async function listSelected(db: Kysely<DB>, orgId: string, selection: Selection) {
  const { repositoryIds, owner, chosen } = selection;
  return db
    .selectFrom('secrets')
    .select(['id', 'key', 'kind', 'scope', 'repository_id', 'exposure', 'allowed_hosts', 'version', 'sealed'])
    .select(writers)
    .where('org_id', '=', orgId)
    .where((eb) =>
      eb.or([
        eb('scope', '=', 'organization'),
        ...(repositoryIds.length === 0 ? [] : [eb('repository_id', 'in', present(db, orgId, repositoryIds))]),
        ...(owner === '' ? [] : [eb('owner', '=', owner)]),
      ]),
    )
    .$if(chosen !== undefined, (query) => query.where(sql<boolean>`id = any(${chosen ?? []}::text[])`))
    .orderBy('id')
    .execute();
}

/** Filters out deleted repositories. */
function present(db: Kysely<DB>, orgId: string, repositoryIds: readonly string[]) {
  return db
    .selectFrom('repositories')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', repositoryIds)
    .where('deleted_at', 'is', null);
}

/** Reads the facts about a session that decide its secrets, and locks it against new messages. */
export async function lockForSecrets(trx: Transaction<DB>, orgId: string, sessionId: string) {
  const row = await trx
    .selectFrom('sessions')
    .select(['created_by_type', 'created_by_id', 'repositories', 'options'])
    .select((eb) => spokenToByOthers(eb.ref('sessions.id')).as('shared'))
    .where('org_id', '=', orgId)
    .where('id', '=', sessionId)
    .forUpdate()
    .executeTakeFirst();
  return row;
}

/** Like {@link lockForSecrets}, without the lock. */
export async function readForSecrets(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db
    .selectFrom('sessions')
    .select(['created_by_type', 'created_by_id', 'repositories', 'options'])
    .select((eb) => spokenToByOthers(eb.ref('sessions.id')).as('shared'))
    .where('org_id', '=', orgId)
    .where('id', '=', sessionId)
    .executeTakeFirst();
}

/**
 * Tells if anybody but its creator sent a message to a session; for a child session, its parent's agent counts as the creator.
 */
function spokenToByOthers(sessionId: Parameters<typeof sql>[1]) {
  return sql<boolean>`sessions.parent_session_id <> '' or exists (
    select 1 from session_messages m
    where m.session_id = ${sessionId} and m.role = 'user' and m.state <> 'withdrawn'
      and (m.created_by_type <> sessions.created_by_type or m.created_by_id <> sessions.created_by_id))`;
}

export async function noteUses(trx: Transaction<DB>, rows: Insertable<DB['secret_uses']>[]): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .insertInto('secret_uses')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['session_id', 'secret_id', 'version'])
        .doUpdateSet({ sandboxes: 'all' })
        .whereRef('secret_uses.sandboxes', '<>', 'excluded.sandboxes'),
    )
    .execute();
}

/** Returns the newest version that a session got of each secret, by key; null fields for a deleted secret. */
export async function listUses(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db
    .selectFrom('secret_uses')
    .leftJoin('secrets', 'secrets.id', 'secret_uses.secret_id')
    .distinctOn(['secret_uses.key', 'secret_uses.secret_id'])
    .select(['secret_uses.key', 'secret_uses.version', 'secret_uses.sandboxes', 'secrets.kind', 'secrets.exposure'])
    .select((eb) => eb.ref('secret_uses.scope').$castTo<SecretScope>().as('scope'))
    .where('secret_uses.org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('secret_uses.key')
    .orderBy('secret_uses.secret_id')
    .orderBy('secret_uses.version', 'desc')
    .execute();
}

/** Returns the ids of the secrets that a session got so far. */
export async function listUsedIds(db: Kysely<DB>, orgId: string, sessionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('secret_uses')
    .select('secret_id')
    .distinct()
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('secret_id')
    .execute();
  return rows.map(({ secret_id: id }) => id);
}

/** Tells if a session ever got a secret with an owner. */
export async function gotOwnSecret(db: Kysely<DB>, sessionId: string): Promise<boolean> {
  const query = db.selectFrom('secret_uses').select('secret_id').where('session_id', '=', sessionId);
  return (await query.where('scope', '=', 'user').limit(sql.lit(1)).executeTakeFirst()) !== undefined;
}

/** Records that a fork may contain the secrets with an owner that its source got. */
export async function copyOwnUses(trx: Transaction<DB>, source: string, forkId: string): Promise<void> {
  await sql`
    insert into secret_uses (org_id, session_id, secret_id, version, key, scope, sandboxes, used_at)
    select org_id, ${forkId}, secret_id, version, key, scope, sandboxes, used_at
    from secret_uses where session_id = ${source} and scope = 'user'`.execute(trx);
}

export async function insertSessionSecrets(
  trx: Transaction<DB>,
  rows: Insertable<DB['session_secrets']>[],
): Promise<void> {
  if (rows.length > 0) await trx.insertInto('session_secrets').values(rows).execute();
}

export async function listSessionSecrets(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db
    .selectFrom('session_secrets')
    .select(['id', 'key', 'kind', 'exposure', 'allowed_hosts', 'masked_only', 'sealed'])
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .orderBy('id')
    .execute();
}

export async function deleteSessionSecrets(trx: Kysely<DB>, sessionId: string): Promise<void> {
  await trx.deleteFrom('session_secrets').where('session_id', '=', sessionId).execute();
}

/** Size of the plain text in bytes. */
export function openBytes({ sealed }: { sealed: Buffer }): number {
  return sealed.length - sealedOverheadBytes;
}
