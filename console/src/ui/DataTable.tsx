import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type ReactNode,
  type RefObject,
} from 'react';
import { useRowHeight } from '../lib/density.ts';
import { count as grouped } from '../lib/format.ts';
import type { ListPage } from '../lib/list.ts';
import { Button } from './Button.tsx';
import type { Column } from './column.ts';
import { cx } from './cx.ts';
import { Empty, Failed } from './Notice.tsx';
import { SkeletonRows } from './Skeleton.tsx';
import { selectColumn, type Selection } from './selection.tsx';
import { useCalm } from './useCalm.ts';
import { listItem, useListKeys } from './useListKeys.ts';

export interface DataTableProps<Row> {
  /** What the rows are. */
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<ListPage<Row>>>;
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** What stands there while nothing is: see `Empty`. */
  empty: ReactNode;
  /** Given while filters hold: takes them away. */
  clear?: (() => void) | undefined;
  /** Given where rows can be selected. */
  selection?: Selection<Row> | undefined;
  /** The filters of a list whose rows come while somebody reads it: new ones then wait above it. */
  calm?: string;
}

/** Make a link of the first cell with it, and the whole row leads there. */
export const rowLink = 'font-medium after:absolute after:inset-0 hover:underline';

/** A list as a table: only the rows in view are in the page, and more are read before its end is reached. */
export function DataTable<Row>({ query, empty, clear, ...rest }: DataTableProps<Row>) {
  const rowHeight = useRowHeight();
  if (query.isPending) return <SkeletonRows rows={10} height={rowHeight} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const rows = query.data.pages.flatMap(({ items }) => items);
  if (rows.length === 0 && clear !== undefined)
    return <Empty action={<Button onClick={clear}>Clear the filters</Button>}>Nothing fits these filters.</Empty>;
  if (rows.length === 0) return empty;
  return (
    <>
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
      <Rows query={query} rows={rows} {...rest} />
    </>
  );
}

type RowsProps<Row> = Omit<DataTableProps<Row>, 'empty' | 'clear'> & { rows: Row[] };

function Rows<Row>({ label, query, rows: read, columns: given, keyOf, selection, calm }: RowsProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const { rows, waiting, showAll } = useCalm({ rows: read, keyOf, list, filters: calm });
  const columns = selection === undefined ? given : [selectColumn(rows, keyOf, selection), ...given];
  useListKeys(list, selection !== undefined);
  const top = useRef<HTMLDivElement>(null);
  const offset = useOffset(top);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: offset,
  });
  useLayoutEffect(() => virtual.measure(), [virtual, rowHeight]);
  const shown = virtual.getVirtualItems();
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= rows.length - 20;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const grid =
    'grid items-center gap-x-3 border-b border-line px-4 grid-cols-(--narrow) md:grid-cols-(--medium) lg:grid-cols-(--all) sm:px-6';
  return (
    <div
      ref={list}
      role="table"
      aria-label={label}
      aria-rowcount={hasNextPage ? -1 : rows.length + 1}
      style={tracks(columns)}
    >
      <div role="rowgroup" className="sticky top-0 z-1 bg-canvas">
        <div role="row" aria-rowindex={1} className={cx(grid, 'h-8 text-meta text-ink-3')}>
          {columns.map(({ name, head, wide, align }) => (
            <div key={name} role="columnheader" className={cellClass({ wide, align })}>
              {head ?? name}
            </div>
          ))}
        </div>
      </div>
      {waiting > 0 && (
        <p className="sticky top-10 z-1 flex h-0 justify-center">
          <Button look="primary" onClick={showAll}>
            {grouped(waiting)} new
          </Button>
        </p>
      )}
      <div role="rowgroup" ref={top} className="relative" style={{ height: virtual.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return (
            row !== undefined && (
              <div
                key={keyOf(row)}
                role="row"
                {...listItem}
                aria-rowindex={index + 2}
                aria-selected={selection?.selected.has(keyOf(row))}
                className={cx(
                  grid,
                  'absolute inset-x-0 top-0 hover:bg-sunken aria-selected:bg-accent-soft',
                  'focus-within:outline-2 focus-within:-outline-offset-2 focus-within:outline-accent',
                )}
                style={{ height: rowHeight, transform: `translateY(${start - offset}px)` }}
              >
                {columns.map(({ name, wide, align, cell }) => (
                  <div key={name} role="cell" className={cellClass({ wide, align })}>
                    {cell(row)}
                  </div>
                ))}
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

/** Returns how far an element is below the top of the document, also after what stands above it grew or shrank. */
function useOffset(element: RefObject<HTMLElement | null>): number {
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => {
    const measure = () => setOffset(element.current?.offsetTop ?? 0);
    measure();
    // Whatever moves the list also changes the length of the document.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element]);
  return offset;
}

function tracks<Row>(columns: readonly Column<Row>[]): CSSProperties {
  const of = (list: readonly Column<Row>[]) => list.map(({ width }) => width ?? 'minmax(0,1fr)').join(' ');
  const style: CSSProperties & Record<'--all' | '--medium' | '--narrow', string> = {
    '--all': of(columns),
    '--medium': of(columns.filter(({ wide }) => wide !== 'lg')),
    '--narrow': of(columns.filter(({ wide }) => wide === undefined || wide === false)),
  };
  return style;
}

function cellClass({ wide, align }: Pick<Column<never>, 'wide' | 'align'>): string {
  return cx(
    'min-w-0 truncate',
    wide === true && 'hidden md:block',
    wide === 'lg' && 'hidden lg:block',
    align === 'end' && 'pr-3 text-right last:pr-0',
  );
}
