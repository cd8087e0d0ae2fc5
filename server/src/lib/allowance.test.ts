import { expect, test } from 'vitest';
import { createAllowances } from './allowance.ts';

test('so much may be taken at once, comes back with time and not beyond, and each key has its own', () => {
  let nowMs = 0;
  const of = createAllowances({ mostBytes: 100, bytesPerMinute: 60 }, () => new Date(nowMs));
  expect(of('a').take(70)).toEqual({ secondsToWait: 0 });
  expect(of('a').take(40)).toEqual({ secondsToWait: 10 });
  expect(of('b').take(100)).toEqual({ secondsToWait: 0 });
  nowMs = 9_000;
  expect(of('a').take(40)).toEqual({ secondsToWait: 1 });
  nowMs = 10_000;
  expect(of('a').take(40)).toEqual({ secondsToWait: 0 });
  nowMs = 1_000_000;
  expect(of('a').take(101)).toEqual({ secondsToWait: 1 });
  expect(of('a').take(100)).toEqual({ secondsToWait: 0 });
});

test('keys that lack nothing are forgotten, and no other', () => {
  let nowMs = 0;
  const of = createAllowances({ mostBytes: 100, bytesPerMinute: 60 }, () => new Date(nowMs));
  of('spent').take(100);
  for (let key = 0; key < 2_000; key += 1) {
    nowMs += 10;
    of(`key ${key}`).take(0);
  }
  expect(of('spent').take(100)).toEqual({ secondsToWait: 80 });
});
