import { closingEvents } from './open-event-service.ts';
import { append, type AgentRecord, type Run, type RunContext } from './run-service.ts';
import { readRecords } from '../store/run-store.ts';

/** Returns the records of the session's agent, oldest first. */
export async function recordsOf(ctx: RunContext, run: Run): Promise<AgentRecord[]> {
  return readRecords(ctx.db.kysely, run.id);
}

/** Ends the open events of a turn whose worker was lost, so that clients do not wait for them. */
export async function endOpenEvents(ctx: RunContext, run: Run, turn: number): Promise<void> {
  const events = await closingEvents(ctx.db.kysely, run.id, turn, 'Its worker was lost.');
  if (events.length > 0) await append(ctx, run, events);
}
