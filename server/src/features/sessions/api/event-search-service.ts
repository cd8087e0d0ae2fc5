import type { Context } from '../../../app/context.ts';
import { createTurns } from '../../../lib/turns.ts';
import type { EventRange } from '../store/event-query-store.ts';
import { searchEvents, type SearchedEvent } from '../store/event-search-store.ts';

/** A text may be spread over this many events of the log. */
export const maxSpread = 100;
/** The number of events that one statement reads: events are at most some 100 KB. */
const [fewestAtOnce, mostAtOnce] = [200, 3_200];
const fastMs = 50;
/** A search that takes longer or reads more stops, and the response says where. */
const [maxMs, maxEvents] = [1_000, 100_000];

const turns = createTurns('searches in logs', { each: 2, total: 4, waiting: 16, maxWaitMs: 10_000 });

export interface Search {
  range: EventRange;
  /** The last event of the session. */
  lastSeq: number;
  order: 'asc' | 'desc';
  text: string;
  /** The number of events to find. */
  limit: number;
}

export interface Found {
  /** In the order of the search. */
  seqs: number[];
  /** True if everything was searched, or enough found. */
  isComplete: boolean;
  /** The last event that was searched. */
  end: number;
}

/**
 * Finds the events of a part of a log that contain a text, which may begin in earlier pieces of the same message or
 * output: then it is in the event in which it ends. Finds the same events in both directions. Throws 429 `rate_limited`
 * and 503 `capacity_unavailable`.
 */
export async function findEvents(ctx: Pick<Context, 'db'>, search: Search): Promise<Found> {
  return turns.run(search.range.orgId, () => find(ctx, search));
}

async function find(ctx: Pick<Context, 'db'>, { range, lastSeq, order, text, limit }: Search): Promise<Found> {
  const started = performance.now();
  const isForward = order === 'asc';
  const seqs: number[] = [];
  let [after, before] = [range.after, Math.min(range.before, lastSeq + 1)];
  let size = fewestAtOnce;
  for (let searched = 0; after + 1 < before && seqs.length < limit; searched += size) {
    const end = isForward ? after : before;
    if (searched > 0 && (searched >= maxEvents || performance.now() - started >= maxMs))
      return { seqs, isComplete: false, end };
    const began = performance.now();
    const window = isForward
      ? { ...range, after, before: Math.min(before, after + size + 1) }
      : { ...range, after: Math.max(after, before - size - 1), before };
    const events = await searchEvents(ctx.db, window, { text, context: maxSpread });
    const found = matches(events, text).filter((seq) => seq > window.after);
    seqs.push(...(isForward ? found : found.toReversed()).slice(0, limit - seqs.length));
    if (isForward) after = window.before - 1;
    else before = window.after + 1;
    if (performance.now() - began < fastMs) size = Math.min(mostAtOnce, size * 2);
  }
  return { seqs, isComplete: true, end: isForward ? after : before };
}

/** Returns the events in which a match ends. */
function matches(events: readonly SearchedEvent[], text: string): number[] {
  const needle = text.toLowerCase();
  const before = new Map<string, Piece[]>();
  return events.flatMap(({ seq, found, piece_of: key, head, tail, size_bytes: size }) => {
    if (key === null) return found ? [seq] : [];
    const earlier = (before.get(key) ?? []).filter((piece) => piece.seq >= seq - maxSpread);
    const joined = earlier.map((piece) => piece.end).join('');
    const end = textFrom(tail).toLowerCase();
    before.set(key, lastOf([...(size > tail.length ? [] : earlier), { seq, end }], needle.length - 1));
    return found || (joined + head.toLowerCase()).includes(needle) ? [seq] : [];
  });
}

interface Piece {
  seq: number;
  /** The end of its text, in lower case. */
  end: string;
}

/** Decodes UTF-8 that may begin inside a character. */
function textFrom(bytes: Buffer): string {
  let start = 0;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.toString('utf8', start);
}

/** Returns the last characters of pieces. */
function lastOf(pieces: readonly Piece[], length: number): Piece[] {
  const kept: Piece[] = [];
  let left = length;
  for (const { seq, end } of pieces.toReversed()) {
    if (left <= 0) break;
    kept.unshift({ seq, end: end.slice(-left) });
    left -= end.length;
  }
  return kept;
}
