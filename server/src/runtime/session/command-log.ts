import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PhaseName } from '../../features/sessions/schemas.ts';
import type { Attempt } from './attempt.ts';
import type { MaskStream } from '../../lib/mask.ts';
import { maxCommandEventBytes, maxTailBytes, OutputEvents, Tail, tailText } from './output.ts';

/** A command that writes more is still run to its end, but the rest is lost. */
const maxKeptBytes = 256 * 1024 * 1024;

type Stream = 'stdout' | 'stderr';

/** The record of one command: its output, masked, as events, its tail, and all of it for an artifact. */
export class CommandLog {
  readonly #attempt: Attempt;
  readonly #commandId: string;
  readonly #phase: PhaseName | '';
  readonly #filters: Record<Stream, MaskStream>;
  readonly #events = new OutputEvents();
  readonly #tail = new Tail(maxTailBytes);
  readonly #path: string;
  #kept: Buffer[] = [];
  #file: number | undefined;
  #size = 0;
  #warned = false;

  constructor(attempt: Attempt, commandId: string, phase: PhaseName | '') {
    this.#attempt = attempt;
    this.#commandId = commandId;
    this.#phase = phase;
    const { mask } = attempt.secrets;
    this.#filters = { stdout: mask.stream(), stderr: mask.stream() };
    this.#path = join(attempt.directory, `output-${commandId}`);
  }

  /** Whether the log holds only a part of the output. */
  get exceeded(): boolean {
    return this.#events.exceeded;
  }

  bytes(stream: Stream, chunk: Buffer): void {
    this.#take(stream, this.#filters[stream].push(chunk));
  }

  text(stream: Stream, text: string): void {
    this.bytes(stream, Buffer.from(text));
  }

  /** Writes what is left to events; answers the tail of both streams as they came. */
  end(): string {
    for (const stream of ['stdout', 'stderr'] as const) this.#take(stream, this.#filters[stream].end());
    for (const { stream, texts } of this.#events.end()) this.#emit(stream, texts);
    return tailText(this.#tail.bytes());
  }

  /** Keeps the whole output as an artifact and answers its id. */
  async keep(name: string): Promise<string> {
    return this.#attempt.keepArtifact(name, () =>
      this.#file === undefined ? Buffer.concat(this.#kept) : createReadStream(this.#path),
    );
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
    for (const text of texts) {
      this.#attempt.events.write({
        kind: 'output',
        phase: this.#phase,
        data: { command_id: this.#commandId, stream, text },
      });
    }
    if (!this.#events.exceeded || this.#warned) return;
    this.#warned = true;
    this.#attempt.warn(
      'output_truncated',
      `A command wrote more than ${maxCommandEventBytes / 1024} KiB; the rest is only in its artifact.`,
    );
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
