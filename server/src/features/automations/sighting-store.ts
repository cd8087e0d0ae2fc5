import { sql, type Transaction } from 'kysely';
import type { DB } from '../../db/types.ts';

/** One thing at a host that triggers wait for. */
export interface Sighted {
  orgId: string;
  repositoryId: string;
  kind: 'push' | 'change_request' | 'issue';
  /** The full name of a ref, or a number. */
  name: string;
}

/** Returns what was seen last, and locks it until the transaction ends; undefined if it was not seen yet. */
export async function lockSighting(
  trx: Transaction<DB>,
  { orgId, repositoryId, kind, name }: Sighted,
  now: Date,
): Promise<Record<string, unknown> | undefined> {
  const key = { repository_id: repositoryId, kind, name };
  await trx
    .insertInto('automation_sightings')
    .values({ ...key, org_id: orgId, seen: 'null', seen_at: now })
    .onConflict((conflict) => conflict.columns(['repository_id', 'kind', 'name']).doNothing())
    .execute();
  const row = await trx
    .selectFrom('automation_sightings')
    .select(sql<Record<string, unknown> | null>`seen`.as('seen'))
    .where('repository_id', '=', repositoryId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  return row?.seen ?? undefined;
}

export async function recordSighting(
  trx: Transaction<DB>,
  { repositoryId, kind, name }: Sighted,
  seen: Readonly<Record<string, unknown>>,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('automation_sightings')
    .set({ seen: JSON.stringify(seen), seen_at: now })
    .where('repository_id', '=', repositoryId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .execute();
}

/** Deletes what was not seen to change for long. */
export async function deleteOldSightings(trx: Transaction<DB>, before: Date): Promise<void> {
  await trx.deleteFrom('automation_sightings').where('seen_at', '<', before).execute();
}

/** Returns the session that works on a branch; `''` for none. */
export async function sessionOnBranch(
  trx: Transaction<DB>,
  orgId: string,
  { provider, repo }: { provider: string; repo: string },
  branch: string,
): Promise<string> {
  const wanted = JSON.stringify([{ provider, repo, branch }]);
  const row = await trx
    .selectFrom('sessions')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', 'in', ({ selectFrom }) =>
      selectFrom('session_labels')
        .select('session_id')
        .where('session_labels.org_id', '=', orgId)
        .where('kind', '=', 'repository')
        .where('value', '=', repo.toLowerCase()),
    )
    .where(sql<boolean>`repositories @> ${wanted}::jsonb`)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? '';
}

/** Returns true if this platform opened the change request: its own events tell of it. */
export async function isOwnChangeRequest(
  trx: Transaction<DB>,
  orgId: string,
  repositoryId: string,
  number: number,
): Promise<boolean> {
  const row = await trx
    .selectFrom('change_requests')
    .select('session_id')
    .where('org_id', '=', orgId)
    .where('repository_id', '=', repositoryId)
    .where('number', '=', number)
    .executeTakeFirst();
  return row !== undefined && row.session_id !== '';
}
