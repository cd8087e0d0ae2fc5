import type { Transaction } from 'kysely';
import type { Context } from '../../app/context.ts';
import type { DB } from '../../db/types.ts';
import { AppError } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { readFollowed, sendFromHost } from '../sessions/api/follow-service.ts';
import type { Mention } from './mention.ts';
import { lastSessionOf, listChangeRequestsOf } from './store.ts';
import { promptOf } from './texts.ts';

/**
 * Sends a mention on an issue to the session that the last one there started. Returns false if there is none that can go on: it
 * was deleted or canceled, or its change requests are merged or closed. `record` runs in the transaction of the message.
 */
export async function continueByMention(
  ctx: Pick<Context, 'db' | 'clock' | 'jobs' | 'config' | 'baseUrl'>,
  { organization, repository, place, thread, said }: Mention,
  record: (trx: Transaction<DB>, sessionId: string) => Promise<void>,
): Promise<boolean> {
  if (place.kind !== 'issue') return false;
  const { provider, repo } = repository;
  const { login } = said.author;
  try {
    return await ctx.db.transaction(async (trx) => {
      const sessionId = await lastSessionOf(trx, place);
      if (sessionId === undefined || !(await isUnfinished(trx, place.org_id, sessionId))) return false;
      await record(trx, sessionId);
      await sendFromHost(ctx, trx, organization, sessionId, {
        id: newId('msg', ctx.clock.now().getTime()),
        content: promptOf({ ...place, repo }, thread, said),
        source: { kind: 'comment', url: said.url, head_sha: '' },
        writer: { type: 'provider', id: `${provider}:${login}`, name: login },
        quoted: [],
      });
      return true;
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'session_terminal') return false;
    throw error;
  }
}

/** False once the session is gone, or nothing of its work is open any more. */
async function isUnfinished(trx: Transaction<DB>, orgId: string, sessionId: string): Promise<boolean> {
  if ((await readFollowed(trx, orgId, sessionId)) === undefined) return false;
  const changes = await listChangeRequestsOf(trx, orgId, sessionId);
  return changes.length === 0 || changes.some(({ state }) => state === 'open');
}
