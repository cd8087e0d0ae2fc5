import { growingDelta, packOf } from '../../src/git/pack/pack-fixture.ts';
import { createPackJudge } from '../../src/git/pack/judge.ts';
import { createPushReader } from '../../src/git/pkt-line.ts';
import { setImmediate as turn } from 'node:timers/promises';
import { accepted } from './client.ts';
import type { GatewayWorld } from './gateway-world.ts';
import type { RouteWorld } from './routes.ts';
import { kib, mib, repeated, shared } from './sizes.ts';
import type { HostileCase } from './stand-still.ts';

const zero = '0'.repeat(40);
const pkt = (line: string): string => (line.length + 4).toString(16).padStart(4, '0') + line;

/** Returns the head of a push: the command for each of these refs. */
function commands(refs: readonly string[]): Buffer {
  const lines = refs.map((ref, at) =>
    pkt(`${zero} ${'1'.repeat(40)} ${ref}${at === 0 ? '\0report-status side-band-64k' : ''}\n`),
  );
  return shared(`${lines.join('')}0000`);
}

const refs = (count: number, ref: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => ref(at));
const few = commands(refs(1_000, (at) => `refs/heads/${'x'.repeat(3_800)}${at}`));

/** The largest data that a client may send before its pack. */
const heads: Readonly<Record<string, Buffer>> = {
  '4 MiB: 38,000 refs': commands(refs(38_000, (at) => `refs/heads/${at}`)),
  '4 MiB: 40,000 times one ref': commands(refs(40_000, () => 'refs/heads/work')),
  '4 MiB: lines of another kind': shared(`${pkt('shallow ').repeat(349_000)}0000`),
  '4 MiB: a certificate of blank lines': shared(`${pkt('push-cert\0')}${pkt(repeated('\n', 65_000)).repeat(64)}0000`),
  '4 MiB: 60 refs of 64 KB': commands(refs(60, (at) => `refs/heads/${'y'.repeat(65_000)}${at}`)),
};

async function inPieces(bytes: Buffer, take: (piece: Buffer) => unknown): Promise<void> {
  for (let at = 0; at < bytes.length; at += 64 * kib) {
    take(bytes.subarray(at, at + 64 * kib));
    await turn();
  }
}

function judged(pack: Buffer): Promise<void> {
  const judge = createPackJudge();
  return inPieces(pack, (piece) => judge.push(piece));
}

/** Cases for pushes to the built-in host. */
export function pushCases({ api, client }: RouteWorld): HostileCase[] {
  const url = `${api.url}/git/default/acme/stock.git/git-receive-pack`;
  const headers = {
    authorization: `Basic ${Buffer.from(`x:${api.adminKey}`).toString('base64')}`,
    'content-type': 'application/x-git-receive-pack-request',
  };
  // Git's own processing is not measured here.
  const push = (body: Buffer) => client.send({ method: 'POST', url, headers, body });
  const plain = packOf([{ type: 'blob', content: Buffer.alloc(100 * kib, 'x') }]);
  const tiny = packOf(refs(40_000, String).map((text) => ({ type: 'blob', content: Buffer.from(text) })));
  const deltas = packOf(
    refs(20_000, String).map(() => ({ base: 'a'.repeat(40), delta: growingDelta(1, Buffer.alloc(1)) })),
  );
  const withPack = (pack: Buffer): Buffer => shared(Buffer.concat([commands(['refs/heads/a']), pack]));
  const [plainPush, tinyPush] = [withPack(plain), withPack(tiny)];
  return [
    ...Object.entries(heads).map(([input, head]): HostileCase => ({
      path: 'POST /git/…/git-receive-pack',
      input,
      harmless: () => push(few),
      hostile: () => push(head),
    })),
    {
      path: 'POST /git/…/git-receive-pack',
      input: 'a pack of 40,000 objects',
      harmless: () => push(plainPush),
      hostile: () => push(tinyPush),
    },
    {
      path: "a push's commands",
      input: '38,000 refs',
      harmless: () => readCommands(few),
      hostile: () => readCommands(heads['4 MiB: 38,000 refs'] ?? few),
    },
    {
      path: "a push's pack",
      input: '20,000 deltas; blocks with codes of their own',
      harmless: () => judged(plain),
      hostile: async () => {
        await judged(deltas);
        await judged(manyBlocks).catch(() => undefined);
      },
    },
  ];
}

