import type { Context } from '../../../app/context.ts';
import { AppError, messageOf, ProviderError } from '../../../lib/errors.ts';
import { readResult } from '../../sessions/run/result-service.ts';
import { finishProse } from './finish-service.ts';
import { startProse, type ProseContext } from './start-service.ts';
import { endProse, giveUpProse, listWriting, lockWiki, readProse, type ProseRow } from './store.ts';

/** Does the next step of a wiki's prose: starts a session, or takes what it wrote and starts the next one. */
export async function lookAtProse(ctx: ProseContext, orgId: string, id: string): Promise<void> {
  const before = await readProse(ctx.db.kysely, orgId, id);
  if (before === undefined) return;
  if (before.session_id !== '') await follow(ctx, orgId, id, before);
  const row = before.session_id === '' ? before : await readProse(ctx.db.kysely, orgId, id);
  if (row?.session_id !== '' || !row.wants_prose) return;
  if (row.index_state === 'none')
    await ctx.db.transaction((trx) => giveUpProse(trx, id, 'No more prose is written: the index was deleted.'));
  else if (row.wiki_state === 'ready') await startProse(ctx, orgId, id, row);
}

/** Reasons for which a suspended session starts again by itself. */
const passing: ReadonlySet<string> = new Set(['capacity', 'group_limit']);

const wordFor: Readonly<Record<string, string>> = { failed: 'failed', canceled: 'was canceled' };

async function follow(ctx: ProseContext, orgId: string, id: string, row: ProseRow): Promise<void> {
  const { session_id: sessionId, found_session: found, status, status_detail: detail } = row;
  const isStopped = status === 'waiting' || (status === 'suspended' && !passing.has(detail ?? ''));
  const isOver = found === null || status === 'completed' || status === 'failed' || status === 'canceled' || isStopped;
  if (!isOver) return;
  if (status === 'completed' || (row.structured_output !== null && found !== null)) {
    try {
      return await finishProse(ctx, orgId, id, row);
    } catch (error) {
      const isPermanent = error instanceof AppError || (error instanceof ProviderError && !error.retryable);
      if (!isPermanent) throw error;
      return end(ctx, id, sessionId, `The prose could not be checked: ${messageOf(error)}`);
    }
  }
  const { errorMessage } = await ctx.db.transaction((trx) => readResult(trx, orgId, sessionId));
  const what =
    found === null
      ? 'was deleted'
      : isStopped
        ? `is ${status} (${(detail ?? '').replaceAll('_', ' ')})`
        : wordFor[status ?? ''];
  return end(ctx, id, sessionId, `The session that was to write prose ${what}. ${errorMessage}`.trim());
}

async function end(ctx: ProseContext, id: string, sessionId: string, problem: string): Promise<void> {
  await ctx.db.transaction(async (trx) => {
    const wiki = await lockWiki(trx, id);
    if (wiki?.session_id === sessionId) await endProse(trx, id, problem);
  });
}

/** Looks at prose whose session ended without a sign. */
export async function wakeProse(ctx: Pick<Context, 'db' | 'jobs'>): Promise<void> {
  for (const { id, org_id } of await listWriting(ctx.db.kysely, 1_000))
    await ctx.db.transaction((trx) =>
      ctx.jobs.enqueue(trx, 'wiki_prose', { org_id, repository_id: id }, { singletonKey: id }),
    );
}
