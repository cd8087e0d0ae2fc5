/** An output stream of a program or a connection. Acknowledges only what was read, so that a slow reader applies backpressure. */
export class OutputStream {
  readonly readable: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #take: (bytes: number) => void;
  #owed = 0;
  #done = false;

  constructor(take: (bytes: number) => void) {
    this.#take = take;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#settle(),
        cancel: () => {
          this.#done = true;
          this.#settle();
        },
      },
      { highWaterMark: 64 * 1024, size: (chunk) => chunk.byteLength },
    );
  }

  push(chunk: Buffer): void {
    this.#owed += chunk.length;
    if (this.#done) {
      this.#settle();
      return;
    }
    this.#controller?.enqueue(new Uint8Array(chunk));
    if ((this.#controller?.desiredSize ?? 0) > 0) this.#settle();
  }

  end(): void {
    if (this.#done) return;
    this.#done = true;
    this.#controller?.close();
  }

  #settle(): void {
    if (this.#owed === 0) return;
    const owed = this.#owed;
    this.#owed = 0;
    this.#take(owed);
  }
}
