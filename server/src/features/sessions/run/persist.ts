import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Context } from '../../../app/context.ts';
import { isDatabaseAway } from '../../../db/outage.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { LeaseLost, type Run } from '../store/run.ts';
import { appendEvents, hasEvent } from '../store/run-store.ts';

const retryMs = 250;

/**
 * Makes a write of a run, again while the database is away and the run is not lost: what was done meanwhile is not thrown
 * away for an outage. A write whose answer never came may have been made: `made` says whether that one was. Without it the
 * write has to be one that may be made twice.
 */
export async function persist<T>(
  { lost }: Pick<Run, 'lost'>,
  write: () => Promise<T>,
  made: () => Promise<T | undefined> = async () => undefined,
): Promise<T> {
  for (let isAgain = false; ; isAgain = true) {
    try {
      return (isAgain ? await made() : undefined) ?? (await write());
    } catch (error) {
      if (lost === undefined || lost.aborted || !isDatabaseAway(error)) throw error;
      await delay(retryMs, undefined, { signal: lost });
    }
  }
}

/**
 * A transaction of a run, made again while the database is away, and once only: the events it appends tell whether it was
 * made, and then the answer is `made`. Without events it has to be one that may be made twice.
 */
export async function appendingOnce<T>(
  ctx: Pick<Context, 'db'>,
  run: Run,
  made: T,
  work: (trx: Transaction<DB>, appendOnce: (events: readonly NewEvent[]) => Promise<void>) => Promise<T>,
): Promise<T> {
  const mark = newId('evt');
  const answer = await persist(
    run,
    () =>
      ctx.db.transaction(async (trx) => ({ value: await work(trx, (events) => appendIn(trx, run, events, { mark })) })),
    async () => ((await hasEvent(ctx.db, run.id, mark)) ? { value: made } : undefined),
  );
  return answer.value;
}

/** Appends events in a transaction of the caller's. Throws {@link LeaseLost}. */
export async function appendIn(
  trx: Transaction<DB>,
  run: Run,
  events: readonly NewEvent[],
  more: { mark?: string } = {},
): Promise<void> {
  if (events.length > 0 && !(await appendEvents(trx, run.id, run.fence, events, more))) throw new LeaseLost(run.id);
}
