import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { money } from '../../../lib/format.ts';
import { useSearch } from '../../../lib/useSearch.ts';
import { Failed } from '../../../ui/Notice.tsx';
import { Filters, FilterSelect } from '../../../ui/Filters.tsx';
import { Page } from '../../../ui/Page.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { Guarded } from '../../shell/Needs.tsx';
import { BarChart } from '../BarChart.tsx';
import { PeriodChoice } from '../PeriodChoice.tsx';
import { amount } from '../numbers.ts';
import { before, dayWord, periodWord, thisCycle, type Period } from '../period.ts';
import { groupings, measures, type ConsumptionSearch, type Measure } from '../search.ts';
import { Cycle } from './Cycle.tsx';
import { Cycles } from './Cycles.tsx';
import { ConsumptionTable } from './ConsumptionTable.tsx';
import { dailyQuery } from './queries.ts';
import { seriesOf } from './rows.ts';

const groupingWords: Record<(typeof groupings)[number], string> = {
  user: 'by user',
  service_user: 'by service user',
  repo: 'by repository',
  model: 'by model',
  automation: 'by automation',
  tag: 'by tag',
};

const measureWords: Record<Measure, string> = { cost: 'Cost', tokens: 'Tokens', minutes: 'Minutes in sandboxes' };

/** What sessions cost: the cycle at a glance, days as a chart, and the same numbers as a table. */
export function ConsumptionScreen() {
  const { org } = useParams({ from: '/$org/consumption' });
  return (
    <Page title="Consumption">
      <Guarded org={org} scope="analytics:read">
        <Consumption org={org} />
      </Guarded>
    </Page>
  );
}

function Consumption({ org }: { org: string }) {
  const search = useSearch({ from: '/$org/consumption' });
  const navigate = useNavigate({ from: '/$org/consumption' });
  const { by, what: measure = 'cost' } = search;
  const period = { ...thisCycle(new Date()), ...search };
  const change = (part: ConsumptionSearch) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  return (
    <>
      <Cycle org={org} />
      <Filters>
        <PeriodChoice period={period} onChange={({ from, to }) => change({ from, to })} />
        <FilterSelect
          label="Groups"
          value={by}
          options={groupings.map((id) => [id, groupingWords[id]] as const)}
          none="none"
          onChange={(id) => {
            const grouping = groupings.find((one) => one === id);
            void navigate({
              search: ({ by: _by, rows: _rows, ...old }) => ({
                ...old,
                ...(grouping === undefined ? {} : { by: grouping }),
              }),
              replace: true,
            });
          }}
        />
        <select
          aria-label="Measure"
          value={measure}
          onChange={({ target }) => {
            const chosen = measures.find((one) => one === target.value);
            if (chosen !== undefined) change({ what: chosen });
          }}
          className="h-8 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
        >
          {measures.map((id) => (
            <option key={id} value={id}>
              {measureWords[id]}
            </option>
          ))}
        </select>
      </Filters>
      <Days
        org={org}
        period={period}
        search={search}
        measure={measure}
        onRows={(rows) =>
          void navigate({
            search: ({ rows: _rows, ...old }) => ({ ...old, ...(rows === 'days' ? { rows } : {}) }),
            replace: true,
          })
        }
      />
      <Cycles org={org} by={by} />
    </>
  );
}

interface DaysProps {
  org: string;
  period: Period;
  search: ConsumptionSearch;
  measure: Measure;
  onRows: (rows: 'groups' | 'days') => void;
}

function Days({ org, period, search, measure, onRows }: DaysProps) {
  const query = useQuery({ ...dailyQuery(org, period, search.by), placeholderData: keepPreviousData });
  const previous = useQuery({ ...dailyQuery(org, before(period), search.by), placeholderData: keepPreviousData });
  const daily = query.data;
  if (daily === undefined && query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (daily === undefined) return <SkeletonRows rows={8} height={32} />;
  const format = measure === 'cost' ? money : amount;
  const label = `${measureWords[measure]}, ${periodWord(daily)}`;
  return (
    <div className="flex flex-col gap-6 px-4 py-4 sm:px-6" aria-busy={query.isPlaceholderData}>
      {query.isError && <Failed error={query.error} retry={() => void query.refetch()} />}
      <BarChart
        label={label}
        bars={daily.days.map(({ date }) => dayWord(date))}
        series={seriesOf(daily, measure)}
        format={format}
      />
      <ConsumptionTable
        org={org}
        daily={daily}
        previous={previous.isPlaceholderData ? undefined : previous.data}
        measure={measure}
        format={format}
        rows={search.rows ?? (daily.group_by === '' ? 'days' : 'groups')}
        onRows={onRows}
      />
    </div>
  );
}
