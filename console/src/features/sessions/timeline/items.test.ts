import type { SessionEvent } from '@guildhall/client';
import { expect, test } from 'vitest';
import { fold } from './fold.ts';
import { itemsOf, type Item, type ItemsView } from './items.ts';
import { indexAround, indexOf, reveal, rowAt } from './jump.ts';
import { Openness } from './openness.ts';

type Kind = SessionEvent['kind'];
type Given = { [K in Kind]: { kind: K; data: Partial<Extract<SessionEvent, { kind: K }>['data']> } }[Kind] & {
  phase?: SessionEvent['phase'];
  turn?: number;
};

/** Events with what the timeline reads of them. */
function eventsOf(list: readonly Given[]): SessionEvent[] {
  return list.map((event, at) => {
    const whole: unknown = {
      seq: at + 1,
      id: `evt_${at + 1}`,
      session_id: 'ses_1',
      phase: '',
      turn: 1,
      attempt_no: 1,
      created_at: new Date(at * 1_000).toISOString(),
      ...event,
    };
    if (!isEvent(whole)) throw new Error('no event');
    return whole;
  });
}

function isEvent(value: unknown): value is SessionEvent {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

const say = (id: string): Given => ({
  kind: 'message',
  data: { message_id: id, role: 'agent', delta: id, done: true, state: 'delivered' },
});
const ask = (id: string, turn = 1): Given => ({
  kind: 'message',
  data: { message_id: id, role: 'user', delta: id, done: true, state: 'delivered' },
  turn,
});
const call = (id: string, name: string, path = id): Given => ({
  kind: 'tool_call',
  data: { call_id: id, name, title: id, input: { path } },
});
const result = (id: string, ok = true): Given => ({
  kind: 'tool_result',
  data: { call_id: id, ok, output: '', artifact_id: null },
});
const change = (path: string): Given => ({
  kind: 'file_change',
  data: { path, change: 'modified', additions: 2, deletions: 1, call_id: '' },
});

const waits = (status_detail: 'awaiting_user' | 'awaiting_approval'): Given => ({
  kind: 'status',
  data: { status: 'waiting', status_detail },
});

const closed: ItemsView = { byHand: () => undefined, live: new Set(), turns: new Map() };

function shown(list: readonly Given[], view: ItemsView = closed) {
  return itemsOf(fold(eventsOf(list)).rows, view);
}

const names = (items: readonly Item[]) => items.map((item) => (item.kind === 'step' ? item.step.summary : item.key));

test('calls between two messages are one line that says what was done', () => {
  const log = [
    say('a'),
    call('1', 'read', 'x.ts'),
    result('1'),
    call('2', 'read', 'x.ts'),
    result('2'),
    call('3', 'search'),
    result('3'),
    call('4', 'shell'),
    result('4', false),
    say('b'),
  ];
  const { items } = shown(log);
  expect(names(items)).toEqual(['msg:a', 'Read 1 file, searched once, ran 1 command', 'msg:b']);
  expect(items[1]).toMatchObject({ kind: 'step', isOpen: false, step: { failed: 1, isRunning: false } });
});

test('one call alone stands for itself', () => {
  expect(names(shown([say('a'), call('1', 'read'), result('1'), say('b')]).items)).toEqual([
    'msg:a',
    'call:1',
    'msg:b',
  ]);
});

test('an open step shows its calls, and what was opened once stays open when an earlier part comes', () => {
  const openness = new Openness();
  openness.set(['step:call:2'], true);
  const view = { ...closed, byHand: openness.byHand };
  const part = [call('2', 'read'), result('2'), call('3', 'read'), result('3'), say('b')];
  expect(names(shown(part, view).items)).toEqual(['Read 2 files', 'call:2', 'call:3', 'msg:b']);
  const whole = [call('1', 'read'), result('1'), ...part];
  expect(names(shown(whole, view).items)).toEqual(['Read 3 files', 'call:1', 'call:2', 'call:3', 'msg:b']);
});

test('a step that the edge of the window cut is found when its beginning came', () => {
  const log = [
    say('a'),
    call('1', 'read'),
    result('1'),
    call('2', 'read'),
    result('2'),
    call('3', 'read'),
    result('3'),
  ];
  const part = itemsOf(fold(eventsOf(log).slice(3)).rows, closed).items;
  const [cut] = part;
  const { items } = shown(log);
  expect(names(part)).toEqual(['Read 2 files']);
  expect(cut === undefined ? -1 : indexAround(items, cut)).toBe(1);
  expect(indexAround(items, { key: 'msg:gone', seq: 99 })).toBe(-1);
});

test('files are merged per step', () => {
  const { items } = shown([say('a'), change('x'), change('y'), change('x'), say('b')]);
  expect(items[1]).toMatchObject({
    kind: 'files',
    files: [
      { path: 'x', additions: 4, deletions: 2 },
      { path: 'y', additions: 2, deletions: 1 },
    ],
  });
});

test('a command belongs to its call', () => {
  const command: Given = {
    kind: 'command',
    data: { command_id: 'c', call_id: '1', command: 'ls', phase: '', exit_code: 0, duration_ms: 5, artifact_id: null },
  };
  const { items, hiddenBy } = shown([say('a'), call('1', 'shell'), command, result('1'), say('b')]);
  expect(names(items)).toEqual(['msg:a', 'call:1', 'msg:b']);
  expect(items[1]).toMatchObject({ commands: [{ key: 'cmd:c' }] });
  expect(hiddenBy.get('cmd:c')).toBe('call:1');
});

test('a passed check folds what belongs to it, and nothing else', () => {
  const log: Given[] = [
    { kind: 'phase', data: { name: 'reproduce', status: 'passed', summary: '', evidence: [] }, phase: 'reproduce' },
    { ...say('in'), phase: 'reproduce' },
    { kind: 'phase', data: { name: 'implement', status: 'passed', summary: '', evidence: [] }, phase: 'implement' },
    { ...say('work'), phase: 'implement' },
    say('after'),
  ];
  const { items, hiddenBy } = shown(log);
  expect(names(items)).toEqual(['phase:1:1:reproduce', 'phase:1:1:implement', 'msg:work', 'msg:after']);
  expect(items[0]).toMatchObject({ hides: 1 });
  expect(hiddenBy.get('msg:in')).toBe('phase:1:1:reproduce');
});

test('a folded turn hides its own rows only', () => {
  const turns = new Map([
    ['msg:q1', 1],
    ['msg:q2', 2],
  ]);
  const view = { ...closed, turns, byHand: (key: string) => (key === 'msg:q2' ? false : undefined) };
  const log = [ask('q1'), say('a'), ask('q2', 1), { ...say('b'), turn: 2 }, { ...say('c'), turn: 3 }];
  expect(names(shown(log, view).items)).toEqual(['msg:q1', 'msg:a', 'msg:q2', 'msg:c']);
});

test('the way to an event opens everything that hides it', () => {
  const openness = new Openness();
  const log = [say('a'), call('1', 'read'), result('1'), call('2', 'read'), result('2'), say('b')];
  const rows = fold(eventsOf(log)).rows;
  const row = rowAt(rows, 5);
  expect(row?.key).toBe('call:2');
  const first = itemsOf(rows, { ...closed, byHand: openness.byHand });
  expect(reveal('call:2', first.hiddenBy, openness)).toBe(true);
  const { items, hiddenBy } = itemsOf(rows, { ...closed, byHand: openness.byHand });
  expect(reveal('call:2', hiddenBy, openness)).toBe(false);
  expect(items[indexOf(items, 'call:2', hiddenBy)]?.key).toBe('call:2');
});

test('steps that the agent works on stay open for a reader who is not at the end', () => {
  const openness = new Openness();
  expect([...openness.liveWith('call:1', true)]).toEqual(['call:1']);
  expect([...openness.liveWith('call:2', false)]).toEqual(['call:1', 'call:2']);
  expect([...openness.liveWith('call:3', true)]).toEqual(['call:3']);
});

test('a wait for an answer has what the agent asked last, and no other state has', () => {
  const events = [
    ask('Do it.'),
    say('In which currency?'),
    change('prices.ts'),
    waits('awaiting_user'),
    ask('Yen.'),
    waits('awaiting_user'),
  ];
  const { items } = itemsOf(fold(eventsOf([...events, say('Done.'), waits('awaiting_approval')])).rows, closed);
  const asked = items.flatMap((item) => (item.kind === 'row' && item.row.kind === 'status' ? [item.asked] : []));
  expect(asked).toEqual(['In which currency?', undefined, undefined]);
});

test('a question is read once: not in the call that asks, nor in a wait right below it', () => {
  const { items } = shown([call('1', 'ask'), say('In which currency?'), waits('awaiting_user')]);
  expect(items.map(({ key }) => key.split(':')[0])).toEqual(['msg', 'ev']);
  expect(items.map((item) => item.kind === 'row' && item.asked)).toEqual([undefined, undefined]);
  expect(names(shown([call('2', 'ask'), result('2', false)]).items)).toEqual(['call:2']);
});
