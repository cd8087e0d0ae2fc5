import type { Kysely } from 'kysely';
import type { DB } from '../../../db/types.ts';
import type { NewEvent } from '../schemas/event-schemas.ts';
import { readOpenEvents } from '../store/open-event-store.ts';
import { endPhase, phaseNamed } from '../store/phases.ts';
import type { Phase } from '../schemas/session-schemas.ts';

/** Exit code of a killed program: 128 + SIGKILL. */
const killedExitCode = 137;

/** Returns the events that end a turn's open texts, commands and provisioning steps. */
export async function closingEvents(db: Kysely<DB>, id: string, turn: number, why: string): Promise<NewEvent[]> {
  const { texts, commands, steps } = await readOpenEvents(db, id, turn);
  return [
    ...steps.map(({ running_ms: duration_ms, ...step }) => ({
      kind: 'provisioning' as const,
      data: { ...step, status: 'failed' as const, summary: why, duration_ms },
    })),
    ...texts.map(({ kind, message_id }) => endOfText(kind, message_id)),
    ...commands.map(({ running_ms: duration_ms, ...command }) => ({
      kind: 'command' as const,
      phase: command.phase,
      data: { ...command, exit_code: killedExitCode, duration_ms, artifact_id: null },
    })),
  ];
}

function endOfText(kind: 'message' | 'thought', message_id: string): NewEvent {
  const data = { message_id, role: 'agent', delta: '', done: true } as const;
  return kind === 'thought'
    ? { kind, phase: 'implement', data }
    : { kind, phase: 'implement', data: { ...data, state: 'delivered' } };
}

/** Ends the phases and open events of a session that is stopped permanently, because its worker can no longer write. */
export async function stopWork(
  db: Kysely<DB>,
  session: { id: string; turn: number; phases: readonly Phase[] },
  why: string,
  now: Date,
): Promise<{ phases: readonly Phase[]; events: NewEvent[] }> {
  const events = await closingEvents(db, session.id, session.turn, why);
  let phases = session.phases;
  for (const { name, status } of session.phases) {
    if (status !== 'running') continue;
    phases = endPhase(phases, name, { status: 'stopped', summary: why }, now);
    const { summary = why, evidence = [] } = phaseNamed(phases, name) ?? {};
    events.push({ kind: 'phase', phase: name, data: { name, status: 'stopped', summary, evidence } });
  }
  return { phases, events };
}
