import { useState, type RefObject } from 'react';
import { calmOf } from './calm.ts';

interface CalmOptions<Row> {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  list: RefObject<HTMLElement | null>;
  /** The filters of the list; undefined draws every row where it comes. */
  filters: string | undefined;
}

/** Keeps rows where they are while somebody reads them: scrolled, or with the pointer or the focus in the list. */
export function useCalm<Row>({ rows, keyOf, list, filters }: CalmOptions<Row>) {
  const [drawn, setDrawn] = useState<{ filters: string | undefined; order: string[] }>({ filters, order: [] });
  const isCalm = filters !== undefined;
  const read = isCalm ? rows.map(keyOf) : [];
  const isHeld = isCalm && drawn.filters === filters && isRead(list.current);
  const { order, waiting } = isHeld ? calmOf(drawn.order, read) : { order: read, waiting: 0 };
  if (isCalm && (drawn.filters !== filters || order.join() !== drawn.order.join())) setDrawn({ filters, order });
  const byKey = isHeld ? new Map(rows.map((row) => [keyOf(row), row])) : undefined;
  return {
    rows: byKey === undefined ? rows : order.flatMap((key) => byKey.get(key) ?? []),
    waiting,
    showAll: () => {
      setDrawn({ filters, order: [] });
      scrollTo({ top: 0 });
    },
  };
}

function isRead(list: HTMLElement | null): boolean {
  return list !== null && (scrollY > 0 || list.matches(':hover') || list.contains(document.activeElement));
}
