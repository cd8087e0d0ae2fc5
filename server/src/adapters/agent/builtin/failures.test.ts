import { describe, expect, test } from 'vitest';
import { classifyFailure, formatFailure } from './failures.ts';

function answered(statusCode: number, message: string, responseHeaders: Record<string, string> = {}): Error {
  return Object.assign(new Error(message), { name: 'AI_APICallError', statusCode, responseHeaders });
}

describe('how long a provider wants us to wait', () => {
  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [{ 'Retry-After': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
    [{ 'retry-after': '3600' }, 60_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
  ])('%j', (headers, afterMs) => {
    expect(classifyFailure(answered(429, 'slow down', headers), [])).toMatchObject({ kind: 'retry' });
    expect(classifyFailure(answered(429, 'slow down', headers), []).afterMs).toBe(afterMs);
  });
});

describe('what is tried again', () => {
  test.each([408, 409, 425, 429, 500, 502, 503, 504, 529])('%i is', (status) => {
    expect(classifyFailure(answered(status, ''), []).kind).toBe('retry');
    expect(classifyFailure(answered(status, '', { 'x-should-retry': 'false' }), []).kind).toBe('fatal');
  });

  test.each([400, 401, 402, 403, 404, 410, 422])('%i is not', (status) => {
    expect(classifyFailure(answered(status, 'no'), []).kind).toBe('fatal');
  });

  test.each([402, 409])('%i of the gateway itself ends the turn', (status) => {
    expect(classifyFailure(answered(status, 'no', { 'x-guildhall-refused': 'budget' }), []).kind).toBe('gateway');
  });

  test.each([
    [{ type: 'overloaded_error', message: 'Overloaded' }, 'retry'],
    [{ type: 'server_error', message: 'An error occurred' }, 'retry'],
    [{ type: 'invalid_request_error', message: 'No' }, 'fatal'],
    [{ code: 'insufficient_quota', message: 'Pay' }, 'fatal'],
    [{ code: 'context_length_exceeded', message: 'Too long' }, 'context'],
  ])('inside a stream: %j', (error, kind) => {
    expect(classifyFailure(Object.assign(new Error(error.message), error), []).kind).toBe(kind);
  });
});

test.each([
  [413, 'Request too large'],
  [400, 'prompt is too long: 213462 tokens > 200000 maximum'],
  [400, "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens."],
  [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
  [400, 'the request exceeds the available context size. try increasing the context size or enable context shift'],
])('a conversation that is too long is told by %i %s', (status, message) => {
  expect(classifyFailure(answered(status, message), []).kind).toBe('context');
});

describe('what a person reads', () => {
  test('has no secret in it', () => {
    const said = `Incorrect API key provided: sk-proj-abcdefghijklmnop. Header Bearer abc.def-ghi_jkl at https://user:pw@host/x?key=1, door-secret-0123456789, AIzaSyA1234567890abcdefghijk`;
    const { providerMessage: shown } = classifyFailure(answered(400, said), ['door-secret-0123456789']);
    expect(shown).toBe(
      'Incorrect API key provided: [redacted]. Header Bearer [redacted] at [address], [redacted], [redacted]',
    );
  });

  test('is one bounded paragraph that names the model', () => {
    const failure = classifyFailure(answered(400, `first\n\n  second ${'x'.repeat(5_000)}`), []);
    const sentence = formatFailure('openai/gpt-5', failure);
    expect(sentence).toMatch(/^The model openai\/gpt-5 answered 400 \(invalid request\): first second x+…$/);
    expect(sentence.length).toBeLessThan(600);
  });
});
