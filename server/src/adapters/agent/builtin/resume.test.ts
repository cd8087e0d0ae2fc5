import { script } from '@guildhall/scripted-model';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AgentRecord } from '../port.ts';
import { openStage, runTurn, type Seat, type Stage } from './builtin-fixture.ts';

let stage: Stage;

beforeAll(async () => {
  stage = await openStage();
});

afterAll(() => stage.close());

/** Returns the first `count` records, as another worker reads them. */
function upTo(seat: Seat, count: number): AgentRecord[] {
  return JSON.parse(JSON.stringify(seat.records.slice(0, count)));
}

const steps = [
  { run: 'echo 1 >> file.txt' },
  { write: { path: 'two.txt', content: '2' } },
  { run: 'echo 3 >> file.txt' },
];

test('killed after any record, it goes on from there and repeats no finished call', async () => {
  const text = script(steps, { say: 'All three.' });
  const sandbox = await stage.sandbox();
  const whole = await stage.seat(sandbox);
  await runTurn(whole, text);
  const total = whole.records.length;
  expect(whole.records.map(({ type }) => type)).toEqual([
    'turn',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
  ]);
  for (let count = 0; count <= total; count += 1) {
    const seat = await stage.seat(sandbox, { records: upTo(whole, count), state: { records: count } });
    expect(await runTurn(seat, text)).toEqual({ stopReason: 'end_turn', summary: 'All three.' });
    expect(seat.records.filter(({ type }) => type === 'turn')).toHaveLength(1);
    const results = seat.records.filter(({ type }) => type === 'tool');
    expect(results).toHaveLength(3);
    const isPending = whole.records[count - 1]?.type === 'assistant' && count < total;
    // The effect of a running call is unknown, so it is never repeated automatically.
    expect(seat.of('tool_result').map(({ ok }) => ok)[0]).toBe(
      results.length === whole.records.slice(0, count).filter(({ type }) => type === 'tool').length
        ? undefined
        : !isPending,
    );
    await seat.agent.close();
  }
}, 60_000);

test('a call that only looks is done again', async () => {
  const sandbox = await stage.sandbox();
  await sandbox.writeFile(`${sandbox.workspace}/a.txt`, 'content\n');
  const text = script([{ read: 'a.txt' }]);
  const first = await stage.seat(sandbox);
  await runTurn(first, text);
  const seat = await stage.seat(sandbox, { records: upTo(first, 2) });
  expect(await runTurn(seat, text)).toMatchObject({ stopReason: 'end_turn' });
  expect(seat.of('tool_result')).toMatchObject([{ ok: true, output: '1\tcontent' }]);
});

test('when the work tree is older than the records, the model is told which changes may be missing', async () => {
  const text = script(steps);
  const first = await stage.seat(await stage.sandbox());
  await runTurn(first, text);
  const state = first.states[0];
  expect(state).toEqual({ records: 3 });
  const seat = await stage.seat(await stage.sandbox(), { records: upTo(first, 7), state });
  await runTurn(seat, text);
  const [note, ...others] = seat.records.filter(({ type }) => type === 'note');
  expect(note?.['text']).toContain('restored from a checkpoint');
  expect(note?.['text']).toContain('- write: Write two.txt\n- shell: echo 3 >> file.txt\n');
  expect(note?.['text']).not.toContain('echo 1');
  expect(others).toEqual([]);
});

test('a turn that was finished ends again without another model call', async () => {
  const text = script([{ run: 'true' }], { say: 'Done here.' });
  const first = await stage.seat(await stage.sandbox());
  await runTurn(first, text);
  const seat = await stage.seat(await stage.sandbox(), { records: first.records, state: first.states[0] });
  const calls = stage.world.calls.length;
  expect(await runTurn(seat, text)).toEqual({ stopReason: 'end_turn', summary: 'Done here.' });
  expect(stage.world.calls).toHaveLength(calls);
  expect(seat.events).toEqual([]);
});

test('a question that was asked is still asked', async () => {
  const text = script([{ ask: 'Which one?' }], { say: 'That one.' });
  const first = await stage.seat(await stage.sandbox());
  await runTurn(first, text);
  const seat = await stage.seat(await stage.sandbox(), { records: upTo(first, 99) });
  expect(await runTurn(seat, text)).toEqual({ stopReason: 'awaiting_user', summary: 'Which one?' });
  expect(seat.events).toEqual([]);
  expect(await runTurn(seat, 'The left one.', 2)).toEqual({ stopReason: 'end_turn', summary: 'That one.' });
});

test('a message that was taken by a worker that died before it was on record is not lost', async () => {
  const text = script([{ run: 'true' }]);
  const first = await stage.seat(await stage.sandbox());
  await runTurn(first, text);
  const seat = await stage.seat(await stage.sandbox(), { records: upTo(first, 3), state: { records: 3 } });
  await runTurn(seat, `${text}\n\nAnd mind the gap.`);
  const notes = seat.records.flatMap(({ type, text: said }) => (type === 'note' ? [said] : []));
  expect(notes).toEqual(['The user also said:\nAnd mind the gap.']);
});

test('an answer that was interrupted for another worker is gone on with', async () => {
  const sandbox = await stage.sandbox();
  const text = script([{ tokens: 1_000, token_delay: 20 }], { say: 'And so on.' });
  const first = await stage.seat(sandbox);
  const turn = runTurn(first, text);
  await first.seen((event) => event.kind === 'message' && event.delta.includes('w2'));
  await first.agent.close();
  expect(await turn).toMatchObject({ stopReason: 'canceled' });
  const seat = await stage.seat(sandbox, { records: upTo(first, 99) });
  expect(await runTurn(seat, text)).toEqual({ stopReason: 'end_turn', summary: 'And so on.' });
  expect(seat.records.map(({ type }) => type)).toEqual(['turn', 'assistant', 'note', 'assistant']);
});

test('nothing happens after a step that could not be put on record', async () => {
  const sandbox = await stage.sandbox();
  const lost = new Error('the lease is lost');
  let kept = 0;
  const seat = await stage.seat(sandbox, {
    record: async () => {
      kept += 1;
      if (kept > 1) throw lost;
    },
  });
  await expect(runTurn(seat, script([{ run: 'touch file.txt' }]))).rejects.toBe(lost);
  await expect(sandbox.readFile(`${sandbox.workspace}/file.txt`)).rejects.toThrow();
});

test.each([[[{ type: 'other' }]], [[{ turn: 1 }]]])('records of something else, %j, are refused', async (records) => {
  const sandbox = await stage.sandbox();
  await expect(stage.seat(sandbox, { records })).rejects.toMatchObject({ name: 'ProviderError', retryable: false });
});

test.each([{ finishedSteps: 1 }, { records: 5 }])('a state of something else, %j, is refused', async (state) => {
  const sandbox = await stage.sandbox();
  await expect(stage.seat(sandbox, { state })).rejects.toMatchObject({ name: 'ProviderError', retryable: false });
});
