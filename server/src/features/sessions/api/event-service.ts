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
 * Returns the number after which a stream begins: `Last-Event-ID`, or else `after_seq`. Throws 400 `invalid_request` for one
 * after the last event, because the stream would skip the events up to it; 410 `stream_expired` like {@link startOf}.
 */
export function startOfStream(state: StreamState, lastEventId: string, afterSeq: number | undefined): number {
  const after = lastEventId === '' ? afterSeq : Number(lastEventId);
  if (after !== undefined && after > state.last_seq) {
    const message = `must be at most ${state.last_seq}, the number of the session's last event.`;
    const field = lastEventId === '' ? { path: '/after_seq' } : { path: '/last-event-id', in: 'header' as const };
    throw new FieldError([{ ...field, message }]);
  }
  return startOf(state, after);
}

export function expired(first: number): AppError {
  return new AppError(
    'stream_expired',
    `Events before ${first} of this session are no longer kept. Start again without a position, or after ${first - 1}.`,
    { first_seq: first },
  );
}
