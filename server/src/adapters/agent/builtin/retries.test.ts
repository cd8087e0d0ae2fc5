import { randomUUID } from 'node:crypto';
import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelKinds } from '../../../lib/models.ts';
import type { Sandbox } from '../../sandbox/port.ts';
import { openStage, runTurn, type Stage } from './builtin-fixture.ts';

let stage: Stage;
let sandbox: Sandbox;

beforeAll(async () => {
  stage = await openStage({ modelIdleTimeoutMs: 300 });
  sandbox = await stage.sandbox();
});

afterAll(() => stage.close());

const passing = [
  ['429', { status: 429 }, 'answered 429 (rate limited)'],
  ['408', { status: 408 }, 'answered 408 (timeout)'],
  ['500', { status: 500 }, 'answered 500 (internal error)'],
  ['529', { status: 529 }, 'answered 529 (overloaded)'],
  ['a cut stream', { cut: 2 }, 'ended its answer early'],
  ['nonsense', { nonsense: true }, 'makes no sense'],
  ['nothing', { empty: true }, 'gave an empty answer'],
  ['silence', { hang: true }, 'answered 504 (gateway timeout)'],
] as const;

describe.each(modelKinds)('a model of %s', (provider) => {
  test.each(passing)('that answers %s is asked again, and a person is told', async (_name, fault, words) => {
    const seat = await stage.seat(sandbox, { model: stage.agentModel(provider) });
    const file = `${randomUUID()}.txt`;
    const text = script([{ run: `echo once >> ${file}` }, { say: 'All is well now.', fault: { ...fault, times: 2 } }]);
    expect(await runTurn(seat, text)).toEqual({ stopReason: 'end_turn', summary: 'All is well now.' });
    expect(String(await sandbox.readFile(`${sandbox.workspace}/${file}`))).toBe('once\n');
    const warnings = seat.of('warning');
    expect(warnings.map(({ code }) => code)).toEqual(['model_retry', 'model_retry']);
    expect(warnings[0]?.message).toMatch(/^The model .+\. Trying again in [\d.]+ s \(2 of 6\)\.$/);
    expect(warnings[1]?.message).toContain('(3 of 6)');
    if (!(words.startsWith('makes') || words.startsWith('cut'))) expect(warnings[0]?.message).toContain(words);
    // Nothing of an interrupted answer is kept, and everything that was shown is ended.
    expect(seat.records.map(({ type }) => type)).toEqual(['turn', 'assistant', 'tool', 'assistant']);
    const ended = new Set(seat.of('message').flatMap(({ messageId, done }) => (done ? [messageId] : [])));
    expect(seat.of('message').every(({ messageId }) => ended.has(messageId))).toBe(true);
  });
});

test('a person is told how long it takes when the provider says so', async () => {
  const seat = await stage.seat(sandbox);
  const text = script([{ say: 'Done.', fault: { status: 429, retry_after: 0.2 } }]);
  expect(await runTurn(seat, text)).toMatchObject({ stopReason: 'end_turn' });
  expect(seat.of('warning')[0]?.message).toBe('The model answered 429 (rate limited). Trying again in 0.2 s (2 of 6).');
});

test('when every try fails the turn ends with the reason', async () => {
  const seat = await stage.seat(sandbox);
  const result = await runTurn(seat, script([{ say: 'x', fault: { status: 503, times: 100 } }]));
  expect(result).toMatchObject({ stopReason: 'error', summary: '', error: { code: 'model_error' } });
  expect(result.error?.message).toMatch(
    /anthropic\/claude-sonnet-5 answered 503 \(unavailable\).*All 6 attempts failed\./,
  );
  expect(seat.of('warning')).toHaveLength(5);
});

test.each([
  [400, 'answered 400 (invalid request)'],
  [401, 'answered 401 (not authorized): The provider anthropic rejected the configured API key. Ask'],
  [403, 'answered 403 (forbidden): The provider anthropic rejected the configured API key. Ask'],
  [404, 'answered 404 (not found)'],
])('status %i is not tried again', async (status, words) => {
  const seat = await stage.seat(sandbox);
  const result = await runTurn(seat, script([{ say: 'x', fault: { status, times: 100 } }]));
  expect(result).toMatchObject({ stopReason: 'error', error: { code: 'model_error' } });
  expect(result.error?.message).toContain('anthropic/claude-sonnet-5');
  expect(result.error?.message).toContain(words);
  expect(new Set(result.error?.message.match(/\b[1-5]\d\d\b/g))).toEqual(new Set([String(status)]));
  expect(seat.of('warning')).toEqual([]);
});

test('an answer without an end is cut, and not asked for again', async () => {
  const seat = await stage.seat(sandbox);
  const calls = ['a', 'b', 'c', 'd', 'e'].map((path) => ({ write: { path, content: path.repeat(1_900_000) } }));
  const result = await runTurn(seat, script([{ parallel: calls }, { say: 'Done.' }]));
  expect(result.error?.message).toBe('The model anthropic/claude-sonnet-5 did not end its answer.');
  expect(seat.of('warning')).toEqual([]);
  expect(seat.of('tool_call')).toEqual([]);
});

test('a gateway that cannot be reached is a model that cannot be reached', async () => {
  const seat = await stage.seat(sandbox, {
    model: stage.agentModel('anthropic', { url: 'http://127.0.0.1:9/model/anthropic' }),
  });
  const result = await runTurn(seat, 'x');
  expect(result.error?.message).toContain('could not be reached');
  expect(seat.of('warning')).toHaveLength(5);
});

test.each([
  ['budget', 'The budget is used up.'],
  ['lease', 'Another worker has the session.'],
] as const)('refused by the gateway for the %s, it waits for its worker to end the turn', async (reason, message) => {
  const refusing = await openStage({ permit: { allowed: false, reason, message } });
  try {
    const seat = await refusing.seat(await refusing.sandbox());
    const abort = new AbortController();
    const turn = seat.agent.prompt({ turn: 1, text: script([{ say: 'x' }]), signal: abort.signal });
    await expect.poll(() => refusing.world.calls.length, { timeout: 5_000 }).toBe(1);
    abort.abort();
    expect(await turn).toEqual({ stopReason: 'canceled', summary: '' });
    expect(seat.of('warning')).toEqual([]);
    expect(refusing.world.calls).toHaveLength(1);
  } finally {
    await refusing.close();
  }
});
