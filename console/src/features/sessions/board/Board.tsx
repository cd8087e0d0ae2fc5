import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, type ReactNode } from 'react';
import type { Schemas } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Failed } from '../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { useCalm } from '../../../ui/useCalm.ts';
import { listItem, useListKeys } from '../../../ui/useListKeys.ts';
import type { Filters } from '../list/filters.ts';
import { queueQuery, sessionsQuery } from '../queries.ts';
import { Card } from './Card.tsx';
import { columns, queueWords, type BoardColumn } from './columns.ts';

interface Props {
  org: string;
  filters: Filters;
  counts: Schemas['SessionCounts'] | undefined;
  canRun: boolean;
}

/** Sessions in three columns: what needs a person, what works, and what is done. */
export function Board({ org, filters, counts, canRun }: Props) {
  const board = useRef<HTMLDivElement>(null);
  useListKeys(board);
  return (
    <div ref={board} className="grid flex-1 grid-cols-[minmax(0,1fr)] md:grid-cols-3">
      {columns.map((column) => (
        <Column key={column.title} org={org} column={column} filters={filters} counts={counts} canRun={canRun} />
      ))}
    </div>
  );
}

function Column({ org, column, filters, counts, canRun }: Props & { column: BoardColumn }) {
  const { title, set, empty, amountOf } = column;
  const all = { ...filters, ...set };
  const query = useInfiniteQuery(sessionsQuery(org, all));
  const list = useRef<HTMLUListElement>(null);
  const read = query.data?.pages[0]?.items ?? [];
  const { rows, waiting, showAll } = useCalm({
    rows: read,
    keyOf: ({ id }) => id,
    list,
    filters: query.isSuccess ? JSON.stringify(all) : undefined,
  });
  const amount = counts === undefined ? undefined : amountOf(counts);
  return (
    <section aria-label={title} className="flex flex-col border-line md:border-r md:last:border-r-0">
      <header className="sticky top-0 z-1 flex flex-wrap items-baseline gap-x-2 border-b border-line bg-canvas px-4 py-2">
        <h2 className="font-medium">{title}</h2>
        {amount !== undefined && <span className="mono text-ink-3">{count(amount)}</span>}
        {title === 'Working' && <Queue org={org} counts={counts} filters={filters} />}
      </header>
      {query.isPending && <SkeletonRows rows={4} height={72} />}
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
      {waiting > 0 && (
        <Button look="primary" onClick={showAll} className="mx-4 my-2">
          {count(waiting)} new
        </Button>
      )}
      <ul ref={list}>
        {rows.map((session) => (
          <li key={session.id} {...listItem}>
            <Card org={org} session={session} canRun={canRun} />
          </li>
        ))}
      </ul>
      {query.isSuccess && read.length === 0 && (
        <p className="px-4 py-6 text-ink-3">
          {Object.keys(filters).length > 0 ? 'Nothing here fits the filters.' : empty}
        </p>
      )}
      {query.hasNextPage && (
        <TableLink org={org} search={{ ...all, view: 'table' }}>
          {title === 'Done' ? 'Earlier ones' : 'All of them'}
        </TableLink>
      )}
    </section>
  );
}

function Queue({ org, counts, filters }: Pick<Props, 'org' | 'counts' | 'filters'>) {
  const { data: queue } = useQuery(queueQuery(org));
  const paused = counts?.suspended ?? 0;
  return (
    <span className="ml-auto flex gap-2 text-meta text-ink-3">
      {queue !== undefined && queueWords(queue)}
      {paused > 0 && (
        <Link
          to="/$org/sessions"
          params={{ org }}
          search={{
            ...filters,
            status: 'suspended',
            view: 'table',
          }}
          className="underline hover:text-ink"
        >
          {count(paused)} paused
        </Link>
      )}
    </span>
  );
}

function TableLink({
  org,
  search,
  children,
}: {
  org: string;
  search: Filters & { view: 'table' };
  children: ReactNode;
}) {
  return (
    <Link
      to="/$org/sessions"
      params={{ org }}
      search={search}
      className="flex h-11 items-center px-4 text-ink-2 underline hover:text-ink"
    >
      {children}
    </Link>
  );
}
