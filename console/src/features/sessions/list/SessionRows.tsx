import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useLayoutEffect, useRef, useState, useEffect } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { SessionRow } from './SessionRow.tsx';

type Result = Extract<UseInfiniteQueryResult<InfiniteData<Schemas['SessionList']>>, { status: 'success' }>;

const rowHeight = 56;

/** The rows of the list; only those in view are in the page, and the next 50 come before the end is reached. */
export function SessionRows({ org, list }: { org: string; list: Result }) {
  const sessions = list.data.pages.flatMap(({ items }) => items);
  const top = useRef<HTMLUListElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(top.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: sessions.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: offset,
    getItemKey: (at) => sessions[at]?.id ?? at,
  });
  const shown = rows.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= sessions.length - 20;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
  return (
    <ul ref={top} aria-label="Sessions" className="relative" style={{ height: rows.getTotalSize() }}>
      {shown.map(({ key, index, start }) => {
        const session = sessions[index];
        return (
          session !== undefined && (
            <li
              key={key}
              className="absolute inset-x-0 top-0"
              style={{ height: rowHeight, transform: `translateY(${start - offset}px)` }}
              aria-setsize={hasNextPage ? -1 : sessions.length}
              aria-posinset={index + 1}
            >
              <SessionRow org={org} session={session} />
            </li>
          )
        );
      })}
    </ul>
  );
}
