import type { Kysely, Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';

interface Place {
  sessionId: string;
  repositoryId: string;
}

/** Returns the description of what a session pushed last to a repository; undefined for none. */
export async function readDeliveredBody(
  db: Kysely<DB>,
  { sessionId, repositoryId }: Place,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('session_delivered_bodies')
    .select('body')
    .where('session_id', '=', sessionId)
    .where('repository_id', '=', repositoryId)
    .executeTakeFirst();
  return row?.body;
}

/** Replaces the description of what a session pushed last to a repository; undefined removes it. */
export async function writeDeliveredBody(
  trx: Transaction<DB>,
  { sessionId, repositoryId }: Place,
  body: string | undefined,
): Promise<void> {
  if (body === undefined)
    await trx
      .deleteFrom('session_delivered_bodies')
      .where('session_id', '=', sessionId)
      .where('repository_id', '=', repositoryId)
      .execute();
  else
    await trx
      .insertInto('session_delivered_bodies')
      .values({ session_id: sessionId, repository_id: repositoryId, body })
      .onConflict((conflict) => conflict.columns(['session_id', 'repository_id']).doUpdateSet({ body }))
      .execute();
}
