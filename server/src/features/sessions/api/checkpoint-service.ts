import type { Actor } from '../../../caller.ts';
import { countRows } from '../../../db/count.ts';
import { paginate, type PageQuery } from '../../../lib/paging.ts';
import { checkpointsQuery, listCheckpointRows } from '../store/checkpoint-store.ts';
import { requireSession, type SessionContext } from './service.ts';

/** Lists the checkpoints of a session, newest first. */
export async function listCheckpoints(ctx: SessionContext, caller: Actor, sessionId: string, query: PageQuery) {
  const orgId = caller.organization.id;
  await requireSession(ctx, orgId, sessionId);
  const rows = checkpointsQuery(ctx.db.kysely, orgId, sessionId);
  return paginate({
    list: 'session_checkpoints',
    filters: { sessionId },
    query,
    rows: (after, limit) => listCheckpointRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
}
