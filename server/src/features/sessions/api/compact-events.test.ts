import { array, assert, boolean, constantFrom, property, record, string, type Arbitrary } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventRow } from '../store/event-store.ts';
import { compactEvents, type CompactEvent } from './compact-events.ts';

type Drawn = Pick<EventRow, 'kind' | 'data'>;

const id = constantFrom('1', '2');
const said = record({ message_id: id, role: constantFrom('agent', 'user'), delta: string(), done: boolean() });
const written = record({ command_id: id, stream: constantFrom('stdout', 'stderr'), text: string() });
const told = record({ code: id, message: string() });
const drawn: Arbitrary<Drawn> = constantFrom('message', 'thought', 'output', 'output', 'warning').chain((kind) => {
  const data: Arbitrary<object> = kind === 'warning' ? told : kind === 'output' ? written : said;
  return data.map((one) => ({ kind, data: JSON.stringify(one) }));
});

function rowsOf(events: readonly Drawn[]): EventRow[] {
  return events.map((event, index) => ({
    ...event,
    seq: index + 1,
    id: `evt_${index + 1}`,
    phase: '',
    turn: 1,
    attempt_no: 1,
    created_at: new Date(index * 1_000),
  }));
}

/** Returns every text in full, by kind and by what it is about, and in the order of the log. */
function textsOf(rows: readonly Pick<EventRow, 'kind' | 'data'>[]): { whole: Record<string, string>; inOrder: string } {
  const whole: Record<string, string> = {};
  let inOrder = '';
  for (const { kind, data } of rows) {
    const { delta, text, message, message_id, role, command_id, stream, code } = JSON.parse(data);
    const key = [kind, message_id, role, command_id, stream, code].join(' ');
    const piece: string = delta ?? text ?? message;
    whole[key] = (whole[key] ?? '') + piece;
    inOrder += piece;
  }
  return { whole, inOrder };
}

const ranges = (rows: readonly CompactEvent[]) => rows.map(({ seq_from: from, seq }) => [from, seq]);

describe('compactEvents', () => {
  test('keeps every text, in its place', () => {
    assert(
      property(array(drawn, { maxLength: 40 }), (events) => {
        const rows = rowsOf(events);
        expect(textsOf(compactEvents(rows))).toEqual(textsOf(rows));
      }),
    );
  });

  test('covers every event once, in order, with the number, id and time of the last and those of the first', () => {
    assert(
      property(array(drawn, { maxLength: 40 }), (events) => {
        const rows = rowsOf(events);
        let next = 1;
        for (const { seq_from: from, seq, id: last, started_at: started, created_at: created } of compactEvents(rows)) {
          expect(from).toBe(next);
          expect(seq).toBeGreaterThanOrEqual(from);
          expect([last, started, created]).toEqual([
            `evt_${seq}`,
            new Date((from - 1) * 1_000),
            new Date((seq - 1) * 1_000),
          ]);
          next = seq + 1;
        }
        expect(next).toBe(rows.length + 1);
      }),
    );
  });

  test('leaves nothing to merge, and nothing different where a log is cut', () => {
    assert(
      property(array(drawn, { maxLength: 20 }), array(drawn, { maxLength: 20 }), (one, two) => {
        const rows = rowsOf([...one, ...two]);
        const all = compactEvents(rows);
        expect(compactEvents(all).map(({ data }) => data)).toEqual(all.map(({ data }) => data));
        const [before, after] = [compactEvents(rows.slice(0, one.length)), compactEvents(rows.slice(one.length))];
        expect(textsOf([...before, ...after])).toEqual(textsOf(all));
        expect(before.length + after.length - all.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('merges one text only: not two streams, two messages, a new state, or what follows its end', () => {
    const message = (delta: string, more: object = {}) => ({
      kind: 'message',
      data: JSON.stringify({ message_id: 'm', role: 'agent', delta, done: false, state: 'delivered', ...more }),
    });
    const output = (text: string, more: object = {}) => ({
      kind: 'output',
      data: JSON.stringify({ command_id: 'c', call_id: '', stream: 'stdout', text, ...more }),
    });
    const rows = rowsOf([
      ...['a', 'b'].map((delta) => message(delta)),
      message('c', { done: true }),
      message('d'),
      message('e', { message_id: 'n' }),
      message('f', { message_id: 'n', state: 'withdrawn' }),
      ...['g', 'h', 'i'].map((text) => output(text)),
      output('j', { stream: 'stderr' }),
      output('k'),
      output('l', { command_id: 'd' }),
    ]);
    expect(ranges(compactEvents(rows))).toEqual([
      [1, 3],
      [4, 4],
      [5, 5],
      [6, 6],
      [7, 9],
      [10, 10],
      [11, 11],
      [12, 12],
    ]);
    expect(JSON.parse(compactEvents(rows)[0]?.data ?? '')).toEqual({
      message_id: 'm',
      role: 'agent',
      delta: 'abc',
      done: true,
      state: 'delivered',
    });
  });
});
