import { expect, test } from 'vitest';
import { OutputQueue } from './queue.ts';

const piece = (size: number, value = 0) => new Uint8Array(size).fill(value);

test('output is taken in order, some of it at a time', () => {
  const queue = new OutputQueue();
  for (let value = 0; value < 20; value += 1) queue.add(piece(10_000, value));
  const first = queue.take();
  expect([first.bytes.length, first.bytes[0], first.bytes.at(-1), first.skipped]).toEqual([130_000, 0, 12, 0]);
  expect(queue.isEmpty).toBe(false);
  expect(queue.take().bytes.length).toBe(70_000);
  expect(queue.isEmpty).toBe(true);
});

test('a page that does not keep up skips the oldest output, and keeps a bounded rest', () => {
  const queue = new OutputQueue();
  for (let at = 0; at < 1_600; at += 1) queue.add(piece(65_536, at % 256));
  let kept = 0;
  let skipped = 0;
  while (!queue.isEmpty) {
    const part = queue.take();
    kept += part.bytes.length;
    skipped += part.skipped;
  }
  expect(kept).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(kept + skipped).toBe(1_600 * 65_536);
});
