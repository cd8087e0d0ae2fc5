import type { AuthenticatedCaller, Caller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { countRows } from '../../db/count.ts';
import { notFound } from '../../lib/errors.ts';
import { paginate, type PageQuery } from '../../lib/paging.ts';
import { mutate } from '../../mutation/mutate.ts';
import { recordInEachOrganization } from './record.ts';
import { idleMs } from './sign-in-service.ts';
import { deleteSignIns, listSignInRows, signInsQuery } from './store.ts';

type OwnContext = Pick<Context, 'db' | 'clock'>;

/** Lists the caller's sign-ins, newest first. */
export async function listOwnSignIns(ctx: OwnContext, caller: AuthenticatedCaller, query: PageQuery) {
  const { id: userId } = caller.principal;
  const now = ctx.clock.now();
  const rows = signInsQuery(ctx.db.kysely, userId, now, new Date(now.getTime() - idleMs));
  const page = await paginate({
    list: 'sign_ins',
    filters: { userId },
    query,
    rows: (after, limit) => listSignInRows(rows, after, limit),
    total: () => countRows(ctx.db, rows),
  });
  return { ...page, items: page.items.map((row) => ({ ...row, current: row.id === caller.credential.id })) };
}

/** Ends one of the caller's sign-ins at once, on every process. Throws 404 `sign_in_not_found`. */
export async function endOwnSignIn(ctx: OwnContext, caller: Caller, id: string): Promise<null> {
  return mutate(ctx, caller, async (trx) => {
    const { id: userId } = caller.principal;
    const [ended] = await deleteSignIns(trx, { userId, id });
    if (ended === undefined) throw notFound('sign_in', id);
    const facts = caller.request;
    const now = ctx.clock.now();
    if (facts !== undefined)
      await recordInEachOrganization(trx, { userId, facts, action: 'sign_in.delete', changes: { id }, now });
    return null;
  });
}
