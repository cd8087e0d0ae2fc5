import { setTimeout as delay } from 'node:timers/promises';
import type { Mask, MaskStream } from '../../../lib/mask/mask.ts';

/** A mask for a terminal's output, which outlives turns: a new turn may bring new values. */
export class TerminalMask {
  readonly #secrets: { readonly mask: Mask };
  #mask: Mask;
  #stream: MaskStream;

  constructor(secrets: { readonly mask: Mask }) {
    this.#secrets = secrets;
    this.#mask = secrets.mask;
    this.#stream = this.#mask.stream();
  }

  push(chunk: Buffer): Buffer {
    const { mask } = this.#secrets;
    if (mask === this.#mask) return this.#stream.push(chunk);
    const held = this.#stream.end();
    this.#mask = mask;
    this.#stream = mask.stream();
    return Buffer.concat([held, this.#stream.push(chunk)]);
  }

  /** Returns what was held back because a value could have begun with it. */
  flush(): Buffer {
    const held = this.#stream.end();
    this.#stream = this.#mask.stream();
    return held;
  }
}

/** Bytes per second of one terminal, and at once: more than a person can read, and little for a program that prints for ever. */
const bytesPerSecond = 1024 * 1024;

/** Slows a terminal's output down to its rate. */
export class OutputPace {
  #owedUntilMs = 0;

  /** Resolves when the next bytes may follow. */
  async spend(bytes: number): Promise<void> {
    const now = performance.now();
    this.#owedUntilMs = Math.max(this.#owedUntilMs, now - 1_000) + (bytes / bytesPerSecond) * 1_000;
    const waitMs = this.#owedUntilMs - now;
    if (waitMs > 1) await delay(waitMs);
  }
}
