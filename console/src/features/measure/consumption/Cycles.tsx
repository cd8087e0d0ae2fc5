import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { apiOf, unwrap } from '../../../lib/api.ts';
import { count, money } from '../../../lib/format.ts';
import { useAction } from '../../../lib/useAction.ts';
import { Button } from '../../../ui/Button.tsx';
import { Failed } from '../../../ui/Notice.tsx';
import { Section } from '../../../ui/Page.tsx';
import { download } from '../csv.ts';
import { periodWord } from '../period.ts';
import type { Grouping } from '../search.ts';
import { cyclesQuery, type Cycle } from './queries.ts';

/** The billing cycles, each with its days as a file, grouped as the page is. */
export function Cycles({ org, by }: { org: string; by: Grouping | undefined }) {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(cyclesQuery(org));
  const cycles = data?.pages.flatMap(({ items }) => items) ?? [];
  if (error !== null && cycles.length === 0) return <Failed error={error} retry={() => void refetch()} />;
  if (cycles.length === 0) return null;
  return (
    <div className="px-4 pb-8 sm:px-6">
      <Section title="Cycles">
        <ul className="flex flex-col">
          {cycles.map((cycle) => (
            <Row key={cycle.id} org={org} cycle={cycle} by={by} />
          ))}
        </ul>
        {hasNextPage && (
          <div>
            <Button disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Earlier cycles
            </Button>
          </div>
        )}
      </Section>
    </div>
  );
}

function Row({ org, cycle, by }: { org: string; cycle: Cycle; by: Grouping | undefined }) {
  const { id, start, end, state, calls, cost_usd: cost } = cycle;
  const save = useAction({
    call: async () => {
      const params = { path: { id }, query: by === undefined ? {} : { group_by: by } };
      const path = '/v3/organizations/{orgId}/consumption/cycles/{id}/export';
      download(`cycle-${start}.csv`, await unwrap(apiOf(org).GET(path, { params, parseAs: 'text' })));
    },
  });
  return (
    <li className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line py-1">
      <Link
        to="/$org/consumption"
        params={{ org }}
        search={{ from: start, to: end, ...(by === undefined ? {} : { by }) }}
        className="inline-flex w-44 items-center font-medium hover:underline pointer-coarse:min-h-11"
      >
        {periodWord({ from: start, to: end })}
      </Link>
      <span className="mono w-24 text-right">{money(cost)}</span>
      <span className="mono w-28 text-right text-ink-3">{count(calls)} calls</span>
      <span className="min-w-0 flex-1 text-ink-3">{state === 'open' ? 'goes on' : ''}</span>
      <Button
        disabled={save.isPending}
        aria-label={`Days as CSV: ${periodWord({ from: start, to: end })}`}
        onClick={() => save.mutate()}
      >
        <Download size={16} strokeWidth={1.5} aria-hidden />
        Days as CSV
      </Button>
    </li>
  );
}
