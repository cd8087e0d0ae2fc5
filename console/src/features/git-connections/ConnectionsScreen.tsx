import { useInfiniteQuery } from '@tanstack/react-query';
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
import { connectionsQuery, type Connection } from './queries.ts';
import { providerNames, stateOf } from './words.ts';

/** The git hosts that sessions reach, and if each of them works. */
export function ConnectionsScreen() {
  const { org } = useParams({ from: '/$org/git-connections' });
  return (
    <Guarded org={org} scope="repos:read">
      <Connections org={org} />
    </Guarded>
  );
}

function Connections({ org }: { org: string }) {
  const navigate = useNavigate();
  const query = useInfiniteQuery(connectionsQuery(org));
  const canWrite = useCan(org, 'repos:write');
  const create = () => void navigate({ to: '/$org/git-connections/new', params: { org } });
  useActions('Git connections', canWrite ? [{ label: 'New git connection', key: 'n', act: create }] : []);
  const add = canWrite && (
    <Link to="/$org/git-connections/new" params={{ org }} className={buttonClass('primary')}>
      New git connection
    </Link>
  );
  return (
    <Page title="Git connections" total={query.data?.pages[0]?.total} actions={add}>
      <DataTable
        label="Git connections"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ id }) => id}
        empty={<Empty action={add}>A git connection lets sessions work on the repositories of a git host.</Empty>}
      />
    </Page>
  );
}

const none = <span className="text-ink-3">–</span>;

function columnsOf(org: string): readonly Column<Connection>[] {
  return [
    {
      name: 'Connection',
      cell: ({ id, name }) => (
        <Link to="/$org/git-connections/$id" params={{ org, id }} className={rowLink} title={name}>
          {name}
        </Link>
      ),
    },
    { name: 'Kind', wide: true, width: '88px', cell: ({ provider }) => providerNames[provider] },
    {
      name: 'Host',
      wide: true,
      width: 'minmax(0,0.7fr)',
      cell: ({ host }) => (host === '' ? none : <code title={host}>{host}</code>),
    },
    {
      name: 'Account',
      wide: 'lg',
      width: 'minmax(0,0.5fr)',
      cell: ({ account }) => (account === '' ? none : <span title={account}>{account}</span>),
    },
    {
      name: 'State',
      width: '176px',
      cell: (connection) => {
        const { word, tone } = stateOf(connection);
        return (
          <span title={connection.problem}>
            <Chip tone={tone}>{word}</Chip>
          </span>
        );
      },
    },
    {
      name: 'Last verified',
      wide: 'lg',
      width: '112px',
      align: 'end',
      cell: ({ last_verified_at: at }) => (at === null ? <span className="text-ink-3">never</span> : <Time at={at} />),
    },
  ];
}
