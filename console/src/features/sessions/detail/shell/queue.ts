/** Above this, the oldest output that was not drawn yet is skipped: a terminal keeps a few thousand rows anyway. */
const mostBytes = 4 * 1024 * 1024;
/** Bytes for a terminal between two frames; it reads as many in a few milliseconds. */
const mostAtOnce = 128 * 1024;

/** Output that waits to be drawn; a browser reads a WebSocket whether or not the page keeps up. */
export class OutputQueue {
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #skipped = 0;

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    while (this.#bytes > mostBytes) {
      const oldest = this.#pieces.shift();
      if (oldest === undefined) return;
      this.#bytes -= oldest.length;
      this.#skipped += oldest.length;
    }
  }

  /** Returns what is to be drawn next, and how many bytes before it were skipped. */
  take(): { bytes: Uint8Array; skipped: number } {
    const taken: Uint8Array[] = [];
    let size = 0;
    let next = this.#pieces[0];
    while (next !== undefined && (size === 0 || size + next.length <= mostAtOnce)) {
      taken.push(next);
      size += next.length;
      this.#pieces.shift();
      next = this.#pieces[0];
    }
    const bytes = new Uint8Array(size);
    let at = 0;
    for (const piece of taken) {
      bytes.set(piece, at);
      at += piece.length;
    }
    this.#bytes -= size;
    const skipped = this.#skipped;
    this.#skipped = 0;
    return { bytes, skipped };
  }
}
