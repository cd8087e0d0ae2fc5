import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useActions } from '../../lib/actions.ts';
import { buttonClass } from '../../ui/Button.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { MachineTabs } from '../service-users/MachineTabs.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { appsQuery, type App } from './queries.ts';

/** The apps of an organization. */
export function AppsScreen() {
  const { org } = useParams({ from: '/$org/apps' });
  return (
    <Guarded org={org} scope="org:read">
      <Apps org={org} />
    </Guarded>
  );
}

function Apps({ org }: { org: string }) {
  const query = useInfiniteQuery(appsQuery(org));
  const canChange = useCan(org, 'org:write');
  const navigate = useNavigate();
  const create = () => void navigate({ to: '/$org/apps/new', params: { org } });
  useActions('Apps', canChange ? [{ label: 'New app', key: 'n', act: create }] : []);
  const link = (look: 'primary' | 'quiet') =>
    canChange && (
      <Link to="/$org/apps/new" params={{ org }} className={buttonClass(look)}>
        New app
      </Link>
    );
  return (
    <Page title="Apps" total={query.data?.pages[0]?.total} actions={link('primary')}>
      <MachineTabs org={org} />
      <DataTable
        label="Apps"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ id }) => id}
        empty={
          <Empty action={link('quiet')}>
            An app is a program of someone else, such as a chat bot, that calls the API with keys of its own. There are
            none yet.
          </Empty>
        }
      />
    </Page>
  );
}

function columnsOf(org: string): Column<App>[] {
  return [
    {
      name: 'Name',
      cell: ({ id, name, description }) => (
        <>
          <Link to="/$org/apps/$id" params={{ org, id }} className={rowLink}>
            {name}
          </Link>{' '}
          <span className="text-ink-3">{description}</span>
        </>
      ),
    },
    { name: 'Created', width: '112px', wide: true, align: 'end', cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}
