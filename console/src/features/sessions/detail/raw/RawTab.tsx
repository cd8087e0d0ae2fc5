import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import type { SessionEvent } from '@guildhall/client';
import { copyText } from '../../../../lib/copy.ts';
import { count } from '../../../../lib/format.ts';
import type { ListPage } from '../../../../lib/list.ts';
import { useSearch } from '../../../../lib/useSearch.ts';
import { Button } from '../../../../ui/Button.tsx';
import { fieldClass } from '../../../../ui/Field.tsx';
import { Empty, Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { eventsQuery } from '../queries.ts';

const kinds: SessionEvent['kind'][] = [
  'approval',
  'artifact',
  'branch_pushed',
  'budget',
  'change_request',
  'checkpoint',
  'child',
  'command',
  'error',
  'file_change',
  'message',
  'output',
  'phase',
  'plan',
  'provisioning',
  'status',
  'structured_output',
  'thought',
  'tool_call',
  'tool_result',
  'usage',
  'warning',
];

/** The events as the API has them, by kind. */
export function RawTab({ org, id }: { org: string; id: string }) {
  const { kind } = useSearch({ from: '/$org/sessions/$id' });
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const query = useInfiniteQuery(eventsQuery(org, id, kind === undefined ? {} : { kind }));
  const choose = (next: string) =>
    void navigate({
      search: ({ kind: _before, ...now }) => ({ ...now, tab: 'raw' as const, ...(next === '' ? {} : { kind: next }) }),
      hash: true,
      replace: true,
    });
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex items-center gap-2 px-4 py-1">
        <select
          aria-label="Kind of events"
          value={kind ?? ''}
          onChange={({ target }) => choose(target.value)}
          className={`${fieldClass} max-w-56`}
        >
          <option value="">All kinds</option>
          {kinds.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <span className="ml-auto whitespace-nowrap text-ink-3">{count(query.data?.pages[0]?.total ?? 0)} events</span>
        <Button look="bare" onClick={() => void query.refetch()} disabled={query.isFetching}>
          Read again
        </Button>
      </div>
      <Content query={query} clear={kind === undefined ? undefined : () => choose('')} />
    </div>
  );
}

type EventsQuery = UseInfiniteQueryResult<InfiniteData<ListPage<SessionEvent>>>;

function Content({ query, clear }: { query: EventsQuery; clear: (() => void) | undefined }) {
  if (query.isPending) return <SkeletonRows rows={10} height={28} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const events = query.data.pages.flatMap(({ items }) => items);
  if (events.length === 0 && clear !== undefined)
    return <Empty action={<Button onClick={clear}>Show all kinds</Button>}>There is no event of this kind.</Empty>;
  if (events.length === 0) return <Empty>There are no events yet.</Empty>;
  return <Events events={events} query={query} />;
}

/** The events as lines that open; only those in view are in the page. */
function Events({ events, query }: { events: readonly SessionEvent[]; query: EventsQuery }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const rows = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 28,
    overscan: 12,
    getItemKey: (at) => events[at]?.seq ?? at,
  });
  const shown = rows.getVirtualItems();
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const isNearEnd = (shown.at(-1)?.index ?? 0) >= events.length - 40;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, fetchNextPage]);
  const flip = (seq: number) =>
    setOpen((now) => (now.has(seq) ? new Set([...now].filter((one) => one !== seq)) : new Set([...now, seq])));
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-auto">
      <ol aria-label="Events" className="relative" style={{ height: rows.getTotalSize() }}>
        {shown.map(({ key, index, start }) => {
          const event = events[index];
          return (
            event !== undefined && (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0 border-b border-line"
                style={{ transform: `translateY(${start}px)` }}
              >
                <Event event={event} isOpen={open.has(event.seq)} flip={flip} />
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}

/** Longer ones are shown in part; the copy has all. */
const longest = 20_000;

interface EventProps {
  event: SessionEvent;
  isOpen: boolean;
  flip: (seq: number) => void;
}

function Event({ event, isOpen, flip }: EventProps) {
  const { seq, kind, created_at: at, data } = event;
  const text = isOpen ? JSON.stringify(event, null, 2) : JSON.stringify(data).slice(0, 300);
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => flip(seq)}
        className="mono flex min-h-7 w-full items-center gap-3 px-4 text-left text-meta -outline-offset-2 hover:bg-sunken pointer-coarse:min-h-11"
      >
        <span className="w-[6ch] shrink-0 text-right text-ink-3">{seq}</span>
        <span className="w-[14ch] shrink-0 truncate font-medium">{kind}</span>
        <span className="hidden shrink-0 text-ink-3 sm:inline">{at.slice(11, 23)}</span>
        {!isOpen && <span className="min-w-0 truncate text-ink-2">{text}</span>}
      </button>
      {isOpen && (
        <div className="px-4 pb-2">
          <Button look="bare" onClick={() => void copyText(JSON.stringify(event, null, 2))}>
            Copy
          </Button>
          <pre className="max-h-[60vh] overflow-auto rounded-control bg-sunken p-3 break-words whitespace-pre-wrap">
            {text.slice(0, longest)}
            {text.length > longest && '\n…'}
          </pre>
        </div>
      )}
    </>
  );
}
