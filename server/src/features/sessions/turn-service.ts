import { isSteered, readAttachmentIds, readTurnMessages, takeQueuedMessages } from './message-store.ts';
import { LeaseLost, type Run, type RunContext } from './run-service.ts';
import { updateRun } from './run-store.ts';

/**
 * Begins a turn with every message that waits, and answers them, oldest first. An interrupt that was asked for meant the
 * turn before, unless the agent only goes on (`goesOn`). `equipsAnew`: it has no sandbox to begin in, and what the agent
 * is given is found out anew. Throws {@link LeaseLost}.
 */
export async function beginTurn(
  ctx: RunContext,
  run: Run,
  turn: number,
  { goesOn = false, equipsAnew = false }: { goesOn?: boolean; equipsAnew?: boolean } = {},
) {
  return ctx.db.transaction(async (trx) => {
    const change = {
      turn,
      turn_ended: false,
      ...(goesOn ? {} : { interrupt_requested: false }),
      ...(equipsAnew ? { equipped: false } : {}),
    };
    if (!(await updateRun(trx, run.id, run.fence, change))) throw new LeaseLost(run.id);
    return takeQueuedMessages(trx, run.id, turn);
  });
}

/** What a turn was begun with, for a run that goes on with it; see {@link beginTurn}. Throws {@link LeaseLost}. */
export async function continueTurn(ctx: RunContext, run: Run, turn: number, { equipsAnew = false } = {}) {
  return ctx.db.transaction(async (trx) => {
    const change = { turn_ended: false, ...(equipsAnew ? { equipped: false } : {}) };
    if (!(await updateRun(trx, run.id, run.fence, change))) throw new LeaseLost(run.id);
    return readTurnMessages(trx, run.id, turn);
  });
}

/** Takes what was said since the turn began and is meant to steer it. Throws {@link LeaseLost}. */
export async function takeMessages(ctx: RunContext, run: Run, turn: number) {
  // Asked before every model call, and mostly nobody said anything.
  if (!(await isSteered(ctx.db, run.id))) return [];
  return ctx.db.transaction(async (trx) => {
    if (!(await updateRun(trx, run.id, run.fence, {}))) throw new LeaseLost(run.id);
    return takeQueuedMessages(trx, run.id, turn, 'steer');
  });
}

/** What was attached to the messages that the session's agent was given. */
export async function attachmentIdsOf(ctx: RunContext, run: Run): Promise<string[]> {
  return readAttachmentIds(ctx.db.kysely, run.id);
}
