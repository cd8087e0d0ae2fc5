import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { PhaseName } from '../../../features/sessions/schemas/session-schemas.ts';
import type { Mask, MaskStream } from '../../../lib/mask/mask.ts';
import type { EventWriter } from './event-writer.ts';
import { beginningOf, maxCommandEventBytes, maxTailBytes, OutputEvents, Tail, tailText } from './output.ts';

/** A command that writes more is still run to its end, but the rest is lost. */
const maxKeptBytes = 256 * 1024 * 1024;

/** How much of a command a warning repeats. */
const maxShownCommand = 200;

type Stream = 'stdout' | 'stderr';

/** A command as its events name it. */
export interface LoggedCommand {
  commandId: string;
  /** The tool call behind it; `''` where there is none. */
  callId: string;
  command: string;
  phase: PhaseName | '';
}

export interface CommandEnd {
  exitCode: number;
  durationMs: number;
}

/** Where a command's record goes. */
export interface CommandLogOutlet {
  readonly secrets: { readonly mask: Mask };
  readonly events: Pick<EventWriter, 'write' | 'warn'>;
  /** `directory` is on the host; output that is too long for memory waits there. */
  readonly resources: { readonly directory: string };
  readonly blobs: {
    /** Keeps masked bytes as an artifact and answers its id; `content` is asked for again when the store could not take it. */
    keepArtifact(name: string, content: () => Buffer | Readable): Promise<string>;
  };
}

/** The record of one command: its output, masked, as events, its tail, and all of it for an artifact. */
export class CommandLog {
  readonly #outlet: CommandLogOutlet;
  readonly #command: LoggedCommand;
  readonly #filters: Record<Stream, MaskStream>;
  readonly #events = new OutputEvents();
  readonly #tail = new Tail(maxTailBytes);
  readonly #path: string;
  #kept: Buffer[] = [];
  #file: number | undefined;
  #size = 0;
  #ended = false;
  #artifact: { id: string; name: string } | undefined;

  constructor(outlet: CommandLogOutlet, command: LoggedCommand) {
    this.#outlet = outlet;
    this.#command = command;
    const { mask } = outlet.secrets;
    this.#filters = { stdout: mask.stream(), stderr: mask.stream() };
    this.#path = join(outlet.resources.directory, `output-${command.commandId}`);
  }

  /** Whether the log holds only a part of the output. */
  get exceeded(): boolean {
    return this.#events.exceeded;
  }

  /** Whether the whole output is an artifact. */
  get isKept(): boolean {
    return this.#artifact !== undefined;
  }

  /** Tells that the command starts. */
  begin(): void {
    this.#tell(null, null);
  }

  /** Tells that the command has ended; what is to be kept of it is kept before. */
  tellEnd({ exitCode, durationMs }: CommandEnd): void {
    if (this.exceeded) this.#warn();
    this.#tell(exitCode, Math.round(durationMs));
  }

  #tell(exit_code: number | null, duration_ms: number | null): void {
    const { commandId: command_id, callId: call_id, command, phase } = this.#command;
    const artifact_id = this.#artifact?.id ?? null;
    const data = { command_id, call_id, command, phase, exit_code, duration_ms, artifact_id };
    this.#outlet.events.write({ kind: 'command', phase, data });
  }

  #warn(): void {
    const shown = beginningOf(this.#command.command.replaceAll(/\s+/g, ' ').trim(), maxShownCommand);
    const rest =
      this.#artifact === undefined
        ? 'the rest could not be kept'
        : `all of it is in the artifact ${this.#artifact.name} (${this.#artifact.id})`;
    const problem = `\`${shown}\` wrote more than ${maxCommandEventBytes / 1024} KiB, which is what the log holds of it; ${rest}.`;
    this.#outlet.events.warn('output_truncated', problem);
  }

  bytes(stream: Stream, chunk: Buffer): void {
    this.#take(stream, this.#filters[stream].push(chunk));
  }

  text(stream: Stream, text: string): void {
    this.bytes(stream, Buffer.from(text));
  }

  /** Writes what is left to events; answers the tail of both streams as they came. */
  end(): string {
    if (this.#ended) return tailText(this.#tail.bytes());
    this.#ended = true;
    for (const stream of ['stdout', 'stderr'] as const) this.#take(stream, this.#filters[stream].end());
    for (const { stream, texts } of this.#events.end()) this.#emit(stream, texts);
    return tailText(this.#tail.bytes());
  }

  /** Keeps the whole output as an artifact and answers its id. */
  async keep(name: string): Promise<string> {
    const id = await this.#outlet.blobs.keepArtifact(name, () =>
      this.#file === undefined ? Buffer.concat(this.#kept) : createReadStream(this.#path),
    );
    this.#artifact = { id, name };
    return id;
  }

  async close(): Promise<void> {
    this.#kept = [];
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    await rm(this.#path, { force: true });
  }

  #take(stream: Stream, masked: Buffer): void {
    if (masked.length === 0) return;
    this.#keep(masked);
    this.#emit(stream, this.#events.bytes(stream, masked));
  }

  #emit(stream: Stream, texts: readonly string[]): void {
    const { commandId: command_id, callId: call_id, phase } = this.#command;
    for (const text of texts)
      this.#outlet.events.write({ kind: 'output', phase, data: { command_id, call_id, stream, text } });
  }

  /** In memory as long as it is short. Written synchronously: the sandbox would be faster than any queue. */
  #keep(chunk: Buffer): void {
    this.#tail.push(chunk);
    if (this.#size >= maxKeptBytes) return;
    this.#size += chunk.length;
    if (this.#file === undefined && this.#size <= maxCommandEventBytes) {
      this.#kept.push(chunk);
      return;
    }
    if (this.#file === undefined) {
      this.#file = openSync(this.#path, 'w', 0o600);
      for (const earlier of this.#kept.splice(0)) writeAll(this.#file, earlier);
    }
    writeAll(this.#file, chunk);
  }
}

function writeAll(file: number, chunk: Buffer): void {
  for (let written = 0; written < chunk.length;) written += writeSync(file, chunk, written);
}
