import type { AgentEvent, AgentRecord } from '../../../adapters/agent/port.ts';
import type { NewEvent } from '../../../features/sessions/schemas/event-schemas.ts';
import type { AgentCheck } from '../../../lib/agent-config.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { CommandLog, type CommandEnd } from '../log/command-log.ts';
import type { ToolCallAttribution } from '../log/tool-call-attribution.ts';
import { MaskedText } from '../log/masked-text.ts';
import { cleanText, cutText, maxEventBytes } from '../log/output.ts';
import { platformMessage, messageEvents } from '../log/message-events.ts';
import { isRecord } from '../../../lib/record.ts';

type AgentLogOutlet = Pick<Attempt, 'ctx' | 'run' | 'events' | 'secrets' | 'blobs' | 'progress' | 'resources'>;

/** Writes an agent's events to the session's log. */
export class AgentLog {
  readonly #outlet: AgentLogOutlet;
  /** Attributes file changes to tool calls until a checkpoint records them. */
  readonly #calls: ToolCallAttribution;
  readonly #commands = new Map<string, CommandLog>();
  readonly #finishing = new Set<Promise<unknown>>();
  /** Texts whose last piece has not arrived. */
  readonly #texts = new Map<string, MaskedText>();
  #number = 0;
  /** A command ran in this sandbox, so a process of it may still run. */
  #ranCommand = false;
  /** The check that the agent declared last. */
  check: AgentCheck | undefined;
  /** Since the last checkpoint the agent did something that may have changed the work tree. */
  active = false;

  constructor(outlet: AgentLogOutlet, calls: ToolCallAttribution, check: AgentCheck | undefined) {
    this.#outlet = outlet;
    this.#calls = calls;
    this.check = check;
  }

  /** True if the work tree may have changed since the last checkpoint, by the agent or by a process that still runs. */
  get mayHaveChanged(): boolean {
    return this.active || this.#ranCommand;
  }

  /** Never throws. */
  write(event: AgentEvent): void {
    for (const entry of this.#entries(event)) this.#outlet.events.write(entry);
  }

  /** Writes events and the agent's records in one transaction. Throws `LeaseLost`. */
  async record(events: readonly AgentEvent[], records: readonly AgentRecord[]): Promise<void> {
    await this.#outlet.events.record(
      events.flatMap((event) => this.#entries(event)),
      records,
    );
  }

  /** Converts an agent's event into the session's events. */
  #entries(event: AgentEvent): NewEvent[] {
    const phase = 'implement';
    switch (event.kind) {
      case 'message':
      case 'thought':
        return this.#text(event);
      case 'tool_call': {
        const { callId: call_id, name, title } = event;
        if (event.readOnly !== true) {
          this.active = true;
          this.#calls.begin(call_id);
        }
        return [
          {
            kind: 'tool_call',
            phase,
            data: { call_id, name, title, input: shortInput(this.#outlet.secrets.masked(event.input ?? {})) },
          },
        ];
      }
      case 'tool_result': {
        const { callId: call_id, ok } = event;
        this.#calls.end(call_id, event.files);
        const text = typeof event.output === 'string' ? event.output : JSON.stringify(event.output ?? '');
        const data = {
          call_id,
          ok,
          output: firstPart(this.#outlet.secrets.mask.text(text)),
          artifact_id: event.artifactId ?? null,
        };
        return [{ kind: 'tool_result', phase, data }];
      }
      case 'plan':
        return [{ kind: 'plan', phase, data: { entries: event.entries } }];
      case 'told':
        return platformMessage(event.text);
      case 'command':
        this.#command(event);
        return [];
      case 'output':
        this.#commands.get(event.commandId)?.text(event.stream, event.text);
        return [];
      case 'usage':
        // The gateway meters usage; agents report it wrongly or not at all.
        return [];
      case 'check':
        this.check = { command: event.command, files: event.files };
        return [];
      case 'warning':
        return [{ kind: 'warning', phase, data: { code: event.code, message: event.message } }];
    }
  }

  /** Converts a piece of a text. An end that may be the start of a secret waits for the next piece. */
  #text(event: TextEvent): NewEvent[] {
    const id = `${event.kind} ${event.messageId}`;
    const text = this.#texts.get(id) ?? new MaskedText(this.#outlet.secrets.mask);
    this.#texts.set(id, text);
    const shown = text.push(event.delta);
    if (!event.done) return shown === '' ? [] : messageEvents({ ...event, delta: shown });
    this.#texts.delete(id);
    return messageEvents({ ...event, delta: shown + text.end() });
  }

  /** Stores a command's whole output as an artifact and returns its id. To be called before the command's end event. */
  async keepOutput(commandId: string): Promise<string> {
    const log = this.#commands.get(commandId);
    if (log === undefined) throw new Error(`The command ${commandId} does not run.`);
    log.end();
    return log.keep(this.#nextName());
  }

  /** Resolves when the end of every ended command is written, which waits for the artifact of its output. */
  async commandsWritten(): Promise<void> {
    await Promise.all(this.#finishing);
  }

  /** Resolves when the output of all commands is stored, including those that still run. */
  async settle(): Promise<void> {
    for (const [id, log] of this.#commands) this.#release(id, log);
    await this.commandsWritten();
  }

  #command({ commandId, callId, command, exitCode, durationMs }: Extract<AgentEvent, { kind: 'command' }>): void {
    this.active = true;
    this.#ranCommand = true;
    const log = this.#commands.get(commandId);
    if (exitCode !== undefined) {
      if (log !== undefined) this.#release(commandId, log, { exitCode, durationMs: durationMs ?? 0 });
      return;
    }
    if (log !== undefined) return;
    const begun = new CommandLog(this.#outlet, { commandId, callId: callId ?? '', command, phase: 'implement' });
    this.#commands.set(commandId, begun);
    begun.begin();
  }

  /** Closes a command's log. Output beyond the log's limit is stored before the command's end is written. */
  #release(id: string, log: CommandLog, end?: CommandEnd): void {
    this.#commands.delete(id);
    log.end();
    const kept = log.exceeded && !log.isStored ? this.#store(log) : undefined;
    const finish = async (): Promise<void> => {
      await kept;
      if (end !== undefined) log.writeEnd(end);
      await log.close();
    };
    const finished = finish();
    this.#finishing.add(finished);
    void finished.finally(() => this.#finishing.delete(finished));
  }

  async #store(log: CommandLog): Promise<void> {
    try {
      await log.keep(this.#nextName());
    } catch (error) {
      const { ctx, run } = this.#outlet;
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'failed to store the output of a command');
    }
  }

  #nextName(): string {
    this.#number += 1;
    return `command-${this.#outlet.progress.turn}-${this.#number}.log`;
  }
}

type TextEvent = Extract<AgentEvent, { kind: 'message' | 'thought' }>;

function firstPart(text: string): string {
  const [first = '', ...rest] = cutText(cleanText(text), maxEventBytes - 16);
  return rest.length === 0 ? first : `${first}\n… (cut)`;
}

const maxInputText = 4 * 1024;

/** A tool's input as an object with long texts cut; the diff shows written files in full. */
function shortInput(input: unknown): Record<string, unknown> {
  const cut: unknown = JSON.parse(JSON.stringify(input ?? {}), (_key, value: unknown) =>
    typeof value === 'string' && value.length > maxInputText ? `${value.slice(0, maxInputText)}… (cut)` : value,
  );
  return isRecord(cut) ? cut : { value: cut };
}
