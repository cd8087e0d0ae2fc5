import type { Connection } from './connection.ts';
import { chunkBytes } from './protocol.ts';

/** Sends a program's standard input, at most one window ahead. */
export class InputPump {
  readonly #connection: Connection;
  readonly #id: number;
  #onWay = 0;
  #waiting: (() => void)[] = [];
  #closed = false;

  constructor(connection: Connection, id: number) {
    this.#connection = connection;
    this.#id = id;
  }

  /** Sends bytes; resolves when more can be sent. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += chunkBytes) {
      const chunk = Buffer.from(bytes.buffer, bytes.byteOffset + at, Math.min(chunkBytes, bytes.length - at));
      while (this.#onWay > chunkBytes && !this.#closed) {
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
      if (this.#closed) return;
      this.#onWay += chunk.length;
      this.#connection.send({ op: 'stdin', id: this.#id, data: chunk.toString('base64') });
    }
  }

  end(): void {
    if (!this.#closed) this.#connection.send({ op: 'stdin_end', id: this.#id });
  }

  writeAll(bytes: Uint8Array): void {
    void this.write(bytes).then(() => this.end());
  }

  /** Called when the program has read bytes. */
  taken(bytes: number): void {
    this.#onWay -= bytes;
    this.#wake();
  }

  /** Called when the program has ended: sends nothing more and resolves waiting writes. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
