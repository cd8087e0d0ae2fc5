import { formatNumber } from '../bounds.ts';

/** The maximum length of an output for the model in characters: half from its beginning, half from its end. */
const shownLength = 30_000;
/** Up to this length the full output is kept, to be written to a file in the sandbox. */
const keptLength = 10 * 1024 * 1024;

/** Collects an output of any length in bounded memory. */
export class OutputCollector {
  #head = '';
  #tail = '';
  #length = 0;
  #all: string[] | undefined = [];

  push(text: string): void {
    this.#length += text.length;
    const half = shownLength / 2;
    const room = half - this.#head.length;
    if (room > 0) this.#head += text.slice(0, room);
    const rest = room > 0 ? text.slice(room) : text;
    // Cuts only now and then, so that small chunks do not copy the tail each time.
    this.#tail = `${this.#tail}${rest.slice(-half)}`;
    if (this.#tail.length > 4 * half) this.#tail = this.#tail.slice(-half);
    if (this.#length > keptLength) this.#all = undefined;
    else this.#all?.push(text);
  }

  /** The number of omitted characters. */
  get omitted(): number {
    return Math.max(0, this.#length - shownLength);
  }

  /** The full output; undefined if it is too long. */
  get all(): string | undefined {
    return this.#all?.join('');
  }

  /** Returns the text for the model. */
  shown(): string {
    const tail = this.#tail.slice(-(shownLength / 2));
    if (this.omitted === 0) return `${this.#head}${tail}`;
    return `${this.#head}\n[… ${formatNumber(this.omitted)} characters left out …]\n${tail}`;
  }
}
