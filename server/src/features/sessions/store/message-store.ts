import { sql, type Insertable, type Kysely, type Transaction } from 'kysely';
import { named, type Database } from '../../../db/pool.ts';
import { principal } from '../../../db/principal.ts';
import type { DB } from '../../../db/types.ts';
import type { MessageSource } from '../schemas/message-schemas.ts';

const shown = [
  'id',
  'session_id',
  'role',
  'content',
  'attachment_ids',
  'delivery',
  'state',
  principal('session_messages.created_by').as('created_by'),
  sql<MessageSource | null>`source`.as('source'),
  'created_at',
  'delivered_at',
] as const;

export function messagesQuery(db: Kysely<DB>, orgId: string, sessionId: string) {
  return db.selectFrom('session_messages').where('org_id', '=', orgId).where('session_id', '=', sessionId);
}

export async function listMessageRows(
  query: ReturnType<typeof messagesQuery>,
  after: string | undefined,
  limit: number,
) {
  return query
    .select(shown)
    .$if(after !== undefined, (q) => q.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function insertMessage(trx: Transaction<DB>, row: Insertable<DB['session_messages']>) {
  return trx.insertInto('session_messages').values(row).returning(shown).executeTakeFirstOrThrow();
}

/** Withdraws a message that no turn took yet; undefined if it does not exist, was taken, or is about a decision. */
export async function withdrawMessage(trx: Transaction<DB>, orgId: string, sessionId: string, id: string) {
  return trx
    .updateTable('session_messages')
    .set({ state: 'withdrawn' })
    .where('org_id', '=', orgId)
    .where('session_id', '=', sessionId)
    .where('id', '=', id)
    .where('state', '=', 'queued')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('session_approvals').select('session_approvals.id').where('message_id', '=', id))),
    )
    .returning(shown)
    .executeTakeFirst();
}

/** Withdraws all messages that no turn took yet; returns them, oldest first. */
export async function withdrawQueuedMessages(trx: Transaction<DB>, sessionId: string): Promise<{ id: string }[]> {
  const rows = await trx
    .updateTable('session_messages')
    .set({ state: 'withdrawn' })
    .where('session_id', '=', sessionId)
    .where('state', '=', 'queued')
    .returning('id')
    .execute();
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

export async function readMessage(db: Kysely<DB>, orgId: string, sessionId: string, id: string) {
  return messagesQuery(db, orgId, sessionId).select(shown).where('id', '=', id).executeTakeFirst();
}

/**
 * Locks a run's session, and takes its queued messages for a round, oldest first: all, or only those that steer the current
 * turn. Takes none if the run no longer owns the session.
 */
export async function takeQueuedMessages(
  trx: Transaction<DB>,
  { id, fence }: { id: string; fence: number },
  round: number,
  only?: 'steer',
) {
  const rows = await trx
    .with('held', (db) =>
      db.selectFrom('sessions').select('id').where('id', '=', id).where('fence', '=', fence).forUpdate(),
    )
    .updateTable('session_messages')
    .set({ state: 'delivered', round, delivered_at: sql<Date>`now()` })
    .where('session_id', '=', ({ selectFrom }) => selectFrom('held').select('held.id'))
    .where('state', '=', 'queued')
    .$if(only !== undefined, (q) => q.where('delivery', '=', only ?? 'steer'))
    .returning(shown)
    .execute();
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns true if a message for the current turn is queued. */
export async function isSteered(db: Database, sessionId: string): Promise<boolean> {
  const rows = await named(
    db,
    'messages_steer',
    `select 1 from session_messages where session_id = $1 and state = 'queued' and delivery = 'steer' limit 1`,
    [sessionId],
  );
  return rows.length === 1;
}

/** Returns the messages that a round took, oldest first. */
export async function readRoundMessages(db: Kysely<DB>, sessionId: string, round: number) {
  return db
    .selectFrom('session_messages')
    .select(shown)
    .where('session_id', '=', sessionId)
    .where('round', '=', round)
    .where('state', '=', 'delivered')
    .orderBy('id')
    .execute();
}

/** Returns the attachments of delivered messages, each once, in order. */
export async function readAttachmentIds(db: Kysely<DB>, sessionId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('session_messages')
    .select('attachment_ids')
    .where('session_id', '=', sessionId)
    .where('state', '=', 'delivered')
    .where(sql<boolean>`attachment_ids <> '{}'`)
    .orderBy('id')
    .execute();
  return [...new Set(rows.flatMap(({ attachment_ids }) => attachment_ids))];
}
