import { Transform, type TransformCallback } from 'node:stream';
import { createPushReader, type PushCommands } from '../../git/pkt-line.ts';

/** The decision about a push with a known command list. */
export type PushDecision = 'pass' | 'discard';

export interface PushGateOptions {
  /** Called once with the complete command list, before any byte is forwarded. */
  decide(push: PushCommands): Promise<PushDecision>;
  /**
   * Called when the request has arrived and all but its last chunk was forwarded. If it rejects, the last chunk is never
   * forwarded.
   */
  complete(): Promise<void>;
}

/**
 * Filters the request body of a receive-pack call. Forwards nothing until the command list was decided on, and the last chunk
 * only after `complete`: a pack without its end changes no ref. Fails with PktLineError on malformed input.
 */
export class PushGate extends Transform {
  readonly #options: PushGateOptions;
  readonly #reader = createPushReader();
  #state: 'commands' | PushDecision = 'commands';
  #head: Buffer[] = [];
  #held: Buffer | undefined;

  constructor(options: PushGateOptions) {
    super();
    this.#options = options;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback): void {
    void settle(this.#take(chunk), callback);
  }

  override _flush(callback: TransformCallback): void {
    void settle(this.#finish(), callback);
  }

  async #take(chunk: Buffer): Promise<void> {
    if (this.#state === 'discard') return;
    if (this.#state === 'pass') {
      this.push(this.#held);
      this.#held = chunk;
      return;
    }
    this.#head.push(chunk);
    const push = this.#reader.push(chunk);
    if (push === undefined) return;
    this.#held = Buffer.concat(this.#head);
    this.#head = [];
    // receive-pack joins the packets of a push certificate before it looks for commands in it, so a command can be split across
    // packets and go unnoticed here.
    if (push.isSigned) throw new PushRefused('signed pushes are not accepted');
    this.#state = await this.#options.decide(push);
  }

  async #finish(): Promise<void> {
    if (this.#state === 'commands') throw new PushRefused('the request ends before its command list does');
    if (this.#state === 'discard') return;
    await this.#options.complete();
    this.push(this.#held);
  }
}

async function settle(work: Promise<void>, callback: TransformCallback): Promise<void> {
  let failure: Error | undefined;
  try {
    await work;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  callback(failure);
}

/** Rejects the whole request because it cannot be checked. */
export class PushRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PushRefused';
  }
}
