import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { notFound } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { paginate, type PageQuery } from '../../../lib/paging.ts';
import { readEventsAfter, readStreamState, type readLastStop, type StreamState } from '../store/event-store.ts';

/** Returns a page of the session's log as JSON text, oldest first; `total` counts the events after `after_seq`. */
export async function listEvents(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  sessionId: string,
  query: PageQuery & { after_seq?: number },
): Promise<string> {
  const orgId = caller.organization.id;
  const afterSeq = query.after_seq ?? 0;
  const state = await requireStreamState(ctx, caller, sessionId);
  const page = await paginate({
    list: 'session_events',
    filters: { sessionId, afterSeq },
    query,
    rows: async (after, limit) => {
      const from = Number(after ?? afterSeq);
      if (!Number.isSafeInteger(from))
        throw fieldError('/after', 'is not an event of this session. Start again without a cursor.', {
          code: 'invalid_cursor',
        });
      const events = await readEventsAfter(ctx.db, orgId, sessionId, from, limit);
      return events.map((event) => ({ ...event, id: String(event.seq) }));
    },
    total: async () => Math.max(0, state.last_seq - afterSeq),
  });
  const { items, ...rest } = page;
  return `{"items":[${items.map(({ json }) => json).join(',')}],${JSON.stringify(rest).slice(1)}`;
}

/** Returns the state at the start of a stream. Throws 404 `session_not_found`. */
export async function requireStreamState(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  sessionId: string,
): Promise<StreamState> {
  const state = await readStreamState(ctx.db, caller.organization.id, sessionId);
  if (state === undefined) throw notFound('session', sessionId);
  return state;
}

export type LastStop = NonNullable<Awaited<ReturnType<typeof readLastStop>>>;
