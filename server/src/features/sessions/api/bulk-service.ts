import type { AuthenticatedCaller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { isDatabaseAway } from '../../../db/outage.ts';
import { AppError } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { mutate } from '../../../mutation/mutate.ts';
import type { ChangeSessions, SessionChanges } from '../schemas/bulk-schemas.ts';
import { archiveSession, cancelSession, unarchiveSession } from './action-service.ts';
import { addTags, type SessionContext } from './service.ts';

type BulkContext = SessionContext & Pick<Context, 'config' | 'log'>;

/**
 * Does the same with several sessions, one after the other, each in a transaction of its own: one that is refused does
 * not stop the others. Throws 400 `invalid_request` for tags with another action than `tag`, or none with it.
 */
export async function changeSessions(
  ctx: BulkContext,
  caller: AuthenticatedCaller,
  { ids, action, tags }: ChangeSessions,
): Promise<SessionChanges> {
  if (action === 'tag' && tags === undefined) throw fieldError('/tags', 'is required with the action "tag".');
  if (action !== 'tag' && tags !== undefined) throw fieldError('/tags', 'requires the action "tag".');
  // Of the request, the response to all of them is stored, and none to a single one.
  const { complete: _, ...request } = caller.request;
  const each = { ...caller, request };
  const items: SessionChanges['items'] = [];
  for (const id of ids) items.push(await outcomeOf(ctx, id, () => change(ctx, each, id, action, tags ?? [])));
  return mutate(ctx, caller, async () => ({ items }));
}

async function change(
  ctx: BulkContext,
  caller: AuthenticatedCaller,
  id: string,
  action: ChangeSessions['action'],
  tags: readonly string[],
): Promise<unknown> {
  switch (action) {
    case 'archive':
      return archiveSession(ctx, caller, id);
    case 'unarchive':
      return unarchiveSession(ctx, caller, id);
    case 'cancel':
      return cancelSession(ctx, caller, id);
    case 'tag':
      return addTags(ctx, caller, id, tags);
  }
}

async function outcomeOf(
  { log }: Pick<Context, 'log'>,
  id: string,
  run: () => Promise<unknown>,
): Promise<SessionChanges['items'][number]> {
  try {
    await run();
    return { id, ok: true, error: null };
  } catch (error) {
    // What is wrong with the organization or the database is wrong for all.
    if (isDatabaseAway(error)) throw error;
    if (error instanceof AppError) return { id, ok: false, error: { code: error.code, message: error.message } };
    log.error({ err: error, session: id }, 'one of several sessions could not be changed');
    return { id, ok: false, error: { code: 'internal_error', message: 'Internal error. Try again.' } };
  }
}
