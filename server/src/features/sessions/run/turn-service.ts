import type { Transaction } from 'kysely';
import type { DB } from '../../../db/types.ts';
import { messageNews, type NewEvent } from '../schemas/event-schemas.ts';
import { isSteered, readAttachmentIds, readRoundMessages, takeQueuedMessages } from '../store/message-store.ts';
import { appendIn, LeaseLost, type Run, type RunContext } from './run-service.ts';
import { updateRun } from '../store/run-store.ts';

/**
 * Begins a turn with every message that waits, and answers them, oldest first. An interrupt that was asked for meant the
 * turn before. People begin turns; `round` counts every prompt of the agent, also those of the platform within a turn.
 * `equipsAnew`: it has no sandbox to begin in, and what the agent is given is found out anew. Throws {@link LeaseLost}.
 */
export async function beginTurn(
  ctx: RunContext,
  run: Run,
  turn: number,
  { round = turn, equipsAnew = false }: { round?: number; equipsAnew?: boolean } = {},
) {
  return ctx.db.transaction(async (trx) => {
    const change = { turn, round, turn_ended: false, interrupt_requested: false };
    const held = await updateRun(trx, run.id, run.fence, { ...change, ...(equipsAnew ? { equipped: false } : {}) });
    if (!held) throw new LeaseLost(run.id);
    return take(trx, run, round);
  });
}

/**
 * Begins another round of the turn under way, with what the platform tells the agent (`told`) and every message that
 * waits. Throws {@link LeaseLost}.
 */
export async function beginRound(ctx: RunContext, run: Run, round: number, told: readonly NewEvent[]) {
  return ctx.db.transaction(async (trx) => {
    if (!(await updateRun(trx, run.id, run.fence, { round, turn_ended: false }))) throw new LeaseLost(run.id);
    await appendIn(trx, run, told);
    return take(trx, run, round);
  });
}

/** What a round was begun with, for a run that goes on with it. Throws {@link LeaseLost}. */
export async function continueTurn(ctx: RunContext, run: Run, round: number, { equipsAnew = false } = {}) {
  return ctx.db.transaction(async (trx) => {
    const change = { turn_ended: false, ...(equipsAnew ? { equipped: false } : {}) };
    if (!(await updateRun(trx, run.id, run.fence, change))) throw new LeaseLost(run.id);
    return readRoundMessages(trx, run.id, round);
  });
}

/** Takes what was said since the round began and is meant to steer it. Throws {@link LeaseLost}. */
export async function takeMessages(ctx: RunContext, run: Run, round: number) {
  // Asked before every model call, and mostly nobody said anything.
  if (!(await isSteered(ctx.db, run.id))) return [];
  return ctx.db.transaction(async (trx) => {
    if (!(await updateRun(trx, run.id, run.fence, {}))) throw new LeaseLost(run.id);
    return take(trx, run, round, 'steer');
  });
}

/** Takes messages that wait, and says so in the log. */
async function take(trx: Transaction<DB>, run: Run, round: number, only?: 'steer') {
  const messages = await takeQueuedMessages(trx, run.id, round, only);
  await appendIn(
    trx,
    run,
    messages.map((message) => messageNews(message, 'delivered')),
  );
  return messages;
}

/** What was attached to the messages that the session's agent was given. */
export async function attachmentIdsOf(ctx: RunContext, run: Run): Promise<string[]> {
  return readAttachmentIds(ctx.db.kysely, run.id);
}
