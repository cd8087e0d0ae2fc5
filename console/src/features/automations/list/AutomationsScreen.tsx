import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../../lib/useSearch.ts';
import { useActions } from '../../../lib/actions.ts';
import { buttonClass } from '../../../ui/Button.tsx';
import { Chip } from '../../../ui/Chip.tsx';
import type { Column } from '../../../ui/column.ts';
import { DataTable, rowLink } from '../../../ui/DataTable.tsx';
import { Filters, FilterSelect, SearchField } from '../../../ui/Filters.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Page } from '../../../ui/Page.tsx';
import { Time } from '../../../ui/Time.tsx';
import { Needs } from '../../shell/Needs.tsx';
import { useCan } from '../../shell/useCan.ts';
import { automationsQuery, weekCostQuery } from '../queries.ts';
import { isOn, remarkOf, triggersWords, type Automation } from '../words.ts';
import { Examples } from './Examples.tsx';
import { LastRuns } from './LastRuns.tsx';
import { OnSwitch } from './OnSwitch.tsx';

const states = [
  ['active', 'active'],
  ['degraded', 'failing'],
  ['paused', 'paused'],
  ['off', 'off'],
] as const;

/** All automations: whether they are on, when they run, how their last runs ended, and what they cost. */
export function AutomationsScreen() {
  const { org } = useParams({ from: '/$org/automations' });
  const filters = useSearch({ from: '/$org/automations' });
  const navigate = useNavigate({ from: '/$org/automations' });
  const query = useInfiniteQuery(automationsQuery(org, filters));
  const canRun = useCan(org, 'run');
  const create = () => void navigate({ to: '/$org/automations/new', params: { org } });
  useActions('Automations', canRun ? [{ label: 'New automation', key: 'n', act: create }] : []);
  const columns = useColumns(org, canRun);
  const change = (part: object) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Automations"
      total={query.data?.pages[0]?.total}
      actions={
        canRun && (
          <Link to="/$org/automations/new" params={{ org }} className={buttonClass('primary')}>
            New automation
          </Link>
        )
      }
    >
      <Filters>
        <SearchField label="Find by name" value={filters.q} onChange={(q) => change({ q })} />
        <FilterSelect label="State" value={filters.status} options={states} onChange={(status) => change({ status })} />
        <Needs org={org} scope="run" what="Changing or running an automation" />
      </Filters>
      <DataTable
        label="Automations"
        query={query}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Examples org={org} canRun={canRun} />}
        clear={isFiltered ? () => void navigate({ search: {} }) : undefined}
      />
    </Page>
  );
}

function useColumns(org: string, canRun: boolean): Column<Automation>[] {
  const canSeeCost = useCan(org, 'analytics:read');
  const { data: week } = useQuery({ ...weekCostQuery(org), enabled: canSeeCost });
  const cost = ({ id }: Automation) => {
    const usd = week?.costs.get(id) ?? (week?.isAll === true ? 0 : undefined);
    return usd !== undefined && <Money usd={usd} />;
  };
  return [
    {
      name: 'On',
      width: canRun ? '44px' : '32px',
      cell: (automation) =>
        canRun ? <OnSwitch org={org} automation={automation} /> : <span>{isOn(automation) ? 'on' : 'off'}</span>,
    },
    { name: 'Automation', width: 'minmax(0,3fr)', cell: (automation) => <Name org={org} automation={automation} /> },
    {
      name: 'Next',
      width: '108px',
      wide: true,
      cell: ({ next_run_at: next }) => next !== null && <Time at={next} />,
    },
    { name: 'Last runs', width: '104px', cell: ({ id }) => <LastRuns org={org} id={id} /> },
    ...(canSeeCost ? [{ name: 'Last 7 days', width: '88px', wide: true, align: 'end' as const, cell: cost }] : []),
  ];
}

function Name({ org, automation }: { org: string; automation: Automation }) {
  const remark = remarkOf(automation);
  return (
    <>
      <span className="flex min-w-0 items-center gap-2">
        <Link
          to="/$org/automations/$id"
          params={{ org, id: automation.id }}
          className={`${rowLink} truncate`}
          title={automation.name}
        >
          {automation.name}
        </Link>
        {remark !== undefined && (
          <span className="shrink-0">
            <Chip tone={remark.tone}>{remark.word}</Chip>
          </span>
        )}
      </span>
      <span className="block truncate text-meta text-ink-3">{triggersWords(automation.triggers)}</span>
    </>
  );
}
