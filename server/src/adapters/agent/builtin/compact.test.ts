import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../sandbox/port.ts';
import type { AgentRecord } from '../port.ts';
import { openStage, runTurn, type Seat, type Stage } from './builtin-fixture.ts';

let stage: Stage;
let sandbox: Sandbox;

beforeAll(async () => {
  stage = await openStage();
  sandbox = await stage.sandbox();
});

afterAll(() => stage.close());

const contextTokens = 40_000;
/** Prints about 6,000 tokens. */
const print = (word: string) => `printf '${word} %.0s' {1..4000}`;

function start(records: AgentRecord[] = []): Promise<Seat> {
  return stage.seat(sandbox, {
    model: stage.agentModel('anthropic', { contextTokens }),
    records,
    state: { records: records.length },
  });
}

/** Returns the model's last input, as text. */
function lastRequest(): string {
  return JSON.stringify(stage.model.requests.at(-1)?.body['messages']);
}

const kindsOf = (seat: Seat) =>
  seat.records.map(({ type }) => type).filter((type) => type === 'shortened' || type === 'compacted');

test('old outputs are shortened when that is enough', async () => {
  const seat = await start();
  const steps = ['alpha', 'bravo', 'carol', 'delta', 'extra'].map((word) => ({ run: print(word) }));
  expect(await runTurn(seat, script(steps, { say: 'Read all.' }))).toMatchObject({ summary: 'Read all.' });
  expect(kindsOf(seat)).toContain('shortened');
  expect(kindsOf(seat)).not.toContain('compacted');
  expect(seat.of('warning')[0]).toMatchObject({ code: 'conversation_compacted' });
  expect(lastRequest()).toContain('characters left out');
  expect(lastRequest().length / 4).toBeLessThan(contextTokens);
  // The records are complete.
  const outputs = seat.records.filter(({ type }) => type === 'tool').map(({ output }) => String(output).length);
  expect(Math.min(...outputs)).toBeGreaterThan(20_000);
});

test('a long conversation is summarized, and goes on from the summary, also on another worker', async () => {
  const seat = await start();
  const first = `Remember the heron.\n${script([{ tokens: 6_000 }])}`;
  await runTurn(seat, first);
  for (let turn = 2; turn <= 4; turn += 1) await runTurn(seat, script([{ tokens: 6_000 }]), turn);
  expect(kindsOf(seat)).toEqual([]);
  const file = 'once.txt';
  const text = script([{ run: `echo once >> ${file}` }, { tokens: 4_000 }], { say: 'Never said.' });
  expect(await runTurn(seat, text, 5)).toMatchObject({
    stopReason: 'end_turn',
    summary: expect.stringMatching(/^w0 w1 /),
  });
  expect(kindsOf(seat)).toEqual(['compacted']);
  expect(seat.of('warning')).toMatchObject([
    { code: 'conversation_compacted', message: expect.stringContaining('summarized') },
  ]);
  const sent = lastRequest();
  expect(sent).toContain('Remember the heron.');
  expect(sent).toContain('Your own summary');
  expect(sent.length / 4).toBeLessThan(contextTokens / 2);
  expect(seat.records.filter(({ type }) => type === 'turn')).toHaveLength(5);
  expect(String(await sandbox.readFile(`${sandbox.workspace}/${file}`))).toBe('once\n');

  const at = seat.records.findIndex(({ type }) => type === 'compacted');
  const other = await start(seat.records.slice(0, at + 1));
  expect(await runTurn(other, text, 5)).toMatchObject({ stopReason: 'end_turn' });
  expect(kindsOf(other)).toEqual(['compacted']);
  // The command ran again, which may have taken longer.
  const withoutTimes = (request: string) => request.replaceAll(/, \d+\.\d s\]/g, ']');
  expect(withoutTimes(lastRequest())).toBe(withoutTimes(sent));
});

test('a conversation that the provider finds too long is shortened once and sent again', async () => {
  const seat = await start();
  const fault = { status: 413 };
  const text = script([{ run: print('alpha') }, { run: print('bravo') }, { say: 'Fits now.', fault }]);
  expect(await runTurn(seat, text)).toMatchObject({ stopReason: 'end_turn', summary: 'Fits now.' });
  expect(seat.of('warning').map(({ code }) => code)).toEqual(['conversation_compacted']);
  const failing = await start();
  const always = script([
    { run: print('alpha') },
    { run: print('bravo') },
    { say: 'x', fault: { ...fault, times: 99 } },
  ]);
  const result = await runTurn(failing, always);
  expect(result).toMatchObject({ stopReason: 'error', error: { code: 'model_error' } });
  expect(result.error?.message).toContain('413');
});
