import type { AgentEvent } from '../../adapters/agent/port.ts';
import type { AgentCheck } from '../../lib/agent-config.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Attempt } from './attempt.ts';
import { CommandLog } from './command-log.ts';
import { cleanText, cutText, maxEventBytes } from './output.ts';

/** Writes what an agent does into the session's log. */
export class AgentLog {
  readonly #attempt: Attempt;
  readonly #commands = new Map<string, CommandLog>();
  readonly #keeping = new Set<Promise<unknown>>();
  #number = 0;
  /** The check that the agent declared last. */
  check: AgentCheck | undefined;
  /** Whether the work tree may have changed since this was set to false. */
  active = true;

  constructor(attempt: Attempt, check: AgentCheck | undefined) {
    this.#attempt = attempt;
    this.check = check;
  }

  /** Never throws. */
  write(event: AgentEvent): void {
    const { events } = this.#attempt;
    const phase = 'implement';
    switch (event.kind) {
      case 'message':
      case 'thought':
        this.#text(event);
        return;
      case 'tool_call': {
        this.active = true;
        const { callId: call_id, name, title } = event;
        events.write({ kind: 'tool_call', phase, data: { call_id, name, title, input: shortened(event.input) } });
        return;
      }
      case 'tool_result': {
        const { callId: call_id, ok } = event;
        const text = typeof event.output === 'string' ? event.output : JSON.stringify(event.output ?? '');
        events.write({
          kind: 'tool_result',
          phase,
          data: { call_id, ok, output: beginningOf(text), artifact_id: null },
        });
        return;
      }
      case 'plan':
        events.write({ kind: 'plan', phase, data: { entries: event.entries } });
        return;
      case 'command':
        this.#command(event);
        return;
      case 'output':
        this.#commands.get(event.commandId)?.text(event.stream, event.text);
        return;
      case 'usage':
        // The gateway counts what is billed; agents report it wrongly or not at all.
        return;
      case 'check':
        this.check = { command: event.command, files: event.files };
        return;
    }
  }

  /** Resolves when what the commands wrote is kept. */
  async settle(): Promise<void> {
    for (const [id, log] of this.#commands) this.#close(id, log);
    await Promise.all(this.#keeping);
  }

  #text({ kind, messageId: message_id, delta, done }: Extract<AgentEvent, { kind: 'message' | 'thought' }>): void {
    const pieces = cutText(cleanText(delta), maxEventBytes);
    const last = pieces.pop() ?? '';
    for (const piece of pieces) {
      this.#attempt.events.write({
        kind,
        phase: 'implement',
        data: { message_id, role: 'agent', delta: piece, done: false },
      });
    }
    this.#attempt.events.write({ kind, phase: 'implement', data: { message_id, role: 'agent', delta: last, done } });
  }

  #command({ commandId, command, exitCode, durationMs }: Extract<AgentEvent, { kind: 'command' }>): void {
    this.active = true;
    const log = this.#commands.get(commandId);
    if (exitCode === undefined && log === undefined) {
      this.#commands.set(commandId, new CommandLog(this.#attempt, commandId, 'implement'));
    }
    this.#attempt.events.write({
      kind: 'command',
      phase: 'implement',
      data: {
        command_id: commandId,
        command,
        phase: 'implement',
        exit_code: exitCode ?? null,
        duration_ms: durationMs ?? null,
      },
    });
    if (exitCode !== undefined && log !== undefined) this.#close(commandId, log);
  }

  #close(id: string, log: CommandLog): void {
    this.#commands.delete(id);
    log.end();
    this.#number += 1;
    const name = `command-${this.#attempt.turn}-${this.#number}.log`;
    const kept = this.#keep(log, name);
    this.#keeping.add(kept);
    void kept.finally(() => this.#keeping.delete(kept));
  }

  async #keep(log: CommandLog, name: string): Promise<void> {
    try {
      if (log.exceeded) await log.keep(name);
    } catch (error) {
      const { ctx, run } = this.#attempt;
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'an output was not kept');
    } finally {
      await log.close();
    }
  }
}

function beginningOf(text: string): string {
  const [first = '', ...rest] = cutText(cleanText(text), maxEventBytes - 16);
  return rest.length === 0 ? first : `${first}\n… (cut)`;
}

const maxInputText = 4 * 1024;

/** A tool's input as an object, its long texts cut: files that are written whole stand in the diff. */
function shortened(input: unknown): Record<string, unknown> {
  const cut: unknown = JSON.parse(JSON.stringify(input ?? {}), (_key, value: unknown) =>
    typeof value === 'string' && value.length > maxInputText ? `${value.slice(0, maxInputText)}… (cut)` : value,
  );
  return isObject(cut) ? cut : { value: cut };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
