import { array, assert, asyncProperty, integer, nat } from 'fast-check';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { encodePkt, flushPkt } from '../../git/pkt-line.ts';
import { PushGate, type PushDecision } from './push-gate.ts';

const line = `${'0'.repeat(40)} ${'1'.repeat(40)} refs/heads/x\0report-status`;
const body = Buffer.concat([encodePkt(`shallow ${'2'.repeat(40)}\n`), encodePkt(line), flushPkt, Buffer.alloc(500, 7)]);

function cut(bytes: Buffer, positions: readonly number[]): Buffer[] {
  const sorted = [0, ...positions.map((position) => position % bytes.length), bytes.length].sort((a, b) => a - b);
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end));
}

function run(chunks: readonly Buffer[], decision: PushDecision, complete: () => Promise<void>) {
  const seen: string[][] = [];
  const gate = new PushGate({
    async decide({ commands }) {
      seen.push(commands.map(({ ref }) => ref));
      return decision;
    },
    complete,
  });
  const source = Readable.from(chunks, { objectMode: false });
  source.on('error', () => {});
  return { seen, output: buffer(source.pipe(gate)) };
}

test('however a push is cut, it is decided on once and arrives as it was', async () => {
  await assert(
    asyncProperty(array(nat(10_000), { maxLength: 20 }), async (positions) => {
      const { seen, output } = run(cut(body, positions), 'pass', () => Promise.resolve());
      expect((await output).equals(body)).toBe(true);
      expect(seen).toEqual([['refs/heads/x']]);
    }),
  );
});

test('nothing of a discarded push arrives', async () => {
  await assert(
    asyncProperty(array(nat(10_000), { maxLength: 20 }), async (positions) => {
      const { output } = run(cut(body, positions), 'discard', () => Promise.reject(new Error('not asked')));
      expect(await output).toHaveLength(0);
    }),
  );
});

test('a push that may not be completed never arrives whole', async () => {
  await assert(
    asyncProperty(array(integer({ min: 1, max: 10_000 }), { maxLength: 20 }), async (positions) => {
      const gate = new PushGate({
        decide: () => Promise.resolve('pass'),
        complete: () => Promise.reject(new Error('lease lost')),
      });
      let arrived = 0;
      gate.on('data', (chunk: Buffer) => (arrived += chunk.length));
      const failed = new Promise<Error>((resolve) => gate.once('error', resolve));
      Readable.from(cut(body, positions), { objectMode: false }).pipe(gate);
      expect((await failed).message).toBe('lease lost');
      expect(arrived).toBeLessThan(body.length);
    }),
  );
});
