import type { Actor } from '../../../caller.ts';
import type { Context } from '../../../app/context.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { FieldError } from '../../../lib/field-error.ts';
import { readStreamState, type StreamState } from '../store/event-store.ts';

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

/**
 * Returns the number after which a stream begins: `Last-Event-ID`, or else `after_seq`. A position after the last event would
 * skip the events up to it: throws 400 `invalid_request` for `after_seq`, and 410 `stream_expired` for `Last-Event-ID`, which
 * the log gave and then lost; also that like {@link startOf}.
 */
export function startOfStream(state: StreamState, lastEventId: string, afterSeq: number | undefined): number {
  const after = lastEventId === '' ? afterSeq : Number(lastEventId);
  if (after !== undefined && after > state.last_seq) {
    if (lastEventId !== '') throw lost(state, after);
    const message = `must be at most ${state.last_seq}, the number of the session's last event.`;
    throw new FieldError([{ path: '/after_seq', message }]);
  }
  return startOf(state, after);
}

function lost({ first_seq, last_seq }: StreamState, after: number): AppError {
  return new AppError(
    'stream_expired',
    `This session has no event ${after}: its last one is ${last_seq}. If you have seen that event, the database was set back to an earlier state. Start again without a position.`,
    { first_seq, last_seq },
  );
}

export function expired(first: number): AppError {
  return new AppError(
    'stream_expired',
    `Events before ${first} of this session are no longer kept. Start again without a position, or after ${first - 1}.`,
    { first_seq: first },
  );
}
