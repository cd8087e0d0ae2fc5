import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { notFound } from '../../../lib/errors.ts';
import { markRead } from '../store/read-store.ts';

/**
 * Records how far a user has read a session. Not audited: it is the user's own, and comes with every look. Throws 404
 * `session_not_found`.
 */
export async function markSessionRead(ctx: Pick<Context, 'db'>, caller: Actor, id: string, seq: number) {
  const owner = { orgId: caller.organization.id, userId: caller.principal.id };
  const mark = await ctx.db.transaction((trx) => markRead(trx, { id, ...owner, seq }));
  if (mark === undefined) throw notFound('session', id);
  return mark;
}
