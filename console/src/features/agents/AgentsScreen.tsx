import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActions } from '../../lib/actions.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { agentsListQuery, runtimesQuery, type Agent, type Runtime } from './queries.ts';
import { problemOf, runtimeIdOf } from './runtime.ts';

/** The agents that sessions can be given to. */
export function AgentsScreen() {
  const { org } = useParams({ from: '/$org/agents' });
  return (
    <Guarded org={org} scope="org:read">
      <Agents org={org} />
    </Guarded>
  );
}

function Agents({ org }: { org: string }) {
  const query = useInfiniteQuery(agentsListQuery(org));
  const { data: runtimes } = useQuery(runtimesQuery(org));
  const canWrite = useCan(org, 'org:write');
  const navigate = useNavigate();
  useActions(
    'Agents',
    canWrite
      ? [{ label: 'New agent', key: 'n', act: () => void navigate({ to: '/$org/agents/new', params: { org } }) }]
      : [],
  );
  const add = canWrite && (
    <Link to="/$org/agents/new" params={{ org }} className={buttonClass('primary')}>
      New agent
    </Link>
  );
  return (
    <Page title="Agents" total={query.data?.pages[0]?.total} actions={add}>
      <DataTable
        label="Agents"
        query={query}
        columns={columnsOf(org, runtimes)}
        keyOf={(agent) => agent.id}
        empty={<Empty action={add}>An agent is who works in a session: a program, a model, and what it is told.</Empty>}
      />
    </Page>
  );
}

function columnsOf(org: string, runtimes: readonly Runtime[] | undefined): readonly Column<Agent>[] {
  return [
    {
      name: 'Agent',
      cell: ({ id, name }) => (
        <Link to="/$org/agents/$id" params={{ org, id }} className={rowLink} title={name}>
          {name}
        </Link>
      ),
    },
    {
      name: 'Description',
      wide: true,
      cell: ({ description }) => <span className="text-ink-2">{description.slice(0, 200)}</span>,
    },
    {
      name: 'Program',
      width: 'minmax(0,0.6fr)',
      cell: (agent) => {
        const id = runtimeIdOf(agent);
        const problem = problemOf(agent, runtimes);
        return (
          <span title={problem}>
            {runtimes?.find((one) => one.id === id)?.name ?? id}{' '}
            {problem !== '' && <Chip tone="wait">cannot start</Chip>}
          </span>
        );
      },
    },
    {
      name: 'Model',
      wide: true,
      width: 'minmax(0,0.6fr)',
      cell: ({ model }) => (model === '' ? <span className="text-ink-3">the default</span> : <code>{model}</code>),
    },
    { name: 'Changed', wide: true, width: '112px', cell: ({ updated_at: at }) => <Time at={at} /> },
  ];
}
