import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Item, Items } from './items.ts';
import { indexOf, reveal, rowAt } from './jump.ts';
import type { LogState, SessionLog } from './log.ts';
import type { Openness } from './openness.ts';
import { keepPlace, placeOf, type ReadingPlace, type Target } from './place.ts';
import { useSettle } from './useSettle.ts';
import type { Row } from './rows.ts';
import { usePinned } from './usePinned.ts';
import { mostBlocks } from './window.ts';

/** How long rows stay marked that an address leads to. */
const tintMs = 1_500;

interface Props {
  session: string;
  shown: Items;
  log: SessionLog;
  state: LogState;
  openness: Openness;
  /** The events that the address names. */
  target: Target | undefined;
}

type Goal = { kind: 'end' } | { kind: 'events'; target: Target } | { kind: 'place'; place: ReadingPlace };

/** The one owner of the log's scroll position: keeps what is read where it is, follows the end, and leads to events. */
export function useTimelineScroll({ session, shown, log, state, openness, target }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [tinted, setTinted] = useState<Target>();
  const [first] = useState(() => goalOf(session, target));
  const goal = useRef<Goal | undefined>(first);
  const isReady = useRef(false);
  const { items, hiddenBy } = shown;
  const { settle, stop } = useSettle();
  const { isPinned, tell } = usePinned(scroller, { isAttached: state.isAttached, onReader: stop });
  const keyOf = useCallback((at: number) => items[at]?.key ?? at, [items]);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => heightOf(items[at]),
    getItemKey: keyOf,
    overscan: 6,
    gap: 2,
    paddingStart: 12,
    paddingEnd: 16,
    anchorTo: 'end',
    followOnAppend: isPinned,
    scrollEndThreshold: isPinned ? Number.POSITIVE_INFINITY : -1,
  });
  rows.shouldAdjustScrollPositionOnItemSizeChange = staysAbove;
  useEffect(() => log.setFollowed(isPinned), [log, isPinned]);

  const reach = useCallback(
    (next: Goal) => {
      goal.current = next;
      tell({ kind: next.kind === 'end' ? 'end' : 'away' });
      void log.show(next.kind === 'end' ? undefined : next.kind === 'place' ? next.place.seq : next.target.from);
    },
    [log, tell],
  );
  const to = (next: Goal) => {
    reach(next);
    attain();
  };

  /** Goes where the reader wants to be, as soon as it is loaded. */
  const attain = () => {
    const wanted = goal.current;
    if (wanted === undefined || state.isLoading || items.length === 0) return;
    if (wanted.kind === 'end') {
      if (!state.isAttached) return;
      goal.current = undefined;
      stop();
      rows.scrollToEnd();
      isReady.current = true;
      return;
    }
    const seq = wanted.kind === 'place' ? wanted.place.seq : wanted.target.from;
    const row = rowAt(state.fold.rows, seq);
    if (row === undefined || !isInWindow(state, seq)) return;
    if (reveal(row.key, hiddenBy, openness)) return;
    goal.current = undefined;
    isReady.current = true;
    const at = indexOf(items, wanted.kind === 'place' ? wanted.place.key : row.key, hiddenBy);
    const key = items[at === -1 ? indexOf(items, row.key, hiddenBy) : at]?.key;
    const third = (scroller.current?.clientHeight ?? 0) / 3;
    if (key !== undefined) settle(rows, key, wanted.kind === 'place' ? wanted.place.offset : -third);
    if (wanted.kind === 'events') setTinted({ from: Math.min(row.seq, seq), to: wanted.target.to });
  };
  useLayoutEffect(attain);

  const lastTarget = useRef(target);
  useEffect(() => {
    if (lastTarget.current?.from === target?.from && lastTarget.current?.to === target?.to) return;
    lastTarget.current = target;
    if (target !== undefined) reach({ kind: 'events', target });
  }, [target, reach]);
  useEffect(() => {
    if (tinted === undefined) return undefined;
    const timer = setTimeout(() => setTinted(undefined), tintMs);
    return () => clearTimeout(timer);
  }, [tinted]);

  useEffect(() => {
    if (!isReady.current) return;
    const { scrollOffset: top, scrollRect } = rows;
    const height = scrollRect?.height ?? 0;
    const total = rows.getTotalSize();
    if (top === null || height === 0) return;
    const { window } = state;
    // A window that is full and still short would be grown and trimmed forever.
    if (total < 8 * height && window.last - window.first + 1 >= mostBlocks) return;
    if (top < 2 * height) void log.grow('earlier');
    if (!state.isAttached && total - top - height < 2 * height) void log.grow('later');
  });
  useStoredPlace(session, rows, items, isPinned, isReady);

  return {
    scroller,
    rows,
    isPinned,
    tinted,
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

type Rows = Virtualizer<HTMLDivElement, Element>;

/** What lies above the view keeps the view where it is, whichever way the reader scrolls. */
function staysAbove(item: VirtualItem, _delta: number, rows: Rows): boolean {
  const top = rows.scrollOffset ?? 0;
  return rows.itemSizeCache.has(item.key) ? item.end <= top : item.start < top;
}

/** Remembers where the reader is when they leave; who is at the end comes back to the end. */
function useStoredPlace(
  session: string,
  rows: Rows,
  items: readonly Item[],
  isPinned: boolean,
  isReady: { current: boolean },
): void {
  const latest = useRef({ items, isPinned });
  useEffect(() => {
    latest.current = { items, isPinned };
  });
  useEffect(() => {
    const keep = () => {
      const { items: now, isPinned: isAtEnd } = latest.current;
      const top = rows.scrollOffset;
      if (!isReady.current || top === null) return;
      const at = rows.getVirtualItemForOffset(top);
      const item = at === undefined ? undefined : now[at.index];
      if (isAtEnd || at === undefined || item === undefined) keepPlace(session, undefined);
      else keepPlace(session, { seq: item.seq, key: item.key, offset: top - at.start });
    };
    addEventListener('pagehide', keep);
    return () => {
      removeEventListener('pagehide', keep);
      keep();
    };
  }, [session, rows, isReady]);
}

function goalOf(session: string, target: Target | undefined): Goal {
  if (target !== undefined) return { kind: 'events', target };
  const place = placeOf(session);
  return place === undefined ? { kind: 'end' } : { kind: 'place', place };
}

function isInWindow({ window, lastSeq }: LogState, seq: number): boolean {
  const block = Math.floor((Math.min(seq, lastSeq) - 1) / 200);
  return window.first <= block && block <= window.last;
}

const heights: Partial<Record<Row['kind'], number>> = { phase: 72, approval: 160, artifact: 188 };

/** Heights before a row is measured; near enough that the scrollbar does not jump. */
function heightOf(item: Item | undefined): number {
  if (item?.kind !== 'row') return 32;
  const { row, isOpen } = item;
  if (row.kind === 'message') return 40 + 24 * Math.min(40, Math.ceil(row.is.text.length / 90));
  return heights[row.kind] ?? (isOpen ? 120 : 28);
}
