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

type AgentLogOutlet = Pick<Attempt, 'ctx' | 'run' | 'events' | 'secrets' | 'blobs' | 'progress' | 'resources'>;

/** Writes what an agent does into the session's log. */
export class AgentLog {
  readonly #outlet: AgentLogOutlet;
  /** What explains the changes of files that no checkpoint has yet. */
  readonly #calls: ToolCallAttribution;
  readonly #commands = new Map<string, CommandLog>();
  readonly #keeping = new Set<Promise<unknown>>();
  /** Texts that have not come to their end. */
  readonly #texts = new Map<string, MaskedText>();
  #number = 0;
  /** Whether a command ran in this sandbox, which may have left something running. */
  #ran = false;
  /** The check that the agent declared last. */
  check: AgentCheck | undefined;
  /** Whether the agent did something since the last checkpoint that may have changed the work tree. */
  active = false;

  constructor(outlet: AgentLogOutlet, calls: ToolCallAttribution, check: AgentCheck | undefined) {
    this.#outlet = outlet;
    this.#calls = calls;
    this.check = check;
  }

  /** Whether the work tree may have changed since the last checkpoint, also behind the agent's back. */
  get mayHaveChanged(): boolean {
    return this.active || this.#ran;
  }

  /** Never throws. */
  write(event: AgentEvent): void {
    for (const entry of this.#entries(event)) this.#outlet.events.write(entry);
  }

  /** Writes events together with what the agent recorded. Throws `LeaseLost`. */
  async record(events: readonly AgentEvent[], records: readonly AgentRecord[]): Promise<void> {
    await this.#outlet.events.record(
      events.flatMap((event) => this.#entries(event)),
      records,
    );
  }

  /** What an event is in the session's log. */
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
            data: { call_id, name, title, input: shortened(this.#outlet.secrets.masked(event.input ?? {})) },
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
          output: beginningOf(this.#outlet.secrets.mask.text(text)),
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
        // The gateway counts what is billed; agents report it wrongly or not at all.
        return [];
      case 'check':
        this.check = { command: event.command, files: event.files };
        return [];
      case 'warning':
        return [{ kind: 'warning', phase, data: { code: event.code, message: event.message } }];
    }
  }

  /** A piece of a text, without what may be the beginning of a secret: that waits for the next piece, or for the end. */
  #text(event: TextEvent): NewEvent[] {
    const id = `${event.kind} ${event.messageId}`;
    const text = this.#texts.get(id) ?? new MaskedText(this.#outlet.secrets.mask);
    this.#texts.set(id, text);
    const shown = text.push(event.delta);
    if (!event.done) return shown === '' ? [] : messageEvents({ ...event, delta: shown });
    this.#texts.delete(id);
    return messageEvents({ ...event, delta: shown + text.end() });
  }

  /** Keeps all of the output of a command as an artifact; answers its id. Its end comes after this. */
  async keepOutput(commandId: string): Promise<string> {
    const log = this.#commands.get(commandId);
    if (log === undefined) throw new Error(`The command ${commandId} has ended, or is none.`);
    log.end();
    return log.keep(this.#nextName());
  }

  /** Resolves when what ended is told: the end of a command whose output has to be kept waits for that. */
  async told(): Promise<void> {
    await Promise.all(this.#keeping);
  }

  /** Resolves when what the commands wrote is kept, also of those that have not ended. */
  async settle(): Promise<void> {
    for (const [id, log] of this.#commands) this.#release(id, log);
    await this.told();
  }

  #command({ commandId, callId, command, exitCode, durationMs }: Extract<AgentEvent, { kind: 'command' }>): void {
    this.active = true;
    this.#ran = true;
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

  /** Lets go of a command's output; what the log could not hold is kept before the command's end is told. */
  #release(id: string, log: CommandLog, end?: CommandEnd): void {
    this.#commands.delete(id);
    log.end();
    const kept = log.exceeded && !log.isKept ? this.#keep(log) : undefined;
    const finish = async (): Promise<void> => {
      await kept;
      if (end !== undefined) log.tellEnd(end);
      await log.close();
    };
    const finished = finish();
    this.#keeping.add(finished);
    void finished.finally(() => this.#keeping.delete(finished));
  }

  async #keep(log: CommandLog): Promise<void> {
    try {
      await log.keep(this.#nextName());
    } catch (error) {
      const { ctx, run } = this.#outlet;
      ctx.log.warn({ session: run.id, reason: messageOf(error) }, 'an output was not kept');
    }
  }

  #nextName(): string {
    this.#number += 1;
    return `command-${this.#outlet.progress.turn}-${this.#number}.log`;
  }
}

type TextEvent = Extract<AgentEvent, { kind: 'message' | 'thought' }>;

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
