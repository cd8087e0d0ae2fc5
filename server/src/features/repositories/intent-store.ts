import type { Kysely, Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { RecordedActor } from '../../mutation/recorded-actor.ts';

/** The requested action; `merge` and `squash` are ways to merge. */
export type IntendedAction = 'merge' | 'squash' | 'close';

function intentsQuery(db: Kysely<DB>, orgId: string) {
  return db.selectFrom('change_request_intents').where('org_id', '=', orgId);
}

export async function readIntent(db: Kysely<DB>, orgId: string, changeRequestId: string) {
  return intentsQuery(db, orgId).selectAll().where('change_request_id', '=', changeRequestId).executeTakeFirst();
}

/** The change request of an intent whose attempt ended without settling it. */
export interface AbandonedIntent {
  orgId: string;
  slug: string;
  repositoryId: string;
  number: number;
}

/**
 * Returns unsettled intents whose lease ended before an instant, oldest first; those in deleted repositories wait until
 * they are restored.
 */
export async function listAbandoned(
  db: Kysely<DB>,
  before: Date,
  where: { orgId?: string; limit: number },
): Promise<AbandonedIntent[]> {
  const { orgId, limit } = where;
  return db
    .selectFrom('change_request_intents as i')
    .innerJoin('change_requests as c', 'c.id', 'i.change_request_id')
    .innerJoin('organizations as o', 'o.id', 'i.org_id')
    .innerJoin('repositories as r', 'r.id', 'c.repository_id')
    .select(['i.org_id as orgId', 'o.slug', 'c.repository_id as repositoryId', 'c.number'])
    .where('r.deleted_at', 'is', null)
    .where('i.settled_at', 'is', null)
    .where('i.held_until', '<', before)
    .$if(orgId !== undefined, (q) => q.where('i.org_id', '=', orgId ?? ''))
    .orderBy('i.created_at')
    .limit(limit)
    .execute();
}

export interface NewIntent {
  changeRequestId: string;
  orgId: string;
  action: IntendedAction;
  actor: RecordedActor;
  owner: string;
  heldUntil: Date;
  now: Date;
}

/** Inserts an intent, or replaces a settled one; the change request must be locked. */
export async function putIntent(trx: Transaction<DB>, intent: NewIntent): Promise<void> {
  const values = {
    ...intent.actor,
    action: intent.action,
    owner: intent.owner,
    held_until: intent.heldUntil,
    settled_at: null,
    created_at: intent.now,
  };
  await trx
    .insertInto('change_request_intents')
    .values({ ...values, change_request_id: intent.changeRequestId, org_id: intent.orgId })
    .onConflict((conflict) => conflict.column('change_request_id').doUpdateSet(values))
    .execute();
}

/** Extends the lease of an intent while its attempt works on it. */
export async function holdIntent(db: Kysely<DB>, orgId: string, owner: string, heldUntil: Date): Promise<void> {
  await db
    .updateTable('change_request_intents')
    .set({ held_until: heldUntil })
    .where('org_id', '=', orgId)
    .where('owner', '=', owner)
    .execute();
}

/** Marks an intent as settled; its actor has not received the response yet. */
export async function markSettled(trx: Transaction<DB>, orgId: string, owner: string, now: Date): Promise<void> {
  await trx
    .updateTable('change_request_intents')
    .set({ settled_at: now })
    .where('org_id', '=', orgId)
    .where('owner', '=', owner)
    .execute();
}

export async function deleteIntent(db: Kysely<DB>, orgId: string, owner: string): Promise<void> {
  await db.deleteFrom('change_request_intents').where('org_id', '=', orgId).where('owner', '=', owner).execute();
}

/** Deletes the intents of all organizations that were settled before an instant. */
export async function deleteSettledIntents(db: Kysely<DB>, before: Date): Promise<void> {
  await db.deleteFrom('change_request_intents').where('settled_at', '<', before).execute();
}
