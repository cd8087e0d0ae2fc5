import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { count } from '../../../lib/format.ts';
import { useSearch } from '../../../lib/useSearch.ts';
import { Failed } from '../../../ui/Notice.tsx';
import { Filters, SearchField } from '../../../ui/Filters.tsx';
import { Page } from '../../../ui/Page.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { Tabs } from '../../../ui/Tabs.tsx';
import { Guarded } from '../../shell/Needs.tsx';
import { BarChart } from '../BarChart.tsx';
import { FigureTable, type FigureColumn } from '../FigureTable.tsx';
import { Figures } from '../Figures.tsx';
import { PeriodChoice } from '../PeriodChoice.tsx';
import { dayWord, lastDays, periodWord } from '../period.ts';
import { intervals, topics, type Interval, type Topic } from '../search.ts';
import { Followed } from './Followed.tsx';
import { Outcomes } from './Outcomes.tsx';
import { summaryQuery, topicQuery, type MetricsFilters } from './queries.ts';
import { headFigures, numberOf, topicInfos, type Numbers } from './topics.ts';

const intervalWords: Record<Interval, string> = { day: 'Each day', week: 'Each week', month: 'Each month' };

/** How well it goes: rates and times at a glance, intervals as a chart, and the same numbers as a table. */
export function MetricsScreen() {
  const { org } = useParams({ from: '/$org/metrics' });
  return (
    <Page title="Metrics">
      <Guarded org={org} scope="analytics:read">
        <Metrics org={org} />
      </Guarded>
    </Page>
  );
}

function Metrics({ org }: { org: string }) {
  const search = useSearch({ from: '/$org/metrics' });
  const navigate = useNavigate({ from: '/$org/metrics' });
  const { what = 'sessions', every = 'day', repo, tag } = search;
  const { from, to } = { ...lastDays(30, new Date()), ...search };
  const filters: MetricsFilters = { from, to, every, repo, tag };
  const change = (part: object) => void navigate({ search: (old) => ({ ...old, ...part }), replace: true });
  return (
    <>
      <Filters>
        <PeriodChoice period={{ from, to }} onChange={(period) => change(period)} />
        <select
          aria-label="Interval"
          value={every}
          onChange={({ target }) => change({ every: intervals.find((one) => one === target.value) })}
          className="h-8 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
        >
          {intervals.map((id) => (
            <option key={id} value={id}>
              {intervalWords[id]}
            </option>
          ))}
        </select>
        <SearchField isWhole label="Repository: owner/name" value={repo} onChange={(name) => change({ repo: name })} />
        <SearchField isWhole label="Tag" value={tag} onChange={(name) => change({ tag: name })} />
      </Filters>
      <Summary org={org} filters={filters} />
      <Tabs
        label="Metrics"
        value={what}
        onChange={(topic) => change({ what: topic })}
        tabs={topics.map((id) => ({
          id,
          label: topicInfos[id].label,
          content: () => <TopicPart org={org} topic={id} filters={filters} />,
        }))}
      />
    </>
  );
}

function Summary({ org, filters }: { org: string; filters: MetricsFilters }) {
  const { data, error, refetch } = useQuery(summaryQuery(org, filters));
  if (data === undefined && error !== null) return <Failed error={error} retry={() => void refetch()} />;
  return (
    <div className="min-h-64 px-4 py-4 sm:min-h-44 sm:px-6 xl:min-h-24">
      {data !== undefined && <Figures figures={headFigures(data.totals)} />}
    </div>
  );
}

function TopicPart({ org, topic, filters }: { org: string; topic: Topic; filters: MetricsFilters }) {
  const { data, error, refetch } = useQuery(topicQuery(org, topic, filters));
  const { label, series, columns, format = count } = topicInfos[topic];
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows rows={8} height={32} />;
  const first: FigureColumn<Numbers> = {
    name: filters.every === 'day' ? 'Day' : 'From',
    value: ({ start }) => (start === '' ? 'All' : start),
    show: ({ start }) => (start === '' ? 'All' : dayWord(start)),
  };
  return (
    <div className="flex flex-col gap-6 px-4 py-4 sm:px-6">
      {data.followed !== undefined && <Followed outcomes={data.followed} />}
      {data.outcomes !== undefined && <Outcomes org={org} outcomes={data.outcomes} filters={filters} />}
      <BarChart
        label={`${label}, ${periodWord(filters)}`}
        bars={data.items.map(({ start }) => dayWord(start))}
        series={series.map(([name, field]) => ({ name, values: data.items.map((row) => numberOf(row, field)) }))}
        format={format}
        sum={topic !== 'active-users'}
      />
      <FigureTable
        label={`${label} in numbers`}
        file={`metrics-${topic}-${filters.from}-${filters.to}`}
        columns={[first, ...columns]}
        rows={data.items.toReversed()}
        keyOf={({ start }) => start}
        {...(data.totals === undefined ? {} : { total: data.totals })}
      />
    </div>
  );
}
