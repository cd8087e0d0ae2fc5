import { randomBytes } from 'node:crypto';
import { constants, createInflateRaw, deflateRawSync, deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createAllowances } from '../../lib/allowance.ts';
import { BlockCodes, measureInflated } from './inflated-size.ts';
import { Input } from './input.ts';
import { createPackJudge, packLimits, type PackLimits } from './judge.ts';
import { deltaBomb, growingDelta, packOf, type DeltaEntry, type PackEntry } from './pack-fixture.ts';

/** Measures a zlib stream that arrives in pieces: its size, its first bytes, and its end. */
function measure(stream: Uint8Array, pieceBytes: number) {
  const input = new Input();
  const reading = measureInflated(input, { headBytes: 20, maxBytes: 2 ** 40, codes: new BlockCodes() });
  let from = 0;
  let step = reading.next();
  while (step.done !== true && from < stream.length) {
    input.bytes = stream.subarray(from, from + pieceBytes);
    input.at = 0;
    from += input.bytes.length;
    step = reading.next();
  }
  if (step.done !== true) throw new Error('the stream has no end');
  return { size: step.value.size, head: step.value.head, end: from - input.bytes.length + input.at };
}

/** Contents that compression treats differently. */
const contents: Record<string, Buffer> = {
  empty: Buffer.alloc(0),
  short: Buffer.from('a'),
  text: Buffer.from(Array.from({ length: 4_000 }, (_, n) => `line ${n * 7919} of ${n % 13}\n`).join('')),
  zeros: Buffer.alloc(400_000),
  random: randomBytes(80_000),
  skewed: Buffer.from(randomBytes(60_000).map((byte) => Math.floor(Math.log2(byte + 1) ** 2.7))),
  mixed: Buffer.concat([randomBytes(70_000), Buffer.alloc(70_000), Buffer.from('abcabcabd'.repeat(9_000))]),
};
const strategies = [
  constants.Z_DEFAULT_STRATEGY,
  constants.Z_HUFFMAN_ONLY,
  constants.Z_RLE,
  constants.Z_FIXED,
  constants.Z_FILTERED,
];

