import type { EventRow } from '../store/event-store.ts';

/** The field of a kind's `data` that is a piece of a text. */
const pieces: Readonly<Record<string, string>> = { message: 'delta', thought: 'delta', output: 'text' };

/** One or several events in a row; all but `seq_from` and `started_at` is of the last one. */
export interface CompactEvent extends EventRow {
  /** The number of the first. */
  seq_from: number;
  /** The time of the first. */
  started_at: Date;
}

interface Piece {
  text: string;
  /** The fields of its `data` without the text and `done`. */
  about: string;
  data: Record<string, unknown>;
}

/**
 * Merges pieces of one text that follow each other: the deltas of a message or a thought, and the output of a command to
 * one stream. Texts stay the same, and events neither overlap nor change places.
 */
export function compactEvents(events: readonly EventRow[]): CompactEvent[] {
  const merged: CompactEvent[] = [];
  let open: { first: EventRow; last: EventRow; pieces: Piece[] } | undefined;
  const close = (): void => {
    if (open !== undefined) merged.push(together(open.first, open.last, open.pieces));
    open = undefined;
  };
  for (const event of events) {
    const piece = pieceOf(event);
    if (open === undefined || piece === undefined || !continues(open.last, open.pieces.at(-1), event, piece)) close();
    if (piece === undefined) merged.push(together(event, event, []));
    else if (open === undefined) open = { first: event, last: event, pieces: [piece] };
    else {
      open.last = event;
      open.pieces.push(piece);
    }
  }
  close();
  return merged;
}

function pieceOf({ kind, data }: EventRow): Piece | undefined {
  const field = pieces[kind];
  if (field === undefined) return undefined;
  const parsed: Record<string, unknown> = Object(JSON.parse(data));
  const text = parsed[field];
  if (typeof text !== 'string') return undefined;
  return { text, about: JSON.stringify({ ...parsed, [field]: undefined, done: undefined }), data: parsed };
}

function continues(last: EventRow, end: Piece | undefined, next: EventRow, piece: Piece): boolean {
  return (
    end?.about === piece.about &&
    end.data['done'] !== true &&
    last.kind === next.kind &&
    last.phase === next.phase &&
    last.turn === next.turn &&
    last.attempt_no === next.attempt_no
  );
}

function together(first: EventRow, last: EventRow, parts: readonly Piece[]): CompactEvent {
  const end = parts.at(-1);
  const field = pieces[last.kind];
  const text = parts.map((part) => part.text).join('');
  const data =
    parts.length < 2 || end === undefined || field === undefined
      ? last.data
      : JSON.stringify({ ...end.data, [field]: text });
  return { ...last, data, seq_from: first.seq, started_at: first.created_at };
}
