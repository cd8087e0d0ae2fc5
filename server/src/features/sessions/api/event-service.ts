import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { paginate, type PageQuery } from '../../../lib/paging.ts';
import { readEventsAfter, readStreamState, type readLastStop, type StreamState } from '../store/event-store.ts';

/**
 * Returns a page of the session's log as JSON text, oldest first; `total` counts the kept events after `after_seq`.
 * Throws 410 `stream_expired` if events after `after_seq` or the cursor are no longer kept.
 */
export async function listEvents(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  sessionId: string,
  query: PageQuery & { after_seq?: number },
): Promise<string> {
  const orgId = caller.organization.id;
  const state = await requireStreamState(ctx, caller, sessionId);
  const afterSeq = startOf(state, query.after_seq);
  const page = await paginate({
    list: 'session_events',
    filters: { sessionId, afterSeq: query.after_seq ?? 0 },
    query,
    rows: async (after, limit) => {
      const from = Number(after ?? afterSeq);
      if (!Number.isSafeInteger(from))
        throw fieldError('/after', 'is not an event of this session. Start again without a cursor.', {
          code: 'invalid_cursor',
        });
      const events = await readEventsAfter(ctx.db, orgId, sessionId, startOf(state, from), limit);
      // The log has no gaps: what is missing was removed in the meantime.
      if (events[0] !== undefined && events[0].seq !== from + 1) throw expired(events[0].seq);
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

/**
 * Returns the number after which to read: `after`, or before the first kept event. Throws 410 `stream_expired` if events
 * after `after` are no longer kept.
 */
export function startOf({ first_seq: first }: Pick<StreamState, 'first_seq'>, after: number | undefined): number {
  if (after !== undefined && after < first - 1) throw expired(first);
  return after ?? first - 1;
}

function expired(first: number): AppError {
  return new AppError(
    'stream_expired',
    `Events before ${first} of this session are no longer kept. Start again without a position, or after ${first - 1}.`,
    { first_seq: first },
  );
}

export type LastStop = NonNullable<Awaited<ReturnType<typeof readLastStop>>>;
