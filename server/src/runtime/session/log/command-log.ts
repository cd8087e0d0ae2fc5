import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { SenderType } from '../../../features/sessions/schemas/event-schemas.ts';
import type { PhaseName } from '../../../features/sessions/schemas/session-schemas.ts';
import type { Mask, MaskStream } from '../../../lib/mask/mask.ts';
import type { EventWriter } from './event-writer.ts';
import { beginningOf, maxCommandEventBytes, maxTailBytes, OutputEvents, Tail, tailText } from './output.ts';

/** Limit for stored output. A command that writes more still runs to its end, but the rest is lost. */
const maxKeptBytes = 256 * 1024 * 1024;

/** Characters of a command that a warning repeats. */
const maxShownCommand = 200;

type Stream = 'stdout' | 'stderr';

/** A command as in its events. */
export interface LoggedCommand {
  commandId: string;
  /** The tool call that runs it; `''` without one. */
  callId: string;
  command: string;
  phase: PhaseName | '';
  /** The person who opened it as a terminal. */
  by?: { type: SenderType; id: string; name: string };
}

export interface CommandEnd {
  exitCode: number;
  durationMs: number;
}

/** Output of a command's log. */
export interface CommandLogOutlet {
  readonly secrets: { readonly mask: Mask };
  readonly events: Pick<EventWriter, 'write' | 'warn'>;
  /** `directory` is on the host; it buffers output that is too long for memory. */
  readonly resources: { readonly directory: string };
  readonly blobs: {
    /** Stores masked bytes as an artifact and returns its id; `content` is called again for each retry. */
    keepArtifact(name: string, content: () => Buffer | Readable): Promise<string>;
  };
}

/** Log of one command: writes its masked output as events, and keeps its tail and, for an artifact, all of it. */
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

  /** The events hold only a part of the output. */
  get exceeded(): boolean {
    return this.#events.exceeded;
  }

  /** The whole output is stored as an artifact. */
  get isStored(): boolean {
    return this.#artifact !== undefined;
  }

  /** Writes the command's start. */
  begin(): void {
    this.#write(null, null);
  }

  /** Writes the command's end. Its output must be stored before. */
  writeEnd({ exitCode, durationMs }: CommandEnd): void {
    if (this.exceeded) this.#warn();
    this.#write(exitCode, Math.round(durationMs));
  }

  #write(exit_code: number | null, duration_ms: number | null): void {
    const { commandId: command_id, callId: call_id, command, phase, by } = this.#command;
    const artifact_id = this.#artifact?.id ?? null;
    const created_by = by === undefined ? {} : { created_by: by };
    const data = { command_id, call_id, command, phase, exit_code, duration_ms, artifact_id, ...created_by };
    this.#outlet.events.write({ kind: 'command', phase, data });
  }

  #warn(): void {
    const shown = beginningOf(this.#command.command.replaceAll(/\s+/g, ' ').trim(), maxShownCommand);
    const rest =
      this.#artifact === undefined
        ? 'the rest could not be stored'
        : `the full output is in the artifact ${this.#artifact.name} (${this.#artifact.id})`;
    const problem = `\`${shown}\` wrote more than ${maxCommandEventBytes / 1024} KiB, the limit of the log; ${rest}.`;
    this.#outlet.events.warn('output_truncated', problem);
  }

  bytes(stream: Stream, chunk: Buffer): void {
    this.#take(stream, this.#filters[stream].push(chunk));
  }

  text(stream: Stream, text: string): void {
    this.bytes(stream, Buffer.from(text));
  }

  /** Writes the remaining output as events and returns the tail of both streams, interleaved as they arrived. */
  end(): string {
    if (this.#ended) return tailText(this.#tail.bytes());
    this.#ended = true;
    for (const stream of ['stdout', 'stderr'] as const) this.#take(stream, this.#filters[stream].end());
    for (const { stream, texts } of this.#events.end()) this.#emit(stream, texts);
    return tailText(this.#tail.bytes());
  }

  /** Stores the whole output as an artifact and returns its id. */
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

  /** Buffers output, in memory while it is short. File writes are synchronous: the sandbox would outpace any queue. */
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
