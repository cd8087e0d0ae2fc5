import { assert, integer, property, string, uint8Array } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanText, cutText, maxCommandEventBytes, maxEventBytes, OutputEvents, Tail, tailText } from './output.ts';

describe('cutText', () => {
  test('loses nothing, and no piece is too long or ends inside a character', () => {
    assert(
      property(string({ unit: 'binary' }), integer({ min: 4, max: 20 }), (text, maxBytes) => {
        const pieces = cutText(text, maxBytes);
        expect(pieces.join('')).toBe(text);
        for (const piece of pieces) expect(Buffer.byteLength(piece)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });
});

describe('cleanText', () => {
  test('replaces what no event may hold', () => {
    expect(cleanText('a\0b\uD800c')).toBe('a\uFFFDb\uFFFDc');
  });
});

describe('tailText', () => {
  test('is the end of any bytes, clean and short enough', () => {
    assert(
      property(uint8Array({ maxLength: 200 }), integer({ min: 4, max: 60 }), (bytes, maxBytes) => {
        const tail = tailText(Buffer.from(bytes), maxBytes);
        expect(Buffer.byteLength(tail)).toBeLessThanOrEqual(maxBytes);
        expect(tail).not.toContain('\0');
        expect(tail.isWellFormed()).toBe(true);
      }),
    );
  });

  test('begins with a whole character', () => {
    expect(tailText(Buffer.from('aé€😀'), 5)).toBe('😀');
    expect(tailText(Buffer.from('aé€😀'), 7)).toBe('€😀');
    expect(tailText(Buffer.from('short'), 100)).toBe('short');
  });
});

describe('Tail', () => {
  test('keeps the last bytes of many chunks', () => {
    const tail = new Tail(10);
    for (let index = 0; index < 50_000; index += 1) tail.push(Buffer.from(String(index)));
    expect(tail.bytes().toString()).toBe('4999849999');
  });
});

describe('OutputEvents', () => {
  test('puts a character together that chunks cut, for each stream on its own', () => {
    const events = new OutputEvents();
    const [first, second] = [Buffer.from('€').subarray(0, 1), Buffer.from('€').subarray(1)];
    expect(events.bytes('stdout', first)).toEqual([]);
    expect(events.bytes('stderr', Buffer.from('x'))).toEqual(['x']);
    expect(events.bytes('stdout', second)).toEqual(['€']);
    events.bytes('stderr', first);
    expect(events.end()).toEqual([
      { stream: 'stdout', texts: [] },
      { stream: 'stderr', texts: ['\uFFFD'] },
    ]);
  });

  test('makes events of at most 16 KiB, and of one command at most 256 KiB', () => {
    const events = new OutputEvents();
    const texts = Array.from({ length: 40 }, () => events.text('é'.repeat(10_000))).flat();
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(maxEventBytes);
    expect(Buffer.byteLength(texts.join(''))).toBe(maxCommandEventBytes);
    expect(events.exceeded).toBe(true);
    expect(events.text('more')).toEqual([]);
  });
});
