import type { Kysely, Transaction, UpdateObject } from 'kysely';
import type { Context } from '../../../app/context.ts';
import { isDatabaseAway } from '../../../db/outage.ts';
import type { DB } from '../../../db/types.ts';
import { newId } from '../../../lib/ids.ts';
import { retry } from '../../../lib/retry.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { LeaseLost, type Run } from '../store/run.ts';
import { appendEvents, changeAndAppend, hasEvent, touched } from '../store/log-store.ts';

const retryMs = 250;

/**
 * Runs a write of a run, and retries while the database is unavailable and the run is not lost, so that an outage loses
 * no work. A write without a response may have succeeded: `made` tells if it did. Without `made` the write must be
 * idempotent.
 */
export async function persist<T>(
  { lost }: Pick<Run, 'lost'>,
  write: () => Promise<T>,
  made: () => Promise<T | undefined> = async () => undefined,
): Promise<T> {
  return retry(
    async (failures) => (failures > 0 ? await made() : undefined) ?? (await write()),
    (error) => (lost === undefined || lost.aborted || !isDatabaseAway(error) ? undefined : retryMs),
    lost,
  );
}

/**
 * Runs a transaction of a run, and retries it while the database is unavailable, but commits once: `mark`, the id of its
 * first event, shows if it was committed, and then it returns `made`. Without events it must be idempotent.
 */
export async function appendingOnce<T>(
  ctx: Pick<Context, 'db'>,
  run: Run,
  made: T,
  work: (trx: Transaction<DB>, mark: string) => Promise<T>,
): Promise<T> {
  const mark = newId('evt');
  const answer = await persist(
    run,
    () => ctx.db.transaction(async (trx) => ({ value: await work(trx, mark) })),
    async () => ((await hasEvent(ctx.db, run.id, mark)) ? { value: made } : undefined),
  );
  return answer.value;
}

/** Appends events in the caller's transaction. Throws {@link LeaseLost}. */
export async function appendIn(
  trx: Transaction<DB>,
  run: Run,
  events: readonly NewEvent[],
  more: { mark?: string } = {},
): Promise<void> {
  if (events.length > 0 && !(await appendEvents(trx, run.id, run.fence, events, more))) throw new LeaseLost(run.id);
}

/** Changes the session and appends events, in one statement; returns the last one's number. Throws {@link LeaseLost}. */
export async function changeIn(
  db: Kysely<DB>,
  run: Run,
  change: UpdateObject<DB, 'sessions'>,
  events: readonly NewEvent[] = [],
  more: { mark?: string } = {},
): Promise<number> {
  const { id, fence } = run;
  const lastSeq = await changeAndAppend(db, id, { ...change, updated_at: touched }, events, { ...more, fence });
  if (lastSeq === undefined) throw new LeaseLost(id);
  return lastSeq;
}
