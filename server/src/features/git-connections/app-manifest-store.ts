import type { Insertable, Kysely, Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** Names the state of a manifest flow, which is its principal's alone. */
export interface ManifestRef {
  readonly orgId: string;
  readonly stateHash: string;
  readonly principal: { readonly type: string; readonly id: string };
}

/** Stores the state of a manifest flow, in place of the one that the principal began before. */
export async function insertManifest(trx: Transaction<DB>, row: Insertable<DB['git_app_manifests']>): Promise<void> {
  await trx
    .deleteFrom('git_app_manifests')
    .where('org_id', '=', row.org_id)
    .where('principal_type', '=', row.principal_type)
    .where('principal_id', '=', row.principal_id)
    .execute();
  await trx.insertInto('git_app_manifests').values(row).execute();
}

/** Locks the state of a manifest flow; undefined if it does not exist or is too old. */
export async function lockManifest(trx: Transaction<DB>, { orgId, stateHash, principal }: ManifestRef, now: Date) {
  return trx
    .selectFrom('git_app_manifests')
    .select(['git_app_id', 'url', 'claimed_until'])
    .where('state_hash', '=', stateHash)
    .where('org_id', '=', orgId)
    .where('principal_type', '=', principal.type)
    .where('principal_id', '=', principal.id)
    .where('expires_at', '>', now)
    .forUpdate()
    .executeTakeFirst();
}

/** Claims a locked state until an instant. */
export async function claimManifest(trx: Transaction<DB>, { stateHash }: ManifestRef, until: Date): Promise<void> {
  await trx
    .updateTable('git_app_manifests')
    .set({ claimed_until: until })
    .where('state_hash', '=', stateHash)
    .execute();
}

/** Gives a state back that was claimed until an instant. */
export async function releaseManifest(db: Kysely<DB>, { stateHash }: ManifestRef, until: Date): Promise<void> {
  await db
    .updateTable('git_app_manifests')
    .set({ claimed_until: null })
    .where('state_hash', '=', stateHash)
    .where('claimed_until', '=', until)
    .execute();
}

/** Ends a state; with `until`, only while it is claimed until then. */
export async function endManifest(db: Kysely<DB>, { stateHash }: ManifestRef, until?: Date): Promise<void> {
  await db
    .deleteFrom('git_app_manifests')
    .where('state_hash', '=', stateHash)
    .$if(until !== undefined, (q) => q.where('claimed_until', '=', until ?? null))
    .execute();
}
