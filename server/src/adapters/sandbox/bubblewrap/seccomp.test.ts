import { describe, expect, test } from 'vitest';
import { buildSeccompFilter, hasSeccompTable } from './seccomp.ts';

const allowed = 0x7fff0000;
const refused = 0x00050001;
const missing = 0x00050026;
const outOfMemory = 0x0005000c;
const unsupportedFamily = 0x00050061;
const killed = 0x80000000;

/** Runs a filter on one system call as the kernel does (linux/filter.h): loads, jumps on equal and greater, returns. */
function judge(filter: Buffer, call: { architecture: number; number: number; arguments?: number[] }): number {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(call.number, 0);
  data.writeUInt32LE(call.architecture, 4);
  for (const [index, value] of (call.arguments ?? []).entries()) data.writeBigUInt64LE(BigInt(value), 16 + index * 8);
  let accumulator = 0;
  for (let at = 0; at < filter.length / 8; at += 1) {
    const code = filter.readUInt16LE(at * 8);
    const value = filter.readUInt32LE(at * 8 + 4);
    if (code === 0x20) accumulator = data.readUInt32LE(value);
    else if (code === 0x06) return value;
    else {
      const holds = code === 0x15 ? accumulator === value : accumulator >= value;
      at += filter.readUInt8(at * 8 + (holds ? 2 : 3));
    }
  }
  throw new Error('the filter ended without an answer');
}

describe.each([
  {
    name: 'x64',
    memfd: 319,
    shmget: 29,
    architecture: 0xc000003e,
    socket: 41,
    mount: 165,
    ptrace: 101,
    read: 0,
    lastRefused: 323,
    clone: 56,
  },
  {
    name: 'arm64',
    memfd: 279,
    shmget: 194,
    architecture: 0xc00000b7,
    socket: 198,
    mount: 40,
    ptrace: 117,
    read: 63,
    lastRefused: 294,
    clone: 220,
  },
])(
  'seccomp filter for $name',
  ({ name, architecture, socket, mount, ptrace, read, lastRefused, clone, memfd, shmget }) => {
    const filter = buildSeccompFilter(name, { countsMemory: true });
    const answer = (number: number, ...given: number[]) => judge(filter, { architecture, number, arguments: given });

    test('ordinary calls pass', () => {
      for (const number of [read, clone, 424, 434, 435, 439, 441]) expect(answer(number), String(number)).toBe(allowed);
    });

    test('calls that reach the kernel or other processes are refused', () => {
      for (const number of [mount, ptrace, lastRefused, 428, 429, 430, 433, 438, 442]) {
        expect(answer(number), String(number)).toBe(refused);
      }
      for (const number of [425, 426, 427]) expect(answer(number), String(number)).toBe(missing);
    });

    test('only unix, IP and route netlink sockets open', () => {
      for (const family of [1, 2, 10]) expect(answer(socket, family, 1, 0), String(family)).toBe(allowed);
      expect(answer(socket, 16, 3, 0)).toBe(allowed);
      for (const protocol of [4, 9, 15])
        expect(answer(socket, 16, 3, protocol), String(protocol)).toBe(unsupportedFamily);
      for (const family of [17, 29, 38, 40, 44])
        expect(answer(socket, family, 1, 0), String(family)).toBe(unsupportedFamily);
    });

    test('memory that belongs to no process is refused where nothing else counts it', () => {
      const strict = buildSeccompFilter(name, { countsMemory: false });
      for (const number of [memfd, 447]) {
        expect(answer(number)).toBe(allowed);
        expect(judge(strict, { architecture, number })).toBe(missing);
      }
      const segment = (bytes: number) => judge(strict, { architecture, number: shmget, arguments: [0, bytes] });
      expect([segment(56), segment(65_536), segment(65_537), segment(2 ** 32)]).toEqual([
        allowed,
        allowed,
        outOfMemory,
        outOfMemory,
      ]);
      expect(answer(shmget, 0, 2 ** 32)).toBe(allowed);
    });

    test('programs of another architecture are ended', () => {
      expect(judge(filter, { architecture: 0x40000003, number: read })).toBe(killed);
    });
  },
);

test('the x32 numbers do not lead around the filter', () => {
  expect(
    judge(buildSeccompFilter('x64', { countsMemory: true }), { architecture: 0xc000003e, number: 0x40000000 + 165 }),
  ).toBe(missing);
});

test('an architecture without a table is refused', () => {
  expect(hasSeccompTable('riscv64')).toBe(false);
  expect(() => buildSeccompFilter('riscv64', { countsMemory: true })).toThrow(/riscv64/);
});
