import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { SandboxTerminal } from '../../../adapters/sandbox/port.ts';
import {
  closeCodes,
  frameKinds,
  linkLastsMs,
  type TerminalCall,
  type TerminalEnd,
} from '../../../features/sessions/live/calls.ts';
import { messageOf } from '../../../lib/errors.ts';
import { readFrames, writeFrame } from '../../../lib/link-frames.ts';
import type { Attempt } from '../attempt/attempt.ts';
import { CommandLog } from '../log/command-log.ts';
import type { SessionSandbox } from '../workspace/sandboxes.ts';
import { OutputPace, TerminalMask } from './terminal-output.ts';

type TerminalAttempt = Pick<
  Attempt,
  'ctx' | 'run' | 'control' | 'events' | 'secrets' | 'blobs' | 'resources' | 'progress'
>;

/** A possible beginning of a secret is shown after this long; the record still masks the whole value. */
const holdMs = 40;
/** The size changes at most once in this time; the last size counts. */
const resizeMs = 50;
const endWithinMs = 3_000;
/** Beyond what a terminal holds, input may stay unread for this long. */
const unreadMs = 60_000;

interface TerminalOptions {
  attempt: TerminalAttempt;
  sessionSandbox: SessionSandbox;
  terminal: SandboxTerminal;
  by: TerminalCall['by'];
  /** Numbers the attempt's terminals. */
  number: number;
  /** Called when something may have changed in the sandbox. */
  onActivity: () => void;
}

/** One shell of a person, from its start to the event of its end. */
export class Terminal {
  /** Resolves when its end is in the log. */
  readonly ended: Promise<void>;
  readonly #options: TerminalOptions;
  readonly #log: CommandLog;
  readonly #recorded: TerminalMask;
  readonly #shown: TerminalMask;
  readonly #startedAt = performance.now();
  readonly #connected = Promise.withResolvers<Socket | undefined>();
  readonly #end = Promise.withResolvers<TerminalEnd>();
  #idle: NodeJS.Timeout | undefined;
  #size: { columns: number; rows: number } | undefined;
  #resizing: NodeJS.Timeout | undefined;

