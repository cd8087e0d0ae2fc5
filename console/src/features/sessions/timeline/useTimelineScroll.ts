import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Items } from './items.ts';
import { indexOf, reveal, rowAt } from './jump.ts';
import type { LogState, SessionLog } from './log.ts';
import type { Openness } from './openness.ts';
import { placeOf, type ReadingPlace, type Target } from './place.ts';
import { usePinned } from './usePinned.ts';
import { useSettle } from './useSettle.ts';
import { useStoredPlace } from './useStoredPlace.ts';
import { useTint } from './useTint.ts';
import { useGrowth, useVirtualRows } from './useVirtualRows.ts';
import { blockOf } from './window.ts';

interface Props {
  session: string;
  shown: Items;
  log: SessionLog;
  state: LogState;
  openness: Openness;
  /** The events that the address names. */
  target: Target | undefined;
}

/** Where a reader wants to be. */
type Goal = { kind: 'end' } | { kind: 'events'; target: Target } | { kind: 'place'; place: ReadingPlace };

/** The one owner of the log's scroll position: keeps what is read where it is, follows the end, and leads to events. */
export function useTimelineScroll({ session, shown, log, state, openness, target }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const isReady = useRef(false);
  const { tinted, tint } = useTint();
  const { settle, stop } = useSettle();
  const { isPinned, tell } = usePinned(scroller, { isAttached: state.isAttached, onReader: stop });
  const { items } = shown;
  const rows = useVirtualRows(items, scroller, isPinned);
  const [first] = useState(() => goalOf(session, target));
  const goal = useRef<Goal | undefined>(first);

  /** Goes where the reader wants to be, as soon as it is loaded. */
  const attain = () => {
    const wanted = goal.current;
    if (wanted === undefined || state.isLoading || items.length === 0) return;
    if (wanted.kind === 'end') {
      if (!state.isAttached) return;
      stop();
      rows.scrollToEnd();
    } else {
      const found = findGoal(wanted, shown, state, openness);
      if (found === undefined) return;
      if (found.key !== undefined) settle(rows, found.key, offsetOf(wanted, scroller.current));
      if (wanted.kind === 'events') tint({ from: Math.min(found.seq, wanted.target.from), to: wanted.target.to });
    }
    goal.current = undefined;
    isReady.current = true;
  };
  useLayoutEffect(attain);
  const reach = useCallback(
    (next: Goal) => {
      goal.current = next;
      tell({ kind: next.kind === 'end' ? 'end' : 'away' });
      void log.show(seqOf(next));
    },
    [log, tell],
  );
  const to = (next: Goal) => {
    reach(next);
    attain();
  };
  useEffect(() => log.setFollowed(isPinned), [log, isPinned]);
  useNewTarget(target, (next) => reach({ kind: 'events', target: next }));
  useGrowth(log, state, rows, isReady);
  useStoredPlace({ session, rows, items, isPinned, isReady });
  return {
    scroller,
    rows,
    isPinned,
    tinted,
    mark: tint,
    toEnd: () => to({ kind: 'end' }),
    toEvents: (events: Target) => to({ kind: 'events', target: events }),
    /** To be called before a row opens or closes by hand: its header then stays where it is. */
    hold: () => tell({ kind: 'away' }),
    toItem: (at: number) => {
      const item = items[at];
      if (item === undefined) return;
      tell({ kind: 'away' });
      settle(rows, item.key, -24);
    },
  };
}

/** Returns the row to go to; undefined as long as it is not loaded, or as what hides it has only just been opened. */
function findGoal(
  wanted: Exclude<Goal, { kind: 'end' }>,
  { items, hiddenBy }: Items,
  { fold, window, lastSeq }: LogState,
  openness: Openness,
): { key: string | undefined; seq: number } | undefined {
  const seq = wanted.kind === 'place' ? wanted.place.seq : wanted.target.from;
  const row = rowAt(fold.rows, seq);
  const block = blockOf(Math.min(seq, lastSeq));
  if (row === undefined || block < window.first || block > window.last) return undefined;
  // A place is what was in view, as it was: nothing has to be opened.
  const known = wanted.kind === 'place' ? indexOf(items, wanted.place.key, hiddenBy) : -1;
  if (known !== -1) return { key: items[known]?.key, seq: row.seq };
  if (reveal(row.key, hiddenBy, openness)) return undefined;
  return { key: items[indexOf(items, row.key, hiddenBy)]?.key, seq: row.seq };
}

/** Returns where a row stands: a place where it was, in px, and events a third below the top. */
function offsetOf(wanted: Exclude<Goal, { kind: 'end' }>, scroller: HTMLElement | null): number {
  return wanted.kind === 'place' ? wanted.place.offset : -(scroller?.clientHeight ?? 0) / 3;
}

/** Acts when the address names other events than before. */
function useNewTarget(target: Target | undefined, act: (target: Target) => void): void {
  const last = useRef(target);
  useEffect(() => {
    if (last.current?.from === target?.from && last.current?.to === target?.to) return;
    last.current = target;
    if (target !== undefined) act(target);
  });
}

function seqOf(goal: Goal): number | undefined {
  if (goal.kind === 'end') return undefined;
  return goal.kind === 'place' ? goal.place.seq : goal.target.from;
}

function goalOf(session: string, target: Target | undefined): Goal {
  if (target !== undefined) return { kind: 'events', target };
  const place = placeOf(session);
  return place === undefined ? { kind: 'end' } : { kind: 'place', place };
}
