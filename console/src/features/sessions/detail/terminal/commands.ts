import type { SessionEvent } from '@guildhall/client';

/** A command of a session, from the event at which it began to the one at which it ended. */
export interface Command {
  id: string;
  command: string;
  from: number;
  /** Undefined while it runs. */
  to: number | undefined;
  exit: number | null;
  durationMs: number | null;
  artifact: string;
  at: string;
}

/** Returns commands of the events that tell of their begin and end, in the order in which they began. */
export function commandsOf(events: readonly SessionEvent[]): Command[] {
  const commands = new Map<string, Command>();
  for (const event of events) {
    if (event.kind !== 'command') continue;
    const { command_id: id, command, exit_code: exit, duration_ms: durationMs, artifact_id: artifact } = event.data;
    const before = commands.get(id);
    commands.set(id, {
      id,
      command,
      from: before?.from ?? event.seq,
      to: exit === null ? undefined : event.seq,
      exit,
      durationMs,
      artifact: artifact ?? '',
      at: before?.at ?? event.created_at,
    });
  }
  return [...commands.values()];
}
