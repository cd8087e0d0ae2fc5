import { sql, type Kysely, type Transaction, type Updateable } from 'kysely';
import type { DB } from '../../db/types.ts';
import type { Action, Memory } from './decide/types.ts';

export type FollowRow = NonNullable<Awaited<ReturnType<typeof readFollow>>>;

/** Returns how a change request is followed; undefined if it is not. */
export async function readFollow(db: Kysely<DB>, changeRequestId: string) {
  return db
    .selectFrom('follows')
    .selectAll()
    .$narrowType<{ memory: Memory }>()
    .where('change_request_id', '=', changeRequestId)
    .executeTakeFirst();
}

export async function lockFollow(trx: Transaction<DB>, changeRequestId: string) {
  return trx
    .selectFrom('follows')
    .selectAll()
    .$narrowType<{ memory: Memory }>()
    .where('change_request_id', '=', changeRequestId)
    .forUpdate()
    .executeTakeFirst();
}

export interface NewFollow {
  change_request_id: string;
  org_id: string;
  repository_id: string;
  number: number;
  session_id: string;
  memory: Memory;
  now: Date;
}

/** Begins to follow a change request, unless it is followed already. */
export async function insertFollow(trx: Transaction<DB>, { memory, now, ...place }: NewFollow): Promise<void> {
  await trx
    .insertInto('follows')
    .values({ ...place, state: 'watching', memory: JSON.stringify(memory), created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('change_request_id').doNothing())
    .execute();
}

type Change = Omit<Updateable<DB['follows']>, 'memory'> & { memory?: Memory };

export async function updateFollow(
  trx: Transaction<DB>,
  changeRequestId: string,
  { memory, ...change }: Change,
): Promise<void> {
  await trx
    .updateTable('follows')
    .set({
      ...change,
      revision: sql<number>`revision + 1`,
      ...(memory === undefined ? {} : { memory: JSON.stringify(memory) }),
    })
    .where('change_request_id', '=', changeRequestId)
    .execute();
}

/** A change request that may be followed. */
export interface Place {
  org_id: string;
  repository_id: string;
  number: number;
}

/** Returns the open change requests of a repository that are followed, or that a session opened. */
export async function listOpenPlaces(db: Kysely<DB>, orgId: string, repositoryId: string): Promise<Place[]> {
  return db
    .selectFrom('change_requests as c')
    .leftJoin('follows as f', 'f.change_request_id', 'c.id')
    .select(['c.org_id', 'c.repository_id', 'c.number'])
    .where('c.org_id', '=', orgId)
    .where('c.repository_id', '=', repositoryId)
    .where('c.state', '=', 'open')
    .where((eb) => eb.or([eb('c.session_id', '<>', ''), eb('f.state', 'is not', null)]))
    .limit(1_000)
    .execute();
}

/** Returns the change requests that sessions follow or opened and that are open. */
export async function listPlacesOfSessions(db: Kysely<DB>, orgId: string, sessionIds: string[]): Promise<Place[]> {
  return db
    .selectFrom('change_requests as c')
    .leftJoin('follows as f', 'f.change_request_id', 'c.id')
    .select(['c.org_id', 'c.repository_id', 'c.number'])
    .where('c.org_id', '=', orgId)
    .where('c.state', '=', 'open')
    .where((eb) => eb.or([eb('c.session_id', 'in', sessionIds), eb('f.session_id', 'in', sessionIds)]))
    .limit(1_000)
    .execute();
}

/** Returns the change requests whose time to be looked at has come, and clears it. */
export async function takeDue(trx: Transaction<DB>, now: Date, limit: number): Promise<Place[]> {
  return trx
    .updateTable('follows')
    .set({ look_at: null })
    .where('change_request_id', 'in', (eb) =>
      eb
        .selectFrom('follows')
        .select('change_request_id')
        .where('look_at', '<=', now)
        .orderBy('look_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['org_id', 'repository_id', 'number'])
    .execute();
}

/** Returns what was said on a change request and is answered as a mention, by the ids that following uses. */
export async function listMentioned(trx: Transaction<DB>, { repository_id, number }: Place): Promise<string[]> {
  const rows = await trx
    .selectFrom('mentions')
    .select('said_id')
    .where('repository_id', '=', repository_id)
    .where('kind', '=', 'change_request')
    .where('number', '=', number)
    .where('state', '<>', 'followed')
    .execute();
  return rows.map(({ said_id: id }) => id);
}

/** Adds actions; those with a known key are left out. */
export async function insertActions(
  trx: Transaction<DB>,
  { change_request_id, org_id }: { change_request_id: string; org_id: string },
  actions: readonly Action[],
  now: Date,
): Promise<void> {
  if (actions.length === 0) return;
  // One after another: they are carried out in this order.
  const rows = actions.map((action, index) => ({
    change_request_id,
    org_id,
    key: action.key,
    action: JSON.stringify(action),
    created_at: new Date(now.getTime() + index),
  }));
  await trx
    .insertInto('follow_actions')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['change_request_id', 'key']).doNothing())
    .execute();
}

export async function listPendingActions(db: Kysely<DB>, changeRequestId: string) {
  return db
    .selectFrom('follow_actions')
    .select(['key', 'action'])
    .$narrowType<{ action: Action }>()
    .where('change_request_id', '=', changeRequestId)
    .where('state', '=', 'pending')
    .orderBy('created_at')
    .execute();
}

/** Holds a pending action for this process until an instant; undefined if another one holds it or carried it out. */
export async function holdAction(db: Kysely<DB>, changeRequestId: string, key: string, now: Date, until: Date) {
  return db
    .updateTable('follow_actions')
    .set({ held_until: until, attempts: sql<number>`attempts + 1` })
    .where('change_request_id', '=', changeRequestId)
    .where('key', '=', key)
    .where('state', '=', 'pending')
    .where((eb) => eb.or([eb('held_until', 'is', null), eb('held_until', '<', now)]))
    .returning('attempts')
    .executeTakeFirst();
}

/** Ends a pending action, or lets the next attempt have it; false if it ended before. */
export async function updateAction(
  db: Kysely<DB>,
  changeRequestId: string,
  key: string,
  change: { state: 'pending' | 'done' | 'failed'; problem?: string; done_at?: Date; held_until?: null },
): Promise<boolean> {
  const row = await db
    .updateTable('follow_actions')
    .set(change)
    .where('change_request_id', '=', changeRequestId)
    .where('key', '=', key)
    .where('state', '=', 'pending')
    .returning('key')
    .executeTakeFirst();
  return row !== undefined;
}

/** Returns the platform's account at the host of a connection; `''` for the built-in one. */
export async function readAccount(db: Kysely<DB>, orgId: string, connectionId: string): Promise<string> {
  const row = await db
    .selectFrom('git_connections')
    .select('account')
    .where('org_id', '=', orgId)
    .where('id', '=', connectionId)
    .executeTakeFirst();
  return row?.account ?? '';
}

/** Returns a principal of the built-in host by its id. */
export async function readPrincipal(db: Kysely<DB>, id: string) {
  const { rows } = await sql<{ type: 'user' | 'service_user' | 'app' | 'session'; id: string; name: string }>`
    select 'user' as type, id, name from users where id = ${id}
    union all select 'service_user', id, name from service_users where id = ${id}
    union all select 'app', id, name from apps where id = ${id}
    union all select 'session', id, title from sessions where id = ${id}
    limit 1`.execute(db);
  return rows[0];
}
