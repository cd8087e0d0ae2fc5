import { expect, test } from 'vitest';
import { nearEnd, pinnedAfter, type PinInput } from './pinned.ts';

const moved = (by: number, toEnd: number, isAttached = true): PinInput => ({ kind: 'moved', by, toEnd, isAttached });
const after = (start: boolean, ...inputs: PinInput[]): boolean => inputs.reduce(pinnedAfter, start);

test('growth of a followed log keeps it followed, however far behind a frame is', () => {
  expect(after(true, moved(0, 4_000), moved(300, 900))).toBe(true);
});

test('the first movement upwards ends it, also by a scrollbar, and arriving at the end begins it', () => {
  expect(after(true, { kind: 'away' })).toBe(false);
  expect(after(true, moved(-500, 500))).toBe(false);
  expect(after(false, moved(200, nearEnd + 1))).toBe(false);
  expect(after(false, moved(200, nearEnd))).toBe(true);
});

test('a small step upwards is no reason to be pulled back', () => {
  expect(after(true, { kind: 'away' }, moved(-30, 30), moved(0, 30))).toBe(false);
});

test('content that shrinks under a followed end does not end it', () => {
  expect(after(true, moved(-200, 0))).toBe(true);
});

test('a window without the newest event is never followed', () => {
  expect(after(false, moved(500, 0, false))).toBe(false);
  expect(after(true, moved(500, 0, false))).toBe(false);
});

test('asking for the end follows it', () => {
  expect(after(false, { kind: 'end' })).toBe(true);
});