  constructor(options: TerminalOptions) {
    this.#options = options;
    const { attempt, by } = options;
    this.#recorded = new TerminalMask(attempt.secrets);
    this.#shown = new TerminalMask(attempt.secrets);
    this.#log = new CommandLog(attempt, {
      commandId: randomUUID(),
      callId: '',
      command: 'bash',
      phase: '',
      by: { type: by.type, id: by.id, name: by.name },
    });
    this.#log.begin();
    setTimeout(() => this.#connected.resolve(undefined), linkLastsMs.terminal).unref();
    this.ended = this.#run();
  }

  /** Takes the connection of its API process; only the first one counts. */
  connect(socket: Socket): void {
    this.#connected.resolve(socket);
  }

  /** Ends it for a reason that the person is told. The first reason counts. */
  close(end: TerminalEnd): void {
    this.#end.resolve(end);
    this.#connected.resolve(undefined);
  }

  async #run(): Promise<void> {
    const { terminal, attempt } = this.#options;
    const socket = await this.#connected.promise;
    let end: TerminalEnd = { code: closeCodes.failed, reason: 'The connection was lost.' };
    try {
      if (socket !== undefined) {
        this.#touch();
        const output = this.#show(socket);
        const input = this.#take(socket);
        const exit = output.then(() => this.#exit());
        for (const one of [exit, input]) one.catch(() => undefined);
        end = await Promise.race([this.#end.promise, exit, input]);
      }
    } catch (error) {
      attempt.ctx.log.debug({ session: attempt.run.id, reason: messageOf(error) }, 'a terminal failed');
    }
    clearTimeout(this.#idle);
    clearTimeout(this.#resizing);
    terminal.kill();
    if (socket !== undefined) {
      await Promise.race([writeFrame(socket, frameKinds.end, Buffer.from(JSON.stringify(end))), delay(endWithinMs)]);
      socket.destroySoon();
    }
    await this.#record();
  }

  /** Passes output on, at a limited rate, and records it. */
  async #show(socket: Socket): Promise<void> {
    const pace = new OutputPace();
    let late: NodeJS.Timeout | undefined;
    const send = (bytes: Buffer): Promise<void> =>
      bytes.length === 0 ? Promise.resolve() : writeFrame(socket, frameKinds.output, bytes);
    try {
      for await (const chunk of this.#options.terminal.output) {
        clearTimeout(late);
        const bytes = Buffer.from(chunk);
        this.#options.onActivity();
        this.#log.bytes('stdout', this.#recorded.push(bytes));
        await send(this.#shown.push(bytes));
        late = setTimeout(() => void send(this.#shown.flush()), holdMs);
        await pace.spend(bytes.length);
      }
    } finally {
      clearTimeout(late);
      await send(this.#shown.flush());
    }
  }

  /** Types what comes over the connection, until that ends. */
  async #take(socket: Socket): Promise<TerminalEnd> {
    for await (const { kind, payload } of readFrames(socket)) {
      if (kind === frameKinds.typed) {
        this.#touch();
        this.#options.onActivity();
        if (!(await this.#type(payload)))
          return { code: closeCodes.failed, reason: 'The program in the terminal does not read what is typed.' };
      } else if (kind === frameKinds.resize && payload.length === 4) {
        this.#resize({ columns: payload.readUInt16BE(0), rows: payload.readUInt16BE(2) });
      }
    }
    return { code: closeCodes.failed, reason: 'The connection was closed.' };
  }

  /** Types bytes; returns false if nothing reads them. */
  async #type(bytes: Buffer): Promise<boolean> {
    const late = new AbortController();
    const waited = delay(unreadMs, false, { signal: late.signal, ref: false }).catch(() => false);
    const typed = this.#options.terminal.type(bytes).then(() => true);
    try {
      return await Promise.race([typed, waited]);
    } finally {
      late.abort();
    }
  }

  #resize(size: { columns: number; rows: number }): void {
    this.#size = size;
    this.#resizing ??= setTimeout(() => {
      this.#resizing = undefined;
      if (this.#size !== undefined) void this.#options.terminal.resize(this.#size).catch(() => undefined);
    }, resizeMs);
  }

  #touch(): void {
    const { idleMs } = this.#options.attempt.ctx.terminalTimings;
    clearTimeout(this.#idle);
    const reason = `Nothing was typed for ${Math.round(idleMs / 60_000)} minutes.`;
    this.#idle = setTimeout(() => this.close({ code: closeCodes.idle, reason }), idleMs);
  }

  /** Explains the end of the shell, which may be that of its sandbox. */
  async #exit(): Promise<TerminalEnd> {
    const { terminal, sessionSandbox } = this.#options;
    const { exitCode } = await terminal.exited;
    const late = delay(exitCode === 137 ? 1_000 : 0, undefined, { ref: false });
    const gone = await Promise.race([sessionSandbox.sandbox.ended, late]);
    if (gone === undefined) return { code: closeCodes.exited, reason: `The shell ended with exit code ${exitCode}.` };
    return { code: closeCodes.sandboxEnded, reason: `The sandbox ended: ${gone.reason.replaceAll('_', ' ')}.` };
  }

  /** Writes the end to the log. Never rejects. */
  async #record(): Promise<void> {
    const { attempt, terminal, number } = this.#options;
    const killed = delay(endWithinMs, { exitCode: 137 }, { ref: false });
    const { exitCode } = await Promise.race([terminal.exited, killed]);
    try {
      this.#log.bytes('stdout', this.#recorded.flush());
      this.#log.end();
      // Without the lease nothing more can be stored.
      if (!attempt.control.lost.aborted) {
        if (this.#log.exceeded) await this.#log.keep(`terminal-${attempt.progress.turn}-${number}.log`);
        this.#log.writeEnd({ exitCode, durationMs: performance.now() - this.#startedAt });
      }
    } catch (error) {
      attempt.ctx.log.warn({ session: attempt.run.id, reason: messageOf(error) }, 'failed to record a terminal');
    } finally {
      await this.#log.close();
    }
  }
}
