import type { Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { dropSessionSecrets } from '../../secrets/public.ts';
import { messageNews, type NewEvent } from '../schemas/event-schemas.ts';
import { withdrawQueuedMessages } from '../store/message-store.ts';
import { latestCheckpoints } from '../store/run-store.ts';

/**
 * Drops what a failed session keeps for another turn, unless it has a checkpoint to continue from: its secrets and its queued
 * messages. Returns the events of the messages.
 */
export async function endFailed(trx: Transaction<DB>, id: string): Promise<NewEvent[]> {
  if ((await latestCheckpoints(trx, id)).length > 0) return [];
  await dropSessionSecrets(trx, id);
  return withdrawQueued(trx, id);
}

/** Withdraws the messages that no turn will take any more; returns their events. */
export async function withdrawQueued(trx: Transaction<DB>, id: string): Promise<NewEvent[]> {
  const withdrawn = await withdrawQueuedMessages(trx, id);
  return withdrawn.map((message) => messageNews(message, 'withdrawn'));
}
