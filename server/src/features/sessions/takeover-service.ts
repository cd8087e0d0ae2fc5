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
    ...texts.map(({ kind, message_id }) => endOfText(kind, message_id)),
    ...commands.map(({ running_ms: duration_ms, ...command }) => ({
      kind: 'command' as const,
      phase: command.phase,
      data: { ...command, exit_code: killedExitCode, duration_ms, artifact_id: null },
    })),
  ];
  if (events.length > 0) await append(ctx, run, events);
}

function endOfText(kind: 'message' | 'thought', message_id: string): NewEvent {
  const data = { message_id, role: 'agent', delta: '', done: true } as const;
  return kind === 'thought'
    ? { kind, phase: 'implement', data }
    : { kind, phase: 'implement', data: { ...data, state: 'delivered' } };
}
