import type { SessionEvent } from '@guildhall/client';
import { joinClips } from './clip.ts';
import { rowOf } from './row-of.ts';
import type { Row } from './rows.ts';

/** The rows of a part of a log, in the order of their first events. */
export interface Fold {
  rows: readonly Row[];
  /** The place of each row, by its key. */
  places: ReadonlyMap<string, number>;
}

export const emptyFold: Fold = { rows: [], places: new Map() };

/** Returns the rows of consecutive events. `fold([...a, ...b])` equals `joinFolds(fold(a), fold(b))`. */
export function fold(events: readonly SessionEvent[]): Fold {
  return joined(emptyFold, events.map(rowOf));
}

/** Returns the rows of two parts, the second directly behind the first. */
export function joinFolds(a: Fold, b: Fold): Fold {
  return joined(a, b.rows);
}

/** Returns the rows of parts that follow each other: the same as joining them one by one, in one pass. */
export function foldOf(parts: readonly Fold[]): Fold {
  return joined(
    emptyFold,
    parts.flatMap(({ rows }) => rows),
  );
}

function joined(a: Fold, more: readonly Row[]): Fold {
  if (more.length === 0) return a;
  const rows = [...a.rows];
  const places = new Map(a.places);
  for (const row of more) {
    const place = places.get(row.key);
    const before = place === undefined ? undefined : rows[place];
    if (place === undefined || before === undefined) places.set(row.key, rows.push(row) - 1);
    else rows[place] = joinRows(before, row);
  }
  return { rows, places };
}

/** Returns one row of two with the same key, the later one second; associative. */
function joinRows(a: Row, b: Row): Row {
  const place = { key: a.key, seq: a.seq, lastSeq: b.lastSeq, at: a.at, turn: a.turn, phase: a.phase };
  if (a.kind === 'message' && b.kind === 'message') {
    const { role } = a.is;
    const from = a.is.from ?? b.is.from;
    const isDone = a.is.isDone || b.is.isDone;
    return {
      ...place,
      kind: 'message',
      is: { role, from, text: joinClips(a.is.text, b.is.text), isDone, state: b.is.state },
    };
  }
  if (a.kind === 'thought' && b.kind === 'thought') {
    const text = joinClips(a.is.text, b.is.text);
    return { ...place, kind: 'thought', is: { text, isDone: a.is.isDone || b.is.isDone, endedAt: b.is.endedAt } };
  }
  if (a.kind === 'call' && b.kind === 'call') {
    const endedAt = b.is.endedAt === '' ? a.is.endedAt : b.is.endedAt;
    return {
      ...place,
      kind: 'call',
      is: { call: a.is.call ?? b.is.call, result: b.is.result ?? a.is.result, endedAt },
    };
  }
  if (a.kind === 'command' && b.kind === 'command') {
    const output = joinClips(a.is.output, b.is.output);
    return { ...place, kind: 'command', is: { command: b.is.command ?? a.is.command, callId: a.is.callId, output } };
  }
  if (a.kind === 'approval' && b.kind === 'approval')
    return { ...place, kind: 'approval', is: { ...b.is, request: a.is.request === '' ? b.is.request : a.is.request } };
  return { ...b, ...place };
}
