import type { NewEvent } from './event-schemas.ts';
import { append, type AgentRecord, type Run, type RunContext } from './run-service.ts';
import { readOpenEvents, readRecords } from './run-store.ts';

/** What the session's agent recorded so far, oldest first. */
export async function recordsOf(ctx: RunContext, run: Run): Promise<AgentRecord[]> {
  return readRecords(ctx.db.kysely, run.id);
}

/** A program that was killed: 128 + SIGKILL. */
const killedExitCode = 137;

/** Ends the texts and commands of a turn that a lost worker left open, so that nobody waits for the rest of them. */
export async function endOpenEvents(ctx: RunContext, run: Run, turn: number): Promise<void> {
  const { texts, commands } = await readOpenEvents(ctx.db, run.id, turn);
  const events: NewEvent[] = [
    ...texts.map(({ kind, message_id }) => ({
      kind,
      phase: 'implement' as const,
      data: { message_id, role: 'agent' as const, delta: '', done: true },
    })),
    ...commands.map(({ command_id, command, phase, running_ms: duration_ms }) => ({
      kind: 'command' as const,
      phase,
      data: { command_id, command, phase, exit_code: killedExitCode, duration_ms },
    })),
  ];
  if (events.length > 0) await append(ctx, run, events);
}
