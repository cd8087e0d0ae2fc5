import type { AuthenticatedCaller } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { isDatabaseAway } from '../../../db/outage.ts';
import { frame, type EventStream } from '../../../http/sse.ts';
import { createSharedRead } from '../../../lib/shared-reads.ts';
import { requireRights, type Watch } from '../../../lib/watch.ts';
import { watchAddress } from '../../ip-access-list/watch.ts';
import { watchKey } from '../../auth/watch.ts';
import { createWakeup, type Wakeup } from '../../../lib/wakeup.ts';
import { createEventNews, type EventNews } from '../store/event-news.ts';
import { readEventsAfter, readStreamState, type EventText, type StreamState } from '../store/event-store.ts';

type StreamContext = Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>;

/** The interval of comments on a silent stream. */
const heartbeatMs = 15_000;
/**
 * The number of events that are read at once, fewer after large ones: they stay in memory until a slow client has read
 * them.
 */
const [mostAtOnce, fewestAtOnce] = [500, 20];
const charactersAtOnce = 1_048_576;

/** The streams of a session read together. */
const shareEvents = createSharedRead<Awaited<ReturnType<typeof readEventsAfter>>>();
const shareState = createSharedRead<StreamState | undefined>();

/**
 * Streams a session's log: first its current status (without an `id`, so that it does not affect a later resume), then
 * every event after `afterSeq`. Ends when the session is canceled or deleted, when the caller's key is revoked or
 * expires, when the IP access list no longer allows the client, at drain, and when the client disconnects or is too
 * slow. Calls `open` after the first read: throws, and opens nothing, if the database is unavailable.
 */
export async function streamEvents(
  ctx: StreamContext,
  caller: AuthenticatedCaller,
  sessionId: string,
  state: StreamState,
  afterSeq: number,
  open: () => EventStream,
): Promise<void> {
  const stop = new AbortController();
  const wakeup = createWakeup();
  const news = createEventNews(sessionId);
  const rights = [watchKey, watchAddress].map((watch) => watch(ctx, caller, () => stop.abort()));
  const unsubscribe = [
    ctx.notifications.subscribe('guildhall_session', sessionId, (payload) => {
      news.notify(payload);
      wakeup.notify();
    }),
    ...rights.map(({ leave }) => leave),
  ];
  const orgId = caller.organization.id;
  const readAfter: ReadAfter = (seq, limit) =>
    shareEvents(ctx.db, `${sessionId} ${seq} ${limit}`, () => readEventsAfter(ctx.db, orgId, sessionId, seq, limit));
  let stream: EventStream | undefined;
  try {
    // What is notified from here on follows the first read.
    news.take(afterSeq);
    const first = await readAfter(afterSeq, fewestAtOnce);
    await requireRights(rights, stop.signal);
    stream = open();
    const over = AbortSignal.any([stream.gone, ctx.closing, stop.signal]);
    over.addEventListener('abort', wakeup.notify, { once: true });
    await stream.write(statusFrame(ctx, sessionId, state));
    await tail(ctx, { orgId, sessionId, afterSeq, first, readAfter }, { stream, news, wakeup, over, rights });
  } catch (error) {
    if (stream === undefined) throw error;
    if (isDatabaseAway(error))
      ctx.log.debug({ session: sessionId }, 'closed an event stream: the database is unavailable');
    else ctx.log.warn({ err: error, session: sessionId }, 'an event stream failed');
  } finally {
    for (const leave of unsubscribe) leave();
    stream?.end();
  }
}

type ReadAfter = (seq: number, limit: number) => Promise<readonly EventText[]>;

interface Log {
  orgId: string;
  sessionId: string;
  afterSeq: number;
  /** The first events after `afterSeq`, at most {@link fewestAtOnce}. */
  first: readonly EventText[];
  readAfter: ReadAfter;
}

async function tail(
  ctx: StreamContext,
  { orgId, sessionId, afterSeq, first, readAfter }: Log,
  connection: { stream: EventStream; news: EventNews; wakeup: Wakeup; over: AbortSignal; rights: readonly Watch[] },
): Promise<void> {
  const { stream, news, wakeup, over, rights } = connection;
  let seq = afterSeq;
  let batch = fewestAtOnce;
  let next: readonly EventText[] | undefined = first;
  while (!over.aborted) {
    const told = next === undefined ? news.take(seq) : undefined;
    const events = next ?? told ?? (await readAfter(seq, batch));
    next = undefined;
    // Retention removed events that this client has not read: it reconnects, which answers 410.
    if (events[0] !== undefined && events[0].seq !== seq + 1) return;
    if (events.length > 0) {
      const frames = events.map((event) => frame({ id: event.seq, event: event.kind, data: event.json })).join('');
      // Events after a revocation are notified after it, so rights are checked first.
      await Promise.all(rights.map(({ settled }) => settled()));
      if (over.aborted) return;
      await stream.write(frames);
      seq = events.at(-1)?.seq ?? seq;
      const isFull = told === undefined && events.length === batch;
      batch = frames.length > charactersAtOnce ? fewestAtOnce : Math.min(mostAtOnce, batch * 5);
      if (isFull) {
        news.notify(undefined);
        continue;
      }
    }
    // Only a canceled or deleted session ends its streams, and both notify; the state is not read for anything else.
    if ((told === undefined && events.length === 0) || events.some(tellsOfCancellation)) {
      const state = await shareState(ctx.db, sessionId, () => readStreamState(ctx.db, orgId, sessionId));
      if (state === undefined || state.first_seq > seq + 1 || (state.status === 'canceled' && state.last_seq <= seq))
        return;
    }
    // Whatever happens is notified, and a lost connection of the notifications wakes everyone: silence reads nothing.
    while (!(await wakeup.wait(heartbeatMs))) await stream.write(': heartbeat\n\n');
    wakeup.reset();
  }
}

function tellsOfCancellation({ kind, json }: { kind: string; json: string }): boolean {
  return kind === 'status' && json.includes('"canceled"');
}

function statusFrame(ctx: Pick<Context, 'clock'>, sessionId: string, state: StreamState): string {
  const { status, status_detail, sandbox_state, last_seq: seq, turn, attempt_no } = state;
  const data = { status, status_detail, sandbox_state };
  const event = {
    seq,
    id: '',
    session_id: sessionId,
    kind: 'status',
    phase: '',
    turn,
    attempt_no,
    data,
    created_at: ctx.clock.now(),
  };
  return frame({ event: 'status', data: JSON.stringify(event) });
}
