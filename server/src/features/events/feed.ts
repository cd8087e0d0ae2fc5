import type { Context } from '../../app/context.ts';
import { frame } from '../../http/sse.ts';
import { messageOf } from '../../lib/errors.ts';
import { createWakeup } from '../../lib/wakeup.ts';
import { startActivityFeed } from './activity-feed.ts';
import type { LiveEvent } from './live-event.ts';
import { summaryOf } from './visibility.ts';
import { readEventsAfter, readLastSeq, readNewestEvents, type EventRow } from './store.ts';

type FeedContext = Pick<Context, 'db' | 'notifications' | 'log'>;

/** An organization's events in this process: one reader for all streams. */
export interface Feed {
  /** The number of the last event that was read. */
  head(): number;
  /** Returns the next events after a number, in order; undefined if they are no longer kept, or never were. */
  after(seq: number): Promise<readonly LiveEvent[] | undefined>;
  /** Returns what sessions have done since the last call, the newest of each; not a part of the numbered events. */
  takeActivity(): readonly LiveEvent[];
  leave(): void;
}

/** Events that are kept in memory; a stream that is further behind reads the database. */
const mostKept = 1_000;
const batch = 200;
/** The polling interval, for events without a notification. */
const lookEveryMs = 5_000;
const afterFailureMs = 1_000;

/** Opens feeds: the first stream of an organization starts its reader, and the last one ends it. */
export function createFeeds(ctx: FeedContext) {
  const readers = new Map<string, Reader>();
  return {
    /** Joins the feed of an organization; `wake` is called after new events. Call `leave` in the end. */
    async join(orgId: string, wake: () => void): Promise<Feed> {
      const reader = readers.get(orgId) ?? openReader(ctx, orgId);
      readers.set(orgId, reader);
      const stream: Stream = { wake, activity: new Map() };
      reader.streams.add(stream);
      const leave = (): void => {
        reader.streams.delete(stream);
        if (reader.streams.size > 0) return;
        reader.stop();
        if (readers.get(orgId) === reader) readers.delete(orgId);
      };
      try {
        await reader.started;
      } catch (error) {
        leave();
        throw error;
      }
      const takeActivity = (): readonly LiveEvent[] => {
        const events = [...stream.activity.values()];
        stream.activity.clear();
        return events;
      };
      return { head: reader.head, after: reader.after, takeActivity, leave };
    },
  };
}

interface Stream {
  readonly wake: () => void;
  /** Activity that the stream has not sent yet, by session: a slow client gets only the newest. */
  readonly activity: Map<string, LiveEvent>;
}

interface Reader {
  readonly streams: Set<Stream>;
  readonly started: Promise<void>;
  head(): number;
  after(seq: number): Promise<readonly LiveEvent[] | undefined>;
  stop(): void;
}

function openReader(ctx: FeedContext, orgId: string): Reader {
  const reader = startReader(ctx, orgId);
  const leave = startActivityFeed(ctx, orgId, {
    seq: reader.head,
    take(events) {
      for (const { wake, activity } of reader.streams) {
        for (const event of events) activity.set(event.resource.id, event);
        wake();
      }
    },
  });
  return {
    ...reader,
    stop() {
      leave();
      reader.stop();
    },
  };
}

function startReader(ctx: FeedContext, orgId: string): Reader {
  const streams = new Set<Stream>();
  const wakeup = createWakeup();
  let kept: LiveEvent[] = [];
  let head = 0;
  const stopping = new AbortController();
  // Before the first read, so that nothing is missed.
  const unsubscribe = ctx.notifications.subscribe('guildhall_outbox', orgId, wakeup.notify);

  async function start(): Promise<void> {
    const last = await readLastSeq(ctx.db.kysely, orgId);
    kept = (await readNewestEvents(ctx.db, orgId, mostKept)).map(liveEvent);
    head = kept.at(-1)?.seq ?? last;
    void follow();
  }

  /** Returns true if there may be more. */
  async function look(): Promise<boolean> {
    const rows = await readEventsAfter(ctx.db, orgId, head, batch);
    if (rows.length === 0) return false;
    kept = [...kept, ...rows.map(liveEvent)].slice(-mostKept);
    head = kept.at(-1)?.seq ?? head;
    for (const { wake } of streams) wake();
    return rows.length === batch;
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      wakeup.reset();
      try {
        if (await look()) continue;
      } catch (error) {
        ctx.log.debug({ organization: orgId, reason: messageOf(error) }, 'cannot read domain events');
        wakeup.reset();
        await wakeup.wait(afterFailureMs);
        continue;
      }
      await wakeup.wait(lookEveryMs);
    }
  }

  return {
    streams,
    started: start(),
    head: () => head,
    async after(seq) {
      if (seq === head) return [];
      const first = kept[0]?.seq ?? head + 1;
      if (seq <= head && seq >= first - 1) return kept.slice(seq - first + 1, seq - first + 1 + batch);
      const rows = await readEventsAfter(ctx.db, orgId, seq, batch);
      // Another process may have read further than this one.
      if (seq > head) return rows.length > 0 || seq <= (await readLastSeq(ctx.db.kysely, orgId)) ? [] : undefined;
      return rows[0]?.seq === seq + 1 ? rows.map(liveEvent) : undefined;
    },
    stop() {
      stopping.abort();
      unsubscribe();
      wakeup.notify();
    },
  };
}

function liveEvent(row: EventRow): LiveEvent {
  const { seq, type, data, created_at: at } = row;
  const resource = { type: row.resource_type, id: row.resource_id };
  const actor = { type: row.actor_type, id: row.actor_id };
  const shown = { seq, type, resource, actor: { ...actor, name: row.actor_name }, at, summary: summaryOf(data) };
  return { seq, type, resource, actor, data, frame: frame({ id: seq, event: type, data: JSON.stringify(shown) }) };
}
