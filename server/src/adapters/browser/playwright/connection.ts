import { setImmediate as turn } from 'node:timers/promises';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { excessOf } from '../../../lib/json-limits.ts';
import { LineSplitter } from '../../../lib/lines.ts';
import { unlessAborted } from '../../../lib/unless-aborted.ts';
import { BrowserError, type BrowserCall, type BrowserProcess } from '../port.ts';
import { bounds, type Command, type Operation, type Setup } from './program/protocol.ts';

/** The extra time in milliseconds beyond a call's own timeout, in which the program restores the page. */
const graceMs = 6_000;
const closeWithinMs = 3_000;
/** Exceeds any line of our program; a longer one is from a program that was replaced. */
const maxLineBytes = 12 * 1024 * 1024;
/** Checked outside of the schema, which would count every character. */
const maxDataLength = Math.ceil(bounds.imageBytes / 3) * 4;
const maxErrorOutput = 1_000;
const endedByItself = 'The browser has ended.';
const endedByMemory = 'The browser ended because the memory of its sandbox was used up, probably by its page.';

const text = (maxLength: number) => Type.String({ maxLength });
const answerShape = Type.Union([
  Type.Object({ ready: Type.Literal(true) }),
  Type.Object({
    id: Type.Integer(),
    result: Type.Object({
      url: text(bounds.urlCharacters),
      title: text(bounds.titleCharacters),
      status: Type.Optional(Type.Integer({ minimum: 0, maximum: 999 })),
      content: Type.Optional(text(bounds.contentBytes)),
      contentType: Type.Optional(Type.Union([Type.Literal('image/png'), Type.Literal('image/jpeg')])),
      data: Type.Optional(Type.String()),
    }),
  }),
  Type.Object({
    id: Type.Integer(),
    error: Type.Object({
      code: Type.Union([
        Type.Literal('address_not_allowed'),
        Type.Literal('navigation_failed'),
        Type.Literal('navigation_timeout'),
        Type.Literal('element_not_found'),
        Type.Literal('closed'),
      ]),
      message: text(bounds.messageCharacters),
    }),
  }),
]);

type Answer = Static<typeof answerShape>;
export type ProgramResult = Extract<Answer, { result: unknown }>['result'];

/** The worker's connection to a browser's program. Its input comes from inside a sandbox and may be hostile. */
export class ProgramConnection {
  /** Resolves with the reason for users when the program has ended; never rejects. */
  readonly ended: Promise<string>;
  readonly #process: BrowserProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #waiting = new Map<number, PromiseWithResolvers<ProgramResult>>();
  readonly #ready = Promise.withResolvers<void>();
  #last: Promise<unknown> = Promise.resolve();
  #nextId = 1;
  #errorOutput = '';
  /** The reason why the program has ended. */
  #gone: string | undefined;

  constructor(process: BrowserProcess) {
    this.#process = process;
    this.#writer = process.stdin.getWriter();
    this.#writer.closed.catch(() => undefined);
    this.#ready.promise.catch(() => undefined);
    this.ended = process.exited.then(
      ({ outOfMemory }) => this.#end(outOfMemory ? endedByMemory : endedByItself),
      () => this.#end(endedByItself),
    );
    this.#read().catch(() => this.kill());
    this.#readErrors().catch(() => undefined);
  }

  /** Resolves when the browser has started. Rejects with the reason of a failure, or the signal's reason. */
  async start(setup: Setup, { timeoutMs, signal }: BrowserCall): Promise<void> {
    this.#send(setup);
    const late = setTimeout(() => this.#ready.reject(new Error('it took too long')), timeoutMs);
    try {
      await (signal === undefined ? this.#ready.promise : unlessAborted(this.#ready.promise, signal));
    } finally {
      clearTimeout(late);
    }
  }

  /** Runs one operation, after the earlier ones. Rejects with {@link BrowserError}, or the signal's reason. */
  async run(operation: Operation, { timeoutMs, signal }: BrowserCall): Promise<ProgramResult> {
    const answer = this.#last.then(() => {
      signal?.throwIfAborted();
      return this.#ask(operation, timeoutMs);
    });
    // After an abort the program still finishes the operation, and the next call waits for it.
    this.#last = answer.catch(() => undefined);
    return signal === undefined ? answer : unlessAborted(answer, signal);
  }

  /** Ends the program and all its processes; never rejects. */
  async close(): Promise<void> {
    this.#writer.close().catch(() => undefined);
    const late = setTimeout(() => this.kill(), closeWithinMs);
    await this.ended;
    clearTimeout(late);
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  async #ask(operation: Operation, timeoutMs: number): Promise<ProgramResult> {
    if (this.#gone !== undefined) throw new BrowserError('closed', this.#gone);
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = Promise.withResolvers<ProgramResult>();
    this.#waiting.set(id, answer);
    const late = setTimeout(() => {
      answer.reject(new BrowserError('navigation_timeout', 'The browser did not respond in time and was closed.'));
      this.kill();
    }, timeoutMs + graceMs);
    try {
      this.#send({ id, timeoutMs, ...operation });
      return await answer.promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(id);
    }
  }

  #send(line: Setup | Command): void {
    this.#writer.write(Buffer.from(`${JSON.stringify(line)}\n`)).catch(() => undefined);
  }

  async #read(): Promise<void> {
    const lines = new LineSplitter(maxLineBytes);
    for await (const part of this.#process.stdout)
      for (const line of lines.push(Buffer.from(part))) {
        // Parsing a large image takes a moment: let other work run first.
        await turn();
        this.#take(parseAnswer(line));
      }
  }

  #take(answer: Answer): void {
    if ('ready' in answer) return this.#ready.resolve();
    if ('result' in answer && (answer.result.data ?? '').length > maxDataLength)
      throw new Error('an image is too large');
    const waiting = this.#waiting.get(answer.id);
    if ('result' in answer) waiting?.resolve(answer.result);
    else waiting?.reject(new BrowserError(answer.error.code, answer.error.message));
  }

  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const part of this.#process.stderr)
      this.#errorOutput = (this.#errorOutput + decoder.decode(part, { stream: true })).slice(-maxErrorOutput);
  }

  #end(why: string): string {
    this.#gone = why;
    this.#ready.reject(new Error(this.#errorOutput.trim() || 'it ended at once'));
    for (const { reject } of this.#waiting.values()) reject(new BrowserError('closed', why));
    return why;
  }
}

/** Exceeds any valid answer. */
const answerLimits = { values: 20, depth: 3 };

/** Reads one line of the program. Throws on anything that is not an answer. */
export function parseAnswer(line: Buffer): Answer {
  const excess = excessOf(line, answerLimits);
  if (excess !== undefined) throw new Error(`a line of the browser's program ${excess}`);
  return Value.Parse(answerShape, JSON.parse(line.toString('utf8')));
}
