import type { Allowance } from '../../lib/allowance.ts';
import { BlockCodes, measureInflated } from './inflated-size.ts';
import { Input, MalformedPack, readByte, skipBytes, type Reading } from './input.ts';

/** A pack that is refused: malformed, or one that asks for too much. The message is for the person who made it. */
export class PackRefused extends Error {}

export interface PackLimits {
  /** Bytes of one object, also of what a delta becomes. */
  objectBytes: number;
  objects: number;
  /** Bytes that unpacking reads and writes: those of objects, and those that deltas are made from. */
  unpackedBytes: number;
  /** What each packed byte adds to that: a large pack is a long history, whose files are much alike. */
  unpackedBytesPerByte: number;
  /** What is beyond the packed bytes' share is also taken from this, which packs of the same origin have in common. */
  allowance?: Allowance;
  /** Bytes of the pack itself, and what is said of one that has more; any number unless told. */
  packed?: { bytes: number; otherwise: string };
}

const mebibyte = 1024 * 1024;

/** The largest file that a session's snapshot takes has to pass. */
export const packLimits: PackLimits = {
  objectBytes: 100 * mebibyte,
  objects: 5_000_000,
  unpackedBytes: 4 * 1024 * mebibyte,
  unpackedBytesPerByte: 400,
};

export interface PackJudge {
  /** Looks at the next bytes of the pack. Throws {@link PackRefused}, and then every time. */
  push(bytes: Uint8Array): void;
  /** Why it was refused, if it was. */
  readonly refused: PackRefused | undefined;
}

/**
 * Judges a pack (gitformat-pack) by what its objects say they are, while it streams: git would unpack them first. Takes time by
 * its bytes and not by what they become, and memory for one object's head. What git reads of a pack besides is left to git.
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
      throw new PackRefused(`a file has ${digits(bytes)} bytes, and one may have ${digits(objectBytes)}`);
    this.unpacked(bytes);
  }

  unpacked(bytes: number): void {
    const { unpackedBytes, unpackedBytesPerByte, allowance } = this.limits;
    this.#unpackedBytes += bytes;
    const beyond = this.#unpackedBytes - unpackedBytesPerByte * this.packedBytes;
    if (beyond > Math.min(unpackedBytes, allowance?.mostBytes ?? Infinity))
      throw new PackRefused('the pack becomes too large when it is unpacked: push fewer commits at a time');
    if (allowance === undefined || beyond <= this.#takenBytes) return;
    const { secondsToWait } = allowance.take(beyond - this.#takenBytes);
    if (secondsToWait > 0)
      throw new PackRefused(
        `this pack and those before it become too large when they are unpacked: push again in ${secondsToWait} s`,
      );
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
    throw new MalformedPack('it has no head');
  const objects = yield* readUInt32(input);
  if (objects > meter.limits.objects)
    throw new PackRefused(`the pack has ${objects} objects, and one may have ${meter.limits.objects}: push in parts`);
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
  if (type === 0 || type === 5) throw new MalformedPack('an object is of an unknown type');
  meter.object(size);
  if (type === refDelta) yield* skipBytes(input, 20);
  if (type === ofsDelta) while (((yield* readByte(input)) & 128) !== 0);
  const inflated = yield* measureInflated(input, { headBytes: isDelta ? deltaHeadBytes : 0, maxBytes: size, codes });
  if (inflated.size !== size) throw new MalformedPack('an object is shorter than it says');
  if (!isDelta) return;
  const head = new Input();
  head.bytes = inflated.head.subarray(0, inflated.size);
  meter.unpacked(readHeadSize(head));
  meter.object(readHeadSize(head));
}

/** Of a delta, which begins with the size of what it is made from, and the size of what it becomes. */
function readHeadSize(head: Input): number {
  const step = readSize(head, 0, 1, 128).next();
  if (step.done !== true) throw new MalformedPack('a delta has no sizes');
  return step.value;
}

/** A number in groups of 7 bits, the lowest first, each but the last with the highest bit set; beyond 2⁵³ it is not exact. */
function* readSize(input: Input, start: number, unit: number, first: number): Reading<number> {
  let size = start;
  let scale = unit;
  for (let byte = first; (byte & 128) !== 0; scale *= 128) {
    // Git takes the bits of a longer one for lower bits again.
    if (scale >= 2 ** 63) throw new MalformedPack('an object has a size that is no number');
    byte = yield* readByte(input);
    size += (byte & 127) * scale;
  }
  return size;
}