function readCommands(list: Buffer): Promise<void> {
  const reader = createPushReader();
  return inPieces(list, (piece) => reader.push(piece));
}

/** An object whose compressed data has new codes every few bytes (RFC 1951, 3.2.7). */
const manyBlocks = Buffer.concat([
  Buffer.from('PACK\0\0\0\u0002\0\0\0\u0001', 'latin1'),
  Buffer.from([0xbf, 0xff, 0xff, 0x03, 0x78, 0x9c]),
  blocks(256 * kib),
]);

/**
 * Returns empty blocks, none of them the last: 257 literal codes, of which the end of the block and one other have a
 * bit.
 */
function blocks(size: number): Buffer {
  const bits: number[] = [];
  const add = (value: number, count: number): void => {
    for (let at = 0; at < count; at += 1) bits.push((value >> at) & 1);
  };
  const block = (): void => {
    add(0, 1);
    add(2, 2);
    add(0, 5);
    add(0, 5);
    add(14, 4);
    // The lengths of the code length codes, in the order 16 17 18 0 … 1: 18 and 1 have one bit.
    for (let at = 0; at < 18; at += 1) add(at === 2 || at === 17 ? 1 : 0, 3);
    // Code 0 is the length 1, code 1 repeats 11 to 138 zeros: 1 at 0, zeros up to 256, 1 there, and 1 for the only
    // distance.
    add(0, 1);
    add(1, 1);
    add(127, 7);
    add(1, 1);
    add(106, 7);
    add(0, 1);
    add(0, 1);
    // Symbol 256 is the second code.
    add(1, 1);
  };
  // Eight blocks end on a byte boundary.
  for (let count = 0; count < 8; count += 1) block();
  const bytes = Buffer.alloc(bits.length / 8);
  for (const [at, bit] of bits.entries()) bytes[at >> 3] = (bytes[at >> 3] ?? 0) | (bit << (at & 7));
  return Buffer.alloc(size, bytes);
}

/** A git host's reports on a push behind the gateway, by the name of its repository. */
export const pushReports: Readonly<Record<string, Buffer>> = {
  plain: Buffer.from(`${pkt(`\u0001${pkt('unpack ok\n')}${pkt('ok refs/heads/work\n')}0000`)}0000`),
  tiny: Buffer.from(repeated('0005\u0001', 250 * kib)),
  names: Buffer.from(repeated(pkt(`\u0001${pkt('ok r\n')}`), 250 * kib)),
  options: Buffer.from(repeated(pkt(`\u0001${repeated(pkt('o'), 60_000)}`), 250 * kib)),
};

/** Cases for pushes of a sandbox through the gateway, and for the host's responses. */
export function gatewayPushCases({ world, client }: GatewayWorld): HostileCase[] {
  const push = (repo: string, body: Buffer) => {
    const url = `${world.inside}/git/github/acme/${repo}.git/git-receive-pack`;
    return client.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
      body,
    });
  };
  const own = commands(['refs/heads/work']);
  const [letters, packets] = [shared(Buffer.alloc(4 * mib, 'x')), shared(repeated('0004', 4 * mib))];
  return [
    ...Object.entries(heads).map(([input, head]): HostileCase => ({
      path: 'gateway /git, a push',
      input,
      harmless: () => push('plain', few),
      hostile: () => push('plain', head),
    })),
    ...Object.keys(pushReports).map((repo): HostileCase => ({
      path: 'gateway /git, the answer to a push',
      input: `250 KiB: ${repo}`,
      harmless: () => accepted(push('plain', own)),
      hostile: () => accepted(push(repo, own)),
    })),
    {
      path: 'gateway /git, a fetch',
      input: '4 MiB of tiny packets',
      harmless: () => fetchFrom(letters),
      hostile: () => fetchFrom(packets),
    },
  ];
  function fetchFrom(body: Buffer): Promise<number> {
    const url = `${world.inside}/git/github/acme/plain.git/git-upload-pack`;
    return client.send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-git-upload-pack-request' },
      body,
    });
  }
}
