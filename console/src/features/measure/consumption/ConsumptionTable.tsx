import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { count, money } from '../../../lib/format.ts';
import { buttonClass } from '../../../ui/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Empty } from '../../../ui/Notice.tsx';
import { FigureTable, type FigureColumn } from '../FigureTable.tsx';
import { amount } from '../numbers.ts';
import { dayWord } from '../period.ts';
import type { Measure } from '../search.ts';
import { changeWord, groupRows, seriesOf, type Daily, type GroupRow, type Use } from './rows.ts';
import { sums } from '../chart.ts';

interface Props {
  org: string;
  daily: Daily;
  /** The same number of days before. */
  previous: Daily | undefined;
  measure: Measure;
  format: (value: number) => string;
  rows: 'groups' | 'days';
  onRows: (rows: 'groups' | 'days') => void;
}

/** The numbers of the chart: by group, or by day. */
export function ConsumptionTable(props: Props) {
  const { org, daily, rows, onRows } = props;
  if (daily.totals.calls === 0 && daily.totals.sandbox_minutes === 0)
    return (
      <Empty
        action={
          <Link to="/$org/sessions" params={{ org }} className={buttonClass()}>
            To the sessions
          </Link>
        }
      >
        Nothing was used in these days. What sessions cost appears here within two minutes.
      </Empty>
    );
  return (
    <>
      {daily.group_by !== '' && (
        <div
          role="group"
          aria-label="Rows"
          className="flex w-fit overflow-hidden rounded-control border border-line-strong"
        >
          {(['groups', 'days'] as const).map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={rows === one}
              onClick={() => onRows(one)}
              className={cx(
                'h-8 px-3 pointer-coarse:h-11',
                rows === one ? 'bg-accent-soft font-medium' : 'bg-surface text-ink-2 hover:bg-sunken',
              )}
            >
              By {one === 'groups' ? 'group' : 'day'}
            </button>
          ))}
        </div>
      )}
      {daily.group_by !== '' && rows === 'groups' ? <Groups {...props} /> : <Days {...props} />}
      {daily.group_by === 'tag' && (
        <p className="text-meta text-ink-3">A session with two tags counts in both, so these may be more than all.</p>
      )}
    </>
  );
}

function numbersOf<Row>(useOf: (row: Row) => Use): FigureColumn<Row>[] {
  const tokens = (
    name: string,
    field: 'input_tokens' | 'output_tokens' | 'cached_input_tokens',
  ): FigureColumn<Row> => ({
    name,
    end: true,
    value: (row) => useOf(row)[field],
    show: (row) => <span title={count(useOf(row)[field])}>{amount(useOf(row)[field])}</span>,
  });
  return [
    { name: 'Calls', end: true, value: (row) => useOf(row).calls, show: (row) => count(useOf(row).calls) },
    tokens('Tokens in', 'input_tokens'),
    tokens('out', 'output_tokens'),
    tokens('cached', 'cached_input_tokens'),
    {
      name: 'Sandbox minutes',
      end: true,
      value: (row) => useOf(row).sandbox_minutes,
      show: (row) => amount(useOf(row).sandbox_minutes),
    },
    {
      name: 'Cost',
      end: true,
      value: (row) => useOf(row).cost_usd,
      show: (row) => <span title={`$${useOf(row).cost_usd}`}>{money(useOf(row).cost_usd)}</span>,
    },
  ];
}

function Groups({ org, daily, previous }: Props) {
  const columns: FigureColumn<GroupRow>[] = [
    { name: 'Group', value: ({ name }) => name, show: (row) => <GroupName org={org} by={daily.group_by} row={row} /> },
    ...numbersOf<GroupRow>(({ totals }) => totals),
    {
      name: 'Δ to before',
      end: true,
      value: ({ totals, costBefore }) => changeWord(totals.cost_usd, costBefore),
    },
  ];
  return (
    <FigureTable
      label="Consumption by group"
      file={`consumption-by-${daily.group_by}-${daily.from}-${daily.to}`}
      columns={columns}
      rows={groupRows(daily, previous)}
      keyOf={({ id, name }) => `${id} ${name}`}
      total={{ id: '', name: 'All', totals: daily.totals, costBefore: previous?.totals.cost_usd }}
    />
  );
}

/** Leads to the sessions of the group, where the list of sessions can tell them apart. */
function GroupName({ org, by, row: { id, name } }: { org: string; by: Daily['group_by']; row: GroupRow }): ReactNode {
  const look = 'underline decoration-line-strong underline-offset-2 hover:decoration-ink';
  if (id === '') return name;
  if (by === 'automation')
    return (
      <Link to="/$org/automations/$id" params={{ org, id }} className={look}>
        {name}
      </Link>
    );
  const search = {
    user: { by: id },
    service_user: { by: id },
    repo: { repo: id },
    tag: { tag: id },
    model: undefined,
    '': undefined,
  }[by];
  if (search === undefined) return name;
  return (
    <Link to="/$org/sessions" params={{ org }} search={search} className={look}>
      {name}
    </Link>
  );
}

interface DayRow {
  date: string;
  use: Use;
  /** The values of the chart's series on this day. */
  parts: readonly number[];
}

function Days({ daily, measure, format }: Props) {
  const series = daily.group_by === '' ? [] : seriesOf(daily, measure);
  const rows = daily.days.map((day, at): DayRow => ({
    date: day.date,
    use: day,
    parts: series.map(({ values }) => values[at] ?? 0),
  }));
  const columns: FigureColumn<DayRow>[] = [
    { name: 'Day', value: ({ date }) => date, show: ({ date }) => (date.includes('-') ? dayWord(date) : date) },
    ...(series.length === 0
      ? numbersOf<DayRow>(({ use }) => use)
      : series.map(({ name }, at) => ({
          name,
          end: true,
          value: ({ parts }: DayRow) => parts[at] ?? 0,
          show: ({ parts }: DayRow) => format(parts[at] ?? 0),
        }))),
  ];
  const total: DayRow = {
    date: 'All',
    use: daily.totals,
    parts: series.map(
      ({ values }) => sums([{ name: '', values: [values.reduce((sum, value) => sum + value, 0)] }], 1)[0] ?? 0,
    ),
  };
  return (
    <FigureTable
      label="Consumption by day"
      file={`consumption-by-day-${daily.from}-${daily.to}`}
      columns={columns}
      rows={rows.toReversed()}
      keyOf={({ date }) => date}
      total={total}
    />
  );
}
