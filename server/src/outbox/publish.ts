import type { Transaction } from 'kysely';
import type { DB } from '../db/types.ts';
import { pendingRow, type NewOutboxEvent } from './event.ts';

/** Publishes an event: consumers get it once the transaction has committed. */
export async function publish(trx: Transaction<DB>, event: NewOutboxEvent): Promise<void> {
  await trx.insertInto('outbox_pending').values(pendingRow(event)).execute();
}
