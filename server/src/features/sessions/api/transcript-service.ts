import { Readable } from 'node:stream';
import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import type { Database } from '../../../db/pool.ts';
import { pace } from '../../../lib/pace.ts';
import { readEvents } from '../store/event-query-store.ts';
import { jsonOf } from '../store/event-store.ts';
import { compactEvents, type CompactEvent } from './compact-events.ts';
import { requireStreamState, startOf } from './event-service.ts';
import { requireSession } from './service.ts';
import { markdownOf, rendered } from './transcript-markdown.ts';

/** Events that are read at once. */
const pageSize = 200;
/** A text whose pieces are longer together is continued in another event. */
const maxMergedCharacters = 1_048_576;

interface Log {
  orgId: string;
  sessionId: string;
  /** The numbers between which the log is read. */
  after: number;
  before: number;
  /** Empty for every kind. */
  kinds: readonly string[];
}

/**
 * Streams a session's log up to now, from its first kept event: as Markdown to read, or as one event a line, with the
 * pieces of each text merged.
 */
export async function sessionTranscript(
  ctx: Pick<Context, 'db'>,
  caller: Actor,
  sessionId: string,
  format: 'jsonl' | 'md',
): Promise<Readable> {
  const orgId = caller.organization.id;
  const session = await requireSession(ctx, orgId, sessionId);
  const state = await requireStreamState(ctx, caller, sessionId);
  const log = { orgId, sessionId, after: startOf(state, undefined), before: state.last_seq + 1, kinds: [] };
  const events = wholeEvents(ctx.db, log);
  const lines = format === 'md' ? markdownOf(session, events, log.after) : jsonLines(sessionId, events);
  return Readable.from(lines, { objectMode: false });
}

/** The kinds of events that tell another agent what was said and done. */
const toldKinds = ['message', 'plan', 'tool_call', 'command', 'phase', 'error'];
const maxToldEvents = 20_000;
const maxToldCharacters = 30_000;

/** Returns the end of a session's log up to an event as Markdown; `''` if it is no longer kept. */
export async function conversationUntil(
  ctx: Pick<Context, 'db'>,
  { orgId, sessionId, seq }: { orgId: string; sessionId: string; seq: number },
): Promise<string> {
  let told = '';
  const log = { orgId, sessionId, after: Math.max(0, seq - maxToldEvents), before: seq + 1, kinds: toldKinds };
  for await (const event of wholeEvents(ctx.db, log)) {
    const text = rendered(event);
    if (text !== '') told += `${text}\n\n`;
    if (told.length > 2 * maxToldCharacters) told = told.slice(-maxToldCharacters);
  }
  return told.length > maxToldCharacters ? `…\n${told.slice(-maxToldCharacters)}`.trim() : told.trim();
}

async function* jsonLines(sessionId: string, events: AsyncIterable<CompactEvent>): AsyncGenerator<Buffer> {
  for await (const event of events) yield Buffer.from(`${jsonOf(sessionId, event, event)}\n`);
}

/** Reads a log page by page; a text that goes on behind a page is merged with its rest. */
async function* wholeEvents(db: Database, log: Log): AsyncGenerator<CompactEvent> {
  let held: CompactEvent | undefined;
  for (let after = log.after; ;) {
    const page = await readEvents(db, { ...log, after }, { order: 'asc', limit: pageSize });
    const last = page.at(-1);
    if (last === undefined) break;
    after = last.seq;
    const merged: CompactEvent[] = compactEvents(held === undefined ? page : [held, ...page]);
    const [first] = merged;
    if (held !== undefined && first !== undefined)
      Object.assign(first, { seq_from: held.seq_from, started_at: held.started_at });
    held = merged.pop();
    yield* merged;
    if (held !== undefined && held.data.length > maxMergedCharacters) {
      yield held;
      held = undefined;
    }
    await pace();
  }
  if (held !== undefined) yield held;
}
