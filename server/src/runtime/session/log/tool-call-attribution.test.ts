import { describe, expect, test } from 'vitest';
import { ToolCallAttribution } from './tool-call-attribution.ts';

describe('what is behind a change', () => {
  test('is the call that says it wrote the file, the last of several', () => {
    const calls = new ToolCallAttribution();
    for (const [id, file] of Object.entries({ one: 'a', two: 'b', three: 'a' })) {
      calls.begin(id);
      calls.end(id, [file]);
    }
    const explain = calls.take()();
    expect(['a', 'b', 'c'].map(explain)).toEqual(['three', 'two', '']);
    // A checkpoint includes them, so later changes of these files have another cause.
    expect(['a', 'b'].map(calls.take()())).toEqual(['', '']);
  });

  test('is the one call that may have changed anything, while it runs and when it has ended', () => {
    const calls = new ToolCallAttribution();
    calls.begin('shell');
    expect(calls.take()()('x')).toBe('shell');
    calls.end('shell', undefined);
    expect(calls.take()()('x')).toBe('shell');
    expect(calls.take()()('x')).toBe('');
  });

  test('is nobody where two calls may have done it, and never a call that changed nothing', () => {
    const calls = new ToolCallAttribution();
    for (const id of ['one', 'two']) {
      calls.begin(id);
      calls.end(id, undefined);
    }
    expect(calls.take()()('x')).toBe('');
    calls.begin('failed');
    calls.end('failed', []);
    expect(calls.take()()('x')).toBe('');
  });

  test('is known for the next checkpoint when it comes while one is taken', () => {
    const calls = new ToolCallAttribution();
    const explaining = calls.take();
    calls.begin('edit');
    calls.end('edit', ['a']);
    explaining();
    expect(calls.take()()('a')).toBe('edit');
  });
});
