import type { Allowance } from '../../lib/allowance.ts';
import { BlockCodes, measureInflated } from './inflated-size.ts';
import { Input, MalformedPack, readByte, skipBytes, type Reading } from './input.ts';

/** Refusal of a pack that is malformed or exceeds a limit. The message is for the user who pushed it. */
export class PackRefused extends Error {}

export interface PackLimits {
  /** Bytes of one object, also of a delta's result. */
  objectBytes: number;
  objects: number;
  /** Bytes that unpacking reads and writes: objects, and the bases of deltas. */
  unpackedBytes: number;
  /** Additional unpacked bytes per packed byte: a large pack is usually a long history of similar files. */
  unpackedBytesPerByte: number;
  /** Bytes beyond the share of the packed bytes are also taken from this allowance, which packs of the same origin share. */
  allowance?: Allowance;
  /** Limit for the pack itself, and the message for a larger one; unlimited by default. */
  packed?: { bytes: number; otherwise: string };
}

const mebibyte = 1024 * 1024;

/** Default limits. The largest file of a session's snapshot must pass. */
export const packLimits: PackLimits = {
  objectBytes: 100 * mebibyte,
  objects: 5_000_000,
  unpackedBytes: 4 * 1024 * mebibyte,
  unpackedBytesPerByte: 400,
};

export interface PackJudge {
  /** Checks the next bytes of the pack. Throws {@link PackRefused}, and again on every later call. */
  push(bytes: Uint8Array): void;
  /** The refusal, if there was one. */
  readonly refused: PackRefused | undefined;
}

/**
 * Checks a pack (gitformat-pack) against limits while it streams, before git unpacks it. Takes time proportional to the packed
 * bytes, and memory for one object's header. Leaves all other checks to git.
 */
export function createPackJudge(limits: PackLimits = packLimits): PackJudge {
  const input = new Input();
  const meter = new Meter(limits);
  const reading = readPack(input, meter);
  let isOver = false;
  let refused: PackRefused | undefined;
  return {
    get refused() {
      return refused;
    },
    push(bytes) {
      if (refused !== undefined) throw refused;
      if (isOver) return;
      input.bytes = bytes;
      input.at = 0;
      meter.packedBytes += bytes.length;
      try {
        meter.packed();
        isOver = reading.next().done === true;
      } catch (error) {
        if (error instanceof MalformedPack) refused = new PackRefused(`the pack is damaged: ${error.message}`);
        else if (error instanceof PackRefused) refused = error;
        throw refused ?? error;
      }
    },
  };
}

class Meter {
  packedBytes = 0;
  #unpackedBytes = 0;
  #takenBytes = 0;
  readonly limits: PackLimits;

  constructor(limits: PackLimits) {
    this.limits = limits;
  }

  packed(): void {
    const { packed } = this.limits;
    if (packed !== undefined && this.packedBytes > packed.bytes) throw new PackRefused(packed.otherwise);
  }

  object(bytes: number): void {
    const { objectBytes } = this.limits;
    if (bytes > objectBytes)
      throw new PackRefused(`a file has ${digits(bytes)} bytes; at most ${digits(objectBytes)} are allowed`);
    this.unpacked(bytes);
  }

  unpacked(bytes: number): void {
    const { unpackedBytes, unpackedBytesPerByte, allowance } = this.limits;
    this.#unpackedBytes += bytes;
    const beyond = this.#unpackedBytes - unpackedBytesPerByte * this.packedBytes;
    if (beyond > Math.min(unpackedBytes, allowance?.mostBytes ?? Infinity))
      throw new PackRefused('the pack is too large when unpacked; push fewer commits at a time');
    if (allowance === undefined || beyond <= this.#takenBytes) return;
    const { secondsToWait } = allowance.take(beyond - this.#takenBytes);
    if (secondsToWait > 0)
      throw new PackRefused(`this pack and earlier ones are too large when unpacked; push again in ${secondsToWait} s`);
    this.#takenBytes = beyond;
  }
}

function digits(bytes: number): string {
  return bytes.toLocaleString('en');
}

function* readPack(input: Input, meter: Meter): Reading<void> {
  const magic = [yield* readByte(input), yield* readByte(input), yield* readByte(input), yield* readByte(input)];
  const version = yield* readUInt32(input);
  if (String.fromCharCode(...magic) !== 'PACK' || (version !== 2 && version !== 3))
    throw new MalformedPack('it has no valid header');
  const objects = yield* readUInt32(input);
  if (objects > meter.limits.objects)
    throw new PackRefused(
      `the pack has ${objects} objects; at most ${meter.limits.objects} are allowed. Split it into several pushes`,
    );
  const codes = new BlockCodes();
  for (let object = 0; object < objects; object += 1) yield* readObject(input, meter, codes);
}

function* readUInt32(input: Input): Reading<number> {
  let value = 0;
  for (let byte = 0; byte < 4; byte += 1) value = value * 256 + (yield* readByte(input));
  return value;
}

const ofsDelta = 6;
const refDelta = 7;
/** Two sizes of at most ten bytes. */
const deltaHeadBytes = 20;

function* readObject(input: Input, meter: Meter, codes: BlockCodes): Reading<void> {
  const first = yield* readByte(input);
  const type = (first >> 4) & 7;
  const size = yield* readSize(input, first & 15, 16, first);
  const isDelta = type === ofsDelta || type === refDelta;
  if (type === 0 || type === 5) throw new MalformedPack('an object has an unknown type');
  meter.object(size);
  if (type === refDelta) yield* skipBytes(input, 20);
  if (type === ofsDelta) while (((yield* readByte(input)) & 128) !== 0);
  const inflated = yield* measureInflated(input, { headBytes: isDelta ? deltaHeadBytes : 0, maxBytes: size, codes });
  if (inflated.size !== size) throw new MalformedPack('an object is shorter than its declared size');
  if (!isDelta) return;
  const head = new Input();
  head.bytes = inflated.head.subarray(0, inflated.size);
  meter.unpacked(readHeadSize(head));
  meter.object(readHeadSize(head));
}

/** Reads a size from the header of a delta, which has the sizes of its base and its result. */
function readHeadSize(head: Input): number {
  const step = readSize(head, 0, 1, 128).next();
  if (step.done !== true) throw new MalformedPack('a delta has no sizes');
  return step.value;
}

/** Reads a number in groups of 7 bits, the lowest first, each but the last with the highest bit set; inexact beyond 2⁵³. */
function* readSize(input: Input, start: number, unit: number, first: number): Reading<number> {
  let size = start;
  let scale = unit;
  for (let byte = first; (byte & 128) !== 0; scale *= 128) {
    // Git's shift would wrap around for a longer number.
    if (scale >= 2 ** 63) throw new MalformedPack('an object has an invalid size');
    byte = yield* readByte(input);
    size += (byte & 127) * scale;
  }
  return size;
}