describe('the size of what is compressed', () => {
  test.each(Object.entries(contents))(
    'is read without inflating it, however it was compressed and is cut: %s',
    (_name, content) => {
      for (const level of [0, 1, 6, 9]) {
        for (const strategy of strategies) {
          const stream = deflateSync(content, { level, strategy, memLevel: level === 9 ? 1 : 8 });
          const followed = Buffer.concat([stream, Buffer.from('what follows')]);
          for (const pieceBytes of [1, 7, 65_536]) {
            const { size, head, end } = measure(followed, pieceBytes);
            expect(size).toBe(content.length);
            expect(end).toBe(stream.length);
            expect(Buffer.from(head.subarray(0, size))).toEqual(content.subarray(0, 20));
          }
        }
      }
    },
  );

  test('is what zlib finds, wherever a stream was damaged', async () => {
    const names = Object.entries(contents).filter(([name]) => name !== 'zeros');
    let accepted = 0;
    for (let round = 0; round < 6_000; round += 1) {
      const [, content] = names[round % names.length] ?? ['', Buffer.alloc(0)];
      const strategy = strategies[round % strategies.length] ?? 0;
      const raw = deflateRawSync(content.subarray(0, 40 + (round % 400)), { strategy });
      for (let change = 0; change < 1 + (round % 3); change += 1) {
        const at = Math.floor(Math.random() * Math.min(raw.length, change === 0 ? 60 : raw.length));
        raw[at] = (raw[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
      }
      const stream = Buffer.concat([Buffer.from([0x78, 0x9c]), raw, Buffer.alloc(4)]);
      const theirs = await inflatedBy(stream);
      if (theirs === undefined) continue;
      accepted += 1;
      expect(measure(Buffer.concat([stream, Buffer.alloc(8)]), 3)).toMatchObject(theirs);
    }
    expect(accepted).toBeGreaterThan(100);
  });
});

/** Inflates a stream without its checksum, by zlib; undefined if it is invalid. */
async function inflatedBy(stream: Buffer): Promise<{ size: number; end: number } | undefined> {
  const inflate = createInflateRaw();
  inflate.end(stream.subarray(2, -4));
  let size = 0;
  try {
    for await (const chunk of inflate) size += Buffer.from(chunk).length;
    return { size, end: 2 + inflate.bytesWritten + 4 };
  } catch {
    return undefined;
  }
}

const small: PackLimits = { objectBytes: 1_000, objects: 10, unpackedBytes: 5_000, unpackedBytesPerByte: 1 };
const blob = (size: number): PackEntry => ({ type: 'blob', content: Buffer.alloc(size) });
const grows = (from: number, by: number): DeltaEntry => ({
  base: 'a'.repeat(40),
  delta: growingDelta(from, Buffer.alloc(by)),
});

function judge(pack: Uint8Array, limits: PackLimits, pieceBytes = pack.length): void {
  const { push } = createPackJudge(limits);
  for (let at = 0; at < pack.length; at += pieceBytes) push(pack.subarray(at, at + pieceBytes));
}

describe('a pack', () => {
  test.each([
    ['with an object as large as may be', [blob(1_000)]],
    ['with a delta that becomes as large as may be', [grows(900, 100)]],
    ['of all kinds', [...(['commit', 'tree', 'tag'] as const).map((type) => ({ ...blob(10), type })), grows(5, 5)]],
    ['of nothing', []],
  ])('%s passes, however it is cut', (_name, entries) => {
    for (const pieceBytes of [1, 3, 10_000]) judge(packOf(entries), small, pieceBytes);
  });

  test.each([
    ['an object that is too large', packOf([blob(1_001)]), 'a file has 1,001 bytes; at most 1,000 are allowed'],
    ['a delta that becomes too large', packOf([grows(950, 51)]), 'a file has 1,001 bytes'],
    ['deltas that become too much', packOf(Array.from({ length: 4 }, () => grows(900, 90))), 'push fewer commits'],
    ['deltas that read too much', packOf(Array.from({ length: 5 }, () => shrinks(2_000))), 'push fewer commits'],
    ['too many objects', packOf([], 11), 'has 11 objects; at most 10 are allowed'],
    ['an object longer than it says', packOf([{ ...blob(600), size: 500 }]), 'longer than its declared size'],
    ['an object shorter than it says', packOf([{ ...blob(400), size: 500 }]), 'shorter than its declared size'],
    ['a size beyond all numbers', packOf([{ base: 'a'.repeat(40), delta: Buffer.alloc(20, 255) }]), 'an invalid size'],
    [
      'an object beyond all numbers',
      Buffer.concat([packOf([], 1).subarray(0, 12), Buffer.alloc(20, 0xbf)]),
      'an invalid size',
    ],
    ['a delta without sizes', packOf([{ base: 'a'.repeat(40), delta: Buffer.alloc(0) }]), 'a delta has no sizes'],
    ['no pack at all', Buffer.from('not a pack, but long enough'), 'it has no valid header'],
    ['an object that is not compressed', Buffer.concat([packOf([], 1).subarray(0, 12), Buffer.alloc(9, 0x3f)]), 'zlib'],
  ])('with %s is refused, with the reason, and for good', (_name, pack, reason) => {
    for (const pieceBytes of [1, 10_000]) expect(() => judge(pack, small, pieceBytes)).toThrow(reason);
    const { push } = createPackJudge(small);
    expect(() => push(pack)).toThrow(reason);
    expect(() => push(Buffer.alloc(1))).toThrow(reason);
  });

  test('shares what it becomes beyond its bytes with others of its origin, and is told when to come again', () => {
    let nowMs = 0;
    const of = createAllowances({ mostBytes: 4_000, bytesPerMinute: 1_000 }, () => new Date(nowMs));
    const limits: PackLimits = { ...small, allowance: of('one') };
    const large = packOf([blob(1_000), blob(1_000)]);
    judge(large, limits);
    judge(large, limits, 1);
    expect(() => judge(large, limits)).toThrow(/push again in \d+ s$/);
    judge(large, { ...small, allowance: of('other') });
    // What its own size allows is not taken from the allowance.
    judge(packOf([{ type: 'blob', content: randomBytes(900) }]), limits);
    nowMs = 2 * 60_000;
    judge(large, limits);
    const tooMuch = packOf(Array.from({ length: 5 }, () => blob(999)));
    expect(() => judge(tooMuch, { ...small, allowance: of('third') })).toThrow('push fewer commits');
  });

  test('is judged without being unpacked', () => {
    const { pack } = deltaBomb(packLimits.objectBytes - 1_000, 10);
    expect(pack.length).toBeLessThan(110_000);
    const { push } = createPackJudge();
    const before = process.memoryUsage().arrayBuffers;
    push(pack);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 ** 2);
  });
});

/** Creates a delta that makes one byte of many. */
function shrinks(from: number): DeltaEntry {
  const delta = growingDelta(from, Buffer.alloc(1));
  return { base: 'a'.repeat(40), delta: Buffer.concat([delta.subarray(0, 2), Buffer.from([1, 1, 0])]) };
}
