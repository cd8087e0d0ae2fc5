import type { Kysely, Transaction } from 'kysely';
import type { ConnectionRef } from '../../adapters/source-control/port.ts';
import type { DB } from '../../db/types.ts';
import { appsQuery, shownOfApp } from './app-store.ts';

/** A rotation that one request has to itself. */
export interface Rotation {
  readonly next: Buffer;
  readonly until: Date;
}

/** Returns the sealed secrets of an App's webhook, the current one first; also one that GitHub has not confirmed. */
export async function readSealedAppSecrets(
  db: Kysely<DB>,
  { orgId, connectionId: id }: ConnectionRef,
  now: Date,
): Promise<Buffer[]> {
  const row = await appsQuery(db, orgId)
    .select(['sealed_webhook_secret', 'sealed_next_webhook_secret'])
    .select(['sealed_previous_webhook_secret', 'previous_webhook_secret_until'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return [];
  const { previous_webhook_secret_until: until } = row;
  const previous = until !== null && now < until ? row.sealed_previous_webhook_secret : null;
  return [row.sealed_webhook_secret, row.sealed_next_webhook_secret, previous].filter((one) => one !== null);
}

/** Locks an App, and returns it with what a rotation needs. */
export async function lockRotation(trx: Transaction<DB>, orgId: string, id: string) {
  return appsQuery(trx, orgId)
    .select([...shownOfApp, 'sealed_private_key', 'sealed_next_webhook_secret', 'rotating_until'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Makes a secret valid that GitHub is about to be given. */
export async function beginRotation(
  trx: Transaction<DB>,
  { orgId, connectionId: id }: ConnectionRef,
  { next, until }: Rotation,
): Promise<void> {
  await trx
    .updateTable('git_apps')
    .set({ sealed_next_webhook_secret: next, rotating_until: until })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute();
}

/** Ends a rotation that GitHub did not confirm; its secret stays valid if GitHub may have it. */
export async function abandonRotation(
  db: Kysely<DB>,
  { orgId, connectionId: id }: ConnectionRef,
  { next, until }: Rotation,
  keepsSecret: boolean,
): Promise<void> {
  await db
    .updateTable('git_apps')
    .set({ rotating_until: null, sealed_next_webhook_secret: keepsSecret ? next : null })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('sealed_next_webhook_secret', '=', next)
    .where('rotating_until', '=', until)
    .execute();
}

/** Makes the secret of a rotation the current one; undefined if the rotation is another one by now, or the App is gone. */
export async function endRotation(
  trx: Transaction<DB>,
  { orgId, connectionId: id }: ConnectionRef,
  { next }: Rotation,
  { now, previousUntil }: { now: Date; previousUntil: Date | null },
) {
  return trx
    .updateTable('git_apps')
    .set(({ ref }) => ({
      sealed_previous_webhook_secret: previousUntil === null ? null : ref('sealed_webhook_secret'),
      previous_webhook_secret_until: previousUntil,
      sealed_webhook_secret: next,
      sealed_next_webhook_secret: null,
      rotating_until: null,
      webhook_secret_rotated_at: now,
    }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where('sealed_next_webhook_secret', '=', next)
    .returning(shownOfApp)
    .executeTakeFirst();
}
