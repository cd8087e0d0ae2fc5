const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from('\uFEFF');
const field = Buffer.from('data');
const colon = 0x3a;
const space = 0x20;
const nothing = Buffer.alloc(0);
/** The memory overhead of a piece in bytes. */
const pieceBytes = 256;

/** Extracts the data of server-sent events from chunks of any size; buffers nothing else. */
export class EventData {
  /** The buffered bytes of the current event. */
  heldBytes = 0;
  #line: Buffer[] = [];
  #data: Buffer[] = [];
  #isFirst = true;
  #afterReturn = false;

  /** Yields the data of each event that ends in this chunk; an incomplete event is dropped. */
  *push(chunk: Buffer): Generator<Buffer> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      const isSecondHalf = byte === lineFeed && this.#afterReturn;
      this.#afterReturn = byte === carriageReturn;
      if (byte !== lineFeed && byte !== carriageReturn) continue;
      if (!isSecondHalf && this.#endLine(chunk, from, at)) yield this.#take();
      from = at + 1;
    }
    if (from < chunk.length) this.#line.push(this.#held(chunk.subarray(from)));
  }

  /** Returns true at the end of an event with data. */
  #endLine(chunk: Buffer, from: number, to: number): boolean {
    if (this.#line.length === 0) return this.#look(chunk, from, to);
    const line = Buffer.concat([...this.#line, chunk.subarray(from, to)]);
    for (const piece of this.#line.splice(0)) this.heldBytes -= piece.length + pieceBytes;
    return this.#look(line, 0, line.length);
  }

  #look(bytes: Buffer, begin: number, end: number): boolean {
    const isMarked = this.#isFirst && holds(bytes, begin, byteOrderMark);
    this.#isFirst = false;
    const from = begin + (isMarked ? byteOrderMark.length : 0);
    if (from === end) return this.#data.length > 0;
    const behind = from + field.length;
    if (behind > end || !holds(bytes, from, field)) return false;
    if (behind === end) this.#data.push(this.#held(nothing));
    else if (bytes[behind] === colon) {
      const value = behind + (bytes[behind + 1] === space ? 2 : 1);
      this.#data.push(this.#held(bytes.subarray(Math.min(value, end), end)));
    }
    return false;
  }

  #held(piece: Buffer): Buffer {
    this.heldBytes += piece.length + pieceBytes;
    return piece;
  }

  #take(): Buffer {
    const lines = this.#data.flatMap((line, at) => (at === 0 ? [line] : [Buffer.from([lineFeed]), line]));
    for (const line of this.#data.splice(0)) this.heldBytes -= line.length + pieceBytes;
    return lines.length === 1 ? (lines[0] ?? nothing) : Buffer.concat(lines);
  }
}

function holds(bytes: Buffer, from: number, sign: Buffer): boolean {
  for (let at = 0; at < sign.length; at += 1) if (bytes[from + at] !== sign[at]) return false;
  return true;
}
