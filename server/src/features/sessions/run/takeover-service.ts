import { closingEvents } from './open-event-service.ts';
import { append, type AgentRecord, type Run, type RunContext } from './run-service.ts';
import { readRecords } from '../store/run-store.ts';

/** What the session's agent recorded so far, oldest first. */
export async function recordsOf(ctx: RunContext, run: Run): Promise<AgentRecord[]> {
  return readRecords(ctx.db.kysely, run.id);
}

/** Ends what a turn that a lost worker ran left open, so that nobody waits for the rest of it. */
export async function endOpenEvents(ctx: RunContext, run: Run, turn: number): Promise<void> {
  const events = await closingEvents(ctx.db.kysely, run.id, turn, 'Its worker was lost.');
  if (events.length > 0) await append(ctx, run, events);
}
