import { sql, type Kysely, type Transaction, type Updateable } from 'kysely';
import type { ConnectionRef } from '../../adapters/source-control/port.ts';
import type { DB } from '../../db/types.ts';
import { readSealedAppSecrets } from './app-secret-store.ts';
import { builtInProvider, type Provider } from '../../lib/providers.ts';

export type HookConnection = NonNullable<Awaited<ReturnType<typeof connectionOfHook>>>;

/** Returns the id of a connection's webhook. */
export function hookIdOf(connectionId: string): string {
  // That of an App has another mark.
  return connectionId.replace(/^gc_/, 'hook_').replace(/^ga_/, 'hook_app_');
}

/** Returns the connection of a webhook, with its organization's state; undefined if there is none. */
export async function connectionOfHook(db: Kysely<DB>, hookId: string) {
  if (hookId.startsWith('hook_app_')) return appOfHook(db, hookId);
  if (!hookId.startsWith('hook_')) return undefined;
  return db
    .selectFrom('git_connections as c')
    .innerJoin('organizations as o', 'o.id', 'c.org_id')
    .select(['c.id', 'c.org_id', 'o.slug', 'o.state'])
    .select(sql<Provider>`c.provider`.as('provider'))
    .where('c.id', '=', hookId.replace(/^hook_/, 'gc_'))
    .where('c.provider', '<>', builtInProvider)
    .executeTakeFirst();
}

/** Returns an App in the place of a connection. */
async function appOfHook(db: Kysely<DB>, hookId: string) {
  return db
    .selectFrom('git_apps as a')
    .innerJoin('organizations as o', 'o.id', 'a.org_id')
    .select(['a.id', 'a.org_id', 'o.slug', 'o.state'])
    .select(sql<Provider>`a.provider`.as('provider'))
    .where('a.id', '=', hookId.replace(/^hook_app_/, 'ga_'))
    .executeTakeFirst();
}

/** Returns the sealed secrets of the webhook of a connection or an App, the newest first. */
export async function readSealedSecrets(
  db: Kysely<DB>,
  { orgId, connectionId }: ConnectionRef,
  now: Date,
): Promise<Buffer[]> {
  const row = await db
    .selectFrom('git_connections')
    .select(['sealed_webhook_secret', 'sealed_previous_webhook_secret', 'previous_webhook_secret_until'])
    .where('org_id', '=', orgId)
    .where('id', '=', connectionId)
    .executeTakeFirst();
  if (row === undefined) return readSealedAppSecrets(db, { orgId, connectionId }, now);
  if (row.sealed_webhook_secret === null) return [];
  const { sealed_previous_webhook_secret: previous, previous_webhook_secret_until: until } = row;
  const isValid = previous !== null && until !== null && now < until;
  return [row.sealed_webhook_secret, ...(isValid ? [previous] : [])];
}

/** Sets a secret unless there is one. */
export async function setFirstSecret(
  db: Kysely<DB>,
  { orgId, connectionId }: ConnectionRef,
  sealed: Buffer,
): Promise<void> {
  await db
    .updateTable('git_connections')
    .set({ sealed_webhook_secret: sealed })
    .where('org_id', '=', orgId)
    .where('id', '=', connectionId)
    .where('sealed_webhook_secret', 'is', null)
    .execute();
}

/** Replaces the secret; the one before is valid until an instant, null for not at all. */
export async function replaceSecret(
  trx: Transaction<DB>,
  { orgId, connectionId }: ConnectionRef,
  sealed: Buffer,
  previousUntil: Date | null,
): Promise<void> {
  await trx
    .updateTable('git_connections')
    .set(({ ref }) => ({
      sealed_previous_webhook_secret: previousUntil === null ? null : ref('sealed_webhook_secret'),
      previous_webhook_secret_until: previousUntil,
      sealed_webhook_secret: sealed,
    }))
    .where('org_id', '=', orgId)
    .where('id', '=', connectionId)
    .execute();
}

export async function updateHook(
  db: Kysely<DB>,
  { orgId, connectionId }: ConnectionRef,
  change: Pick<Updateable<DB['git_connections']>, 'webhook_problem'>,
): Promise<void> {
  await db
    .updateTable('git_connections')
    .set(change)
    .where('org_id', '=', orgId)
    .where('id', '=', connectionId)
    .execute();
}

/** Returns the repositories that use a connection, by id. */
export async function repositoriesOn(
  db: Kysely<DB>,
  { orgId, connectionId }: ConnectionRef,
  after: string,
  limit: number,
) {
  return db
    .selectFrom('repositories')
    .select(['id', 'repo'])
    .where('org_id', '=', orgId)
    .where('connection_id', '=', connectionId)
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns the provider of a connection, undefined if it does not exist. */
export async function providerOf(db: Kysely<DB>, { orgId, connectionId }: ConnectionRef) {
  const row = await db
    .selectFrom('git_connections')
    .select(sql<Provider>`provider`.as('provider'))
    .where('org_id', '=', orgId)
    .where('id', '=', connectionId)
    .executeTakeFirst();
  return row?.provider;
}
