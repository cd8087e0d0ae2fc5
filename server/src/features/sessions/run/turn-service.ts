import type { Transaction, UpdateObject } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { messageNews, type NewEvent } from '../schemas/event-schemas.ts';
import { isSteered, readAttachmentIds, readRoundMessages, takeQueuedMessages } from '../store/message-store.ts';
import { changeIn } from './persist.ts';
import type { Run, RunContext } from './run-service.ts';

/** The facts about a turn that begins without a sandbox. */
export interface TurnStart {
  /** True if its context is assembled again. */
  needsContext?: boolean;
  /** The isolation of its sandboxes, if the session's record lacks it. */
  sandbox?: Record<string, unknown> | undefined;
}

function changeOf({
  needsContext = false,
  sandbox,
}: TurnStart): Pick<UpdateObject<DB, 'sessions'>, 'equipped' | 'sandbox'> {
  return {
    ...(needsContext ? { equipped: false } : {}),
    ...(sandbox === undefined ? {} : { sandbox: JSON.stringify(sandbox) }),
  };
}

/**
 * Begins a turn with every queued message, and returns these, oldest first. A pending interrupt was meant for the
 * previous turn, so it is dropped. Users begin turns; `round` counts every prompt of the agent, including those of the
 * platform within a turn. Throws {@link LeaseLost}.
 */
export async function beginTurn(
  ctx: RunContext,
  run: Run,
  turn: number,
  { round = turn, ...start }: { round?: number } & TurnStart = {},
) {
  const change = { turn, round, turn_ended: false, interrupt_requested: false, ...changeOf(start) };
  return ctx.db.transaction((trx) => take(trx, run, change));
}

/**
 * Begins another round of the current turn, with the platform's message to the agent (`told`) and every queued message.
 * Throws {@link LeaseLost}.
 */
export async function beginRound(ctx: RunContext, run: Run, round: number, told: readonly NewEvent[]) {
  return ctx.db.transaction((trx) => take(trx, run, { round, turn_ended: false }, told));
}

/** Returns the input of a round, for a run that continues it. Throws {@link LeaseLost}. */
export async function continueTurn(ctx: RunContext, run: Run, round: number, start: TurnStart = {}) {
  return ctx.db.transaction(async (trx) => {
    await changeIn(trx, run, { turn_ended: false, ...changeOf(start) });
    return readRoundMessages(trx, run.id, round);
  });
}

/** Takes steering messages that arrived since the round began. Throws {@link LeaseLost}. */
export async function takeMessages(ctx: RunContext, run: Run, round: number) {
  // Called before every model call, and usually there is none.
  if (!(await isSteered(ctx.db, run.id))) return [];
  return ctx.db.transaction((trx) => take(trx, run, { round }, [], 'steer'));
}

/** Takes queued messages for a round, with their events after those of `told`, and changes the session. */
async function take(
  trx: Transaction<DB>,
  run: Run,
  change: UpdateObject<DB, 'sessions'> & { round: number },
  told: readonly NewEvent[] = [],
  only?: 'steer',
) {
  const messages = await takeQueuedMessages(trx, run, change.round, only);
  await changeIn(trx, run, change, [...told, ...messages.map((message) => messageNews(message, 'delivered'))]);
  return messages;
}

/** Returns the attachments of the messages that the session's agent was given. */
export async function attachmentIdsOf(ctx: RunContext, run: Run): Promise<string[]> {
  return readAttachmentIds(ctx.db.kysely, run.id);
}
