import type { AuthenticatedCaller } from '../../caller.ts';
import type { Context } from '../../app/context.ts';
import { isDatabaseAway } from '../../db/outage.ts';
import { frame, type EventStream } from '../../http/sse.ts';
import { requireRights, type Watch } from '../../lib/watch.ts';
import { createWakeup, type Wakeup } from '../../lib/wakeup.ts';
import { watchKey } from '../auth/watch.ts';
import { watchAddress } from '../ip-access-list/watch.ts';
import type { createFeeds, Feed } from './feed.ts';
import type { LiveEvent } from './live-event.ts';
import { readPermission } from './store.ts';
import { maySee, selects } from './visibility.ts';

type StreamContext = Pick<Context, 'db' | 'clock' | 'notifications' | 'closing' | 'log'>;

/** The interval of comments on a silent stream. */
const heartbeatMs = 15_000;

export interface StreamRequest {
  readonly caller: AuthenticatedCaller;
  /** The types to send; empty for all. */
  readonly types: readonly string[];
  /** The last event that the client has; undefined to begin with the next one. */
  readonly after: number | undefined;
}

/**
 * Streams the events of an organization that the caller may see. Ends when the caller's key is revoked or expires, when
 * its permission changes, when the IP access list no longer allows the client, at drain, and when the client
 * disconnects or is too slow. Calls `open` after the first read: throws, and opens nothing, if the database is
 * unavailable.
 */
export async function streamOrganization(
  ctx: StreamContext,
  feeds: ReturnType<typeof createFeeds>,
  request: StreamRequest,
  open: () => EventStream,
): Promise<void> {
  const { caller } = request;
  const stop = new AbortController();
  const wakeup = createWakeup();
  const rights = [watchKey, watchAddress].map((watch) => watch(ctx, caller, () => stop.abort()));
  let feed: Feed | undefined;
  let stream: EventStream | undefined;
  try {
    feed = await feeds.join(caller.organization.id, wakeup.notify);
    // A position that is not in memory is read, and may fail, before the stream is open.
    if (request.after !== undefined) await feed.after(request.after);
    await requireRights(rights, stop.signal);
    stream = open();
    const over = AbortSignal.any([stream.gone, ctx.closing, stop.signal]);
    over.addEventListener('abort', wakeup.notify, { once: true });
    await follow(ctx, feed, request, { stream, wakeup, over, rights });
  } catch (error) {
    if (stream === undefined) throw error;
    const organization = caller.organization.id;
    if (isDatabaseAway(error)) ctx.log.debug({ organization }, 'closed an event stream: the database is unavailable');
    else ctx.log.warn({ err: error, organization }, 'an event stream failed');
  } finally {
    feed?.leave();
    for (const { leave } of rights) leave();
    stream?.end();
  }
}

interface Connection {
  stream: EventStream;
  wakeup: Wakeup;
  over: AbortSignal;
  rights: readonly Watch[];
}

async function follow(
  ctx: Pick<Context, 'db'>,
  feed: Feed,
  request: StreamRequest,
  connection: Connection,
): Promise<void> {
  const { stream, wakeup, over, rights } = connection;
  let seq = request.after ?? feed.head();
  let writtenAt = performance.now();
  async function write(text: string): Promise<void> {
    await stream.write(text);
    writtenAt = performance.now();
  }
  // Tells the client from where to resume, even if no event follows.
  if (request.after === undefined) await write(`: connected\nid: ${seq}\n\n`);
  while (!over.aborted) {
    wakeup.reset();
    const events = await feed.after(seq);
    if (events === undefined) {
      seq = feed.head();
      await write(frame({ id: seq, event: 'reset', data: JSON.stringify({ seq }) }));
      continue;
    }
    const last = events.at(-1);
    const activity = feed.takeActivity();
    if (last !== undefined || activity.length > 0) {
      const own = events.findIndex((event) => isOfMembership(request, event));
      // A stream that resumes may find a change that happened before it was opened.
      const change = own >= 0 && (await hasOtherPermission(ctx, request)) ? own : -1;
      const frames = framesFor(request, change < 0 ? [...events, ...activity] : events.slice(0, change));
      // Events after a revocation are notified after it, so rights are checked first.
      await Promise.all(rights.map(({ settled }) => settled()));
      if (over.aborted) return;
      if (frames !== '') await write(frames);
      if (change >= 0) return;
      seq = last?.seq ?? seq;
    }
    // Events that the client does not see leave it silent too; the number lets it resume behind them.
    const silentMs = performance.now() - writtenAt;
    if (silentMs >= heartbeatMs) await write(`: heartbeat\nid: ${seq}\n\n`);
    else if (last === undefined && activity.length === 0) await wakeup.wait(heartbeatMs - silentMs);
  }
}

function framesFor({ caller, types }: StreamRequest, events: readonly LiveEvent[]): string {
  return events
    .filter((event) => selects(types, event.type) && maySee(caller, event))
    .map((event) => event.frame)
    .join('');
}

/** Returns true if the caller's permission may have changed. */
function isOfMembership({ caller: { principal } }: StreamRequest, { type, resource }: LiveEvent): boolean {
  return principal.type === 'user' && resource.id === principal.id && /^member\.(updated|deleted)$/.test(type);
}

/** Returns true if the caller's permission is not the one that its scopes came from: the client should reconnect. */
async function hasOtherPermission({ db }: Pick<Context, 'db'>, { caller }: StreamRequest): Promise<boolean> {
  const { organization, permission, principal } = caller;
  return (await readPermission(db.kysely, organization.id, principal.id)) !== permission;
}
