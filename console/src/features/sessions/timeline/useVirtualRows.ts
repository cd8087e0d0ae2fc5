import { useVirtualizer, type VirtualItem, type Virtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, type RefObject } from 'react';
import type { Item } from './items.ts';
import type { LogState, SessionLog } from './log.ts';
import type { Row } from './rows.ts';
import { mostBlocks } from './window.ts';

export type Rows = Virtualizer<HTMLDivElement, Element>;

/** The rows that are in view, and the position of the log: nothing else may write it. */
export function useVirtualRows(
  items: readonly Item[],
  scroller: RefObject<HTMLDivElement | null>,
  isPinned: boolean,
): Rows {
  const keyOf = useCallback((at: number) => items[at]?.key ?? at, [items]);
  const rows = useVirtualizer<HTMLDivElement, Element>({
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
  return rows;
}

/** What lies above the view keeps the view where it is, whichever way the reader scrolls. */
function staysAbove(item: VirtualItem, _delta: number, rows: Rows): boolean {
  const top = rows.scrollOffset ?? 0;
  return rows.itemSizeCache.has(item.key) ? item.end <= top : item.start < top;
}

const heights: Partial<Record<Row['kind'], number>> = { phase: 72, approval: 160, artifact: 188 };

/** Heights before a row is measured; near enough that the scrollbar does not jump. */
function heightOf(item: Item | undefined): number {
  if (item?.kind !== 'row') return 32;
  const { row, isOpen } = item;
  if (row.kind === 'message') return 40 + 24 * Math.min(40, Math.ceil(row.is.text.length / 90));
  return heights[row.kind] ?? (isOpen ? 120 : 28);
}

/** Loads more of the log two screens before the reader comes to its edge; not before they are where they begin. */
export function useGrowth(log: SessionLog, state: LogState, rows: Rows, isReady: RefObject<boolean>): void {
  useEffect(() => {
    const { scrollOffset: top, scrollRect } = rows;
    const height = scrollRect?.height ?? 0;
    if (!isReady.current || top === null || height === 0) return;
    const total = rows.getTotalSize();
    const { window, isAttached } = state;
    // A window that is full and still short would be grown and trimmed forever.
    if (total < 8 * height && window.last - window.first + 1 >= mostBlocks) return;
    if (top < 2 * height) void log.grow('earlier');
    if (!isAttached && total - top - height < 2 * height) void log.grow('later');
  });
}
