import { useEffect, useRef, type RefObject } from 'react';
import type { Item } from './items.ts';
import { keepPlace } from './place.ts';
import type { Rows } from './useVirtualRows.ts';

interface Props {
  session: string;
  rows: Rows;
  items: readonly Item[];
  isPinned: boolean;
  /** False until the reader is where they begin. */
  isReady: RefObject<boolean>;
}

/** Remembers where the reader is when they leave; who is at the end comes back to the end. */
export function useStoredPlace({ session, rows, items, isPinned, isReady }: Props): void {
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
