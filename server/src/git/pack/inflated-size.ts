import { HuffmanCode, needsMore } from './huffman.ts';
import { MalformedPack, readByte, skipBytes, type Input, type Reading } from './input.ts';

const lengthBases = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
];
const lengthExtras = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const distanceBases = [
  1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
  8193, 12289, 16385, 24577,
];
const codeLengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const endOfBlock = 256;

const fixed = {
  literals: new HuffmanCode().assign(
    Uint8Array.from({ length: 288 }, (_, symbol) => (symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8)),
    { mayBeIncomplete: false },
  ),
  distances: new HuffmanCode().assign(new Uint8Array(32).fill(5), { mayBeIncomplete: false }),
};

/** Reusable buffers for the codes of a block. */
export class BlockCodes {
  readonly literals = new HuffmanCode();
  readonly distances = new HuffmanCode();
  readonly ofLengths = new HuffmanCode();
  readonly codeLengths = new Uint8Array(19);
  readonly lengths = new Uint8Array(286 + 30);
}

/** Size and first bytes of inflated data, which is not stored. */
export class Inflated {
  size = 0;
  readonly head: Uint8Array;

  constructor(headBytes: number) {
    this.head = new Uint8Array(headBytes);
  }

  literal(byte: number): void {
    if (this.size < this.head.length) this.head[this.size] = byte;
    this.size += 1;
  }

  copy(distance: number, length: number): void {
    if (distance > this.size) throw new MalformedPack('its compressed data refers to data before its beginning');
    const end = Math.min(this.size + length, this.head.length);
    for (let at = this.size; at < end; at += 1) this.head[at] = this.head[at - distance] ?? 0;
    this.size += length;
  }
}

/**
 * Measures a zlib stream (RFC 1950, 1951) without inflating it, in time proportional to the compressed bytes, so that a
 * compression bomb costs little. Leaves the checksum to git. Throws {@link MalformedPack}, also beyond `maxBytes`.
 */
export function* measureInflated(
  input: Input,
  { headBytes, maxBytes, codes }: { headBytes: number; maxBytes: number; codes: BlockCodes },
): Reading<Inflated> {
  const out = new Inflated(headBytes);
  const method = yield* readByte(input);
  const flags = yield* readByte(input);
  if ((method & 15) !== 8 || method >> 4 > 7 || (method * 256 + flags) % 31 !== 0 || (flags & 32) !== 0)
    throw new MalformedPack('an object is not compressed with zlib');
  for (let isLast = false; !isLast;) {
    while (!input.has(3)) yield;
    isLast = input.take(1) === 1;
    const type = input.take(2);
    if (type === 0) yield* readStored(input, out);
    else if (type === 1) yield* readCompressed(input, fixed, out, maxBytes);
    else if (type === 2) {
      yield* readCodes(input, codes);
      yield* readCompressed(input, codes, out, maxBytes);
    } else throw new MalformedPack('its compressed data has a block of an unknown type');
    if (out.size > maxBytes) throw tooLong();
  }
  input.align();
  yield* skipBytes(input, 4);
  return out;
}

function tooLong(): MalformedPack {
  return new MalformedPack('an object is longer than its declared size');
}

function* readStored(input: Input, out: Inflated): Reading<void> {
  input.align();
  while (!input.has(16)) yield;
  const length = input.take(16);
  while (!input.has(16)) yield;
  if ((length ^ input.take(16)) !== 0xff_ff) throw new MalformedPack('its compressed data has a wrong length');
  let left = length;
  for (; left > 0 && out.size < out.head.length; left -= 1) out.literal(yield* readByte(input));
  yield* skipBytes(input, left);
  out.size += left;
}

function* readCodes(input: Input, { literals, distances, ofLengths, codeLengths, lengths }: BlockCodes): Reading<void> {
  while (!input.has(14)) yield;
  const literalCount = input.take(5) + 257;
  const distanceCount = input.take(5) + 1;
  const given = input.take(4) + 4;
  if (literalCount > 286 || distanceCount > 30) throw new MalformedPack('its compressed data has too many codes');
  codeLengths.fill(0);
  for (let at = 0; at < given; at += 1) {
    while (!input.has(3)) yield;
    codeLengths[codeLengthOrder[at] ?? 0] = input.take(3);
  }
  ofLengths.assign(codeLengths, { mayBeIncomplete: false });
  const all = lengths.subarray(0, literalCount + distanceCount);
  yield* readLengths(input, ofLengths, all);
  if (all[endOfBlock] === 0) throw new MalformedPack('its compressed data has a block without an end');
  literals.assign(all.subarray(0, literalCount), { mayBeIncomplete: true });
  distances.assign(all.subarray(literalCount), { mayBeIncomplete: true });
}

function* readLengths(input: Input, code: HuffmanCode, lengths: Uint8Array): Reading<void> {
  for (let at = 0; at < lengths.length;) {
    let symbol = code.decode(input);
    for (; symbol === needsMore; symbol = code.decode(input)) yield;
    if (symbol < 16) {
      lengths[at] = symbol;
      at += 1;
      continue;
    }
    if (symbol === 16 && at === 0) throw new MalformedPack('its compressed data repeats a missing length');
    const repeated = symbol === 16 ? (lengths[at - 1] ?? 0) : 0;
    const extra = symbol === 16 ? 2 : symbol === 17 ? 3 : 7;
    while (!input.has(extra)) yield;
    const end = at + (symbol === 18 ? 11 : 3) + input.take(extra);
    if (end > lengths.length) throw new MalformedPack('its compressed data has too many codes');
    lengths.fill(repeated, at, end);
    at = end;
  }
}

function* readCompressed(
  input: Input,
  { literals, distances }: Pick<BlockCodes, 'literals' | 'distances'>,
  out: Inflated,
  maxBytes: number,
): Reading<void> {
  for (;;) {
    let symbol = literals.decode(input);
    for (; symbol === needsMore; symbol = literals.decode(input)) yield;
    if (symbol < endOfBlock) {
      out.literal(symbol);
      continue;
    }
    if (symbol === endOfBlock) return;
    const base = lengthBases[symbol - 257];
    if (base === undefined) throw new MalformedPack('its compressed data has an invalid length');
    const extra = lengthExtras[symbol - 257] ?? 0;
    while (!input.has(extra)) yield;
    const length = base + input.take(extra);
    let place = distances.decode(input);
    for (; place === needsMore; place = distances.decode(input)) yield;
    const distanceBase = distanceBases[place];
    if (distanceBase === undefined) throw new MalformedPack('its compressed data has an invalid distance');
    const distanceExtra = place < 4 ? 0 : (place >> 1) - 1;
    while (!input.has(distanceExtra)) yield;
    out.copy(distanceBase + input.take(distanceExtra), length);
    if (out.size > maxBytes) throw tooLong();
  }
}
