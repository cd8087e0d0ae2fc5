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
import { MachineTabs } from './MachineTabs.tsx';
import { serviceUsersQuery, type ServiceUser } from './queries.ts';

/** The principals of programs. */
export function ServiceUsersScreen() {
  const { org } = useParams({ from: '/$org/service-users' });
  return (
    <Guarded org={org} scope="org:read">
      <ServiceUsers org={org} />
    </Guarded>
  );
}

function ServiceUsers({ org }: { org: string }) {
  const query = useInfiniteQuery(serviceUsersQuery(org));
  const canChange = useCan(org, 'org:write');
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/$org/service-users/new', params: { org } });
  useActions('Service users', canChange ? [{ label: 'New service user', key: 'n', act: create }] : []);
  const link = (look: 'primary' | 'quiet') =>
    canChange && (
      <Link to="/$org/service-users/new" params={{ org }} className={buttonClass(look)}>
        New service user
      </Link>
    );
  return (
    <Page title="Service users" total={query.data?.pages[0]?.total} actions={link('primary')}>
      <MachineTabs org={org} />
      <DataTable
        label="Service users"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ id }) => id}
        empty={
          <Empty action={link('quiet')}>
            A service user is a program that works with keys of its own, such as a build server. There are none yet.
          </Empty>
        }
      />
    </Page>
  );
}

function columnsOf(org: string): Column<ServiceUser>[] {
  return [
    {
      name: 'Name',
      cell: ({ id, name, description }) => (
        <>
          <Link to="/$org/service-users/$id" params={{ org, id }} className={rowLink}>
            {name}
          </Link>{' '}
          <span className="text-ink-3">{description}</span>
        </>
      ),
    },
    {
      name: 'State',
      width: '80px',
      cell: ({ disabled_at: at }) => (at === null ? <Chip tone="ok">Active</Chip> : <Chip>Disabled</Chip>),
    },
    { name: 'Created', width: '112px', wide: true, align: 'end', cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}
