import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { decodeCursor, encodeCursor } from '../../../lib/cursor.ts';
import { fieldError } from '../../../lib/field-error.ts';
import { filterValues } from '../../../lib/filters.ts';
import { paginate, type Page } from '../../../lib/paging.ts';
import { eventKinds, type EventQuery } from '../schemas/event-schemas.ts';
import { countEvents, readEvents, readEventsAt, type EventRange } from '../store/event-query-store.ts';
import { jsonOf, readStreamState, type EventRow, type StreamState } from '../store/event-store.ts';
import { compactEvents } from './compact-events.ts';
import { findEvents } from './event-search-service.ts';
import { expired, requireStreamState, startOf } from './event-service.ts';

type ListContext = Pick<Context, 'db'>;

interface EventPage extends Page<EventRow> {
  scan?: { complete: boolean; seq: number };
}

/** A list to make a page of. */
interface Listing {
  query: EventQuery;
  range: EventRange;
  order: 'asc' | 'desc';
  state: StreamState;
  /** Binds cursors. */
  filters: Record<string, unknown>;
}

/** A search reads this many found events at once. */
const foundAtOnce = 50;
/** A page ends with the event that exceeds this number of characters. */
const pageCharacters = 1_048_576;

/**
 * Returns a page of the session's log as JSON text, oldest first; `total` counts the kept events that match. `isFinal`: no
 * event can be added to the page or to those after it. Throws 410 `stream_expired` if the events at its position are no
 * longer kept.
 */
export async function listEvents(
  ctx: ListContext,
  caller: Actor,
  sessionId: string,
  query: EventQuery,
): Promise<{ text: string; isFinal: boolean }> {
  const state = await requireStreamState(ctx, caller, sessionId);
  const { before_seq: beforeSeq, kind, search, compact } = query;
  const after = startOf(state, query.after_seq);
  if (beforeSeq !== undefined && beforeSeq > 1 && beforeSeq <= state.first_seq) throw expired(state.first_seq);
  const listing: Listing = {
    query,
    range: {
      orgId: caller.organization.id,
      sessionId,
      after,
      before: beforeSeq ?? Number.MAX_SAFE_INTEGER,
      kinds: filterValues('kind', kind, eventKinds),
    },
    order: beforeSeq === undefined ? 'asc' : 'desc',
    state,
    filters: { sessionId, afterSeq: query.after_seq ?? 0, beforeSeq, kind, search },
  };
  const { items, ...page } = await (search === undefined ? list(ctx, listing) : found(ctx, listing, search));
  const events = beforeSeq === undefined ? items : items.toReversed();
  const texts =
    compact === true
      ? compactEvents(events).map((event) => jsonOf(sessionId, event, event))
      : events.map((event) => jsonOf(sessionId, event));
  return {
    text: `{"items":[${texts.join(',')}],${JSON.stringify(page).slice(1)}`,
    isFinal: beforeSeq !== undefined && beforeSeq <= state.last_seq + 1 && page.scan?.complete !== false,
  };
}

async function list(ctx: ListContext, listing: Listing): Promise<EventPage> {
  const { query, range, order, state, filters } = listing;
  const isWhole = range.kinds.length === 0;
  let start = range;
  const page = await paginate({
    list: 'session_events',
    filters,
    query,
    rows: async (position, limit) => {
      const rest = from(listing, position);
      if (start === range) start = rest;
      const events = await readEvents(ctx.db, rest, { order, limit });
      // The log has no gaps: what is missing was removed in the meantime.
      if (isWhole && order === 'asc' && events[0] !== undefined && events[0].seq !== rest.after + 1)
        throw expired(events[0].seq);
      return events;
    },
    total: async () =>
      isWhole ? Math.max(0, Math.min(range.before - 1, state.last_seq) - range.after) : countEvents(ctx.db, range),
    position: ({ seq }) => String(seq),
  });
  if (!isWhole || order === 'desc') await requireKept(ctx, listing, start);
  return page;
}

async function found(ctx: ListContext, listing: Listing, text: string): Promise<EventPage> {
  const { query, state, order, filters } = listing;
  const { first = 50, after: cursor = '' } = query;
  const position = cursor === '' ? undefined : decodeCursor('session_events', filters, cursor);
  const range = from(listing, position);
  const search = { range, lastSeq: state.last_seq, order, text, limit: first + 1 };
  const { seqs, isComplete, end } = await findEvents(ctx, search);
  const { items, isCut } = await readFound(ctx, range, seqs.slice(0, first));
  await requireKept(ctx, listing, range);
  const isMore = isCut || seqs.length > first;
  const last = items.at(-1)?.seq;
  const at = isMore || isComplete ? last : end;
  return {
    items,
    // Unlike that of other lists, an empty page has a cursor if the search stopped: it goes on from there.
    end_cursor: at === undefined ? '' : encodeCursor('session_events', filters, String(at)),
    has_next_page: isMore || !isComplete,
    total: seqs.length,
    scan: { complete: isComplete, seq: isMore ? (last ?? end) : end },
  };
}

/** Reads events in the order of their numbers in `seqs`, until the page is full. */
async function readFound(ctx: ListContext, range: EventRange, seqs: readonly number[]) {
  const items: EventRow[] = [];
  for (let characters = 0, at = 0; at < seqs.length; at += foundAtOnce) {
    const wanted = seqs.slice(at, at + foundAtOnce);
    const events = new Map((await readEventsAt(ctx.db, range, wanted)).map((event) => [event.seq, event]));
    for (const event of wanted.flatMap((seq) => events.get(seq) ?? [])) {
      if (characters > pageCharacters) return { items, isCut: true };
      characters += event.data.length;
      items.push(event);
    }
  }
  return { items, isCut: false };
}

/** Returns the part of the list that begins at the position of a cursor. */
function from({ range, order, state }: Listing, position: string | undefined): EventRange {
  if (position === undefined) return range;
  const seq = Number(position);
  if (!Number.isSafeInteger(seq))
    throw fieldError('/after', 'is not an event of this session. Start again without a cursor.', {
      code: 'invalid_cursor',
    });
  return order === 'desc' ? { ...range, before: seq } : { ...range, after: startOf(state, seq) };
}

/** Throws 410 `stream_expired` if retention removed events of a page while it was read. */
async function requireKept(ctx: ListContext, { query, order }: Listing, { orgId, sessionId, after }: EventRange) {
  if (order === 'desc' && query.after_seq === undefined) return;
  const state = await readStreamState(ctx.db, orgId, sessionId);
  if (state !== undefined) startOf(state, after);
}
