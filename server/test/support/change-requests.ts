import type { Context } from '../../src/app/context.ts';
import {
  openAtProvider,
  recordOpened,
  type OpenChangeRequest,
} from '../../src/features/repositories/open-change-request.ts';

/** Opens a change request as a run does, with one line changed in one file. */
export async function openChangeRequest(
  ctx: Pick<Context, 'db' | 'clock' | 'sourceControl'>,
  input: Omit<OpenChangeRequest, 'additions' | 'deletions' | 'changedFiles'>,
) {
  const opened = await openAtProvider(ctx, { ...input, additions: 1, deletions: 1, changedFiles: 1 });
  return ctx.db.transaction((trx) => recordOpened(trx, opened, ctx.clock.now()));
}
