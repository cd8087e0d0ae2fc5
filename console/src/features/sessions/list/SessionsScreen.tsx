import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Empty, Failed } from '../../../ui/Notice.tsx';
import { Button, buttonClass } from '../../../ui/Button.tsx';
import { Page } from '../../../ui/Page.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { useCan } from '../../shell/useCan.ts';
import { countsQuery, sessionsQuery } from '../queries.ts';
import { FilterBar } from './FilterBar.tsx';
import { SessionRows } from './SessionRows.tsx';

/** All sessions that fit the filters of the address. */
export function SessionsScreen() {
  const { org } = useParams({ from: '/$org/sessions' });
  const filters = useSearch({ from: '/$org/sessions' });
  const navigate = useNavigate({ from: '/$org/sessions' });
  const list = useInfiniteQuery(sessionsQuery(org, filters));
  const canRun = useCan(org, 'run');
  const { data: counts } = useQuery(countsQuery(org, filters));
  const total = list.data?.pages[0]?.total;
  const clear = () => void navigate({ search: {} });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <Page
      title="Sessions"
      total={total}
      actions={
        canRun && (
          <Link to="/$org/sessions/new" params={{ org }} className={buttonClass('primary')}>
            New session
          </Link>
        )
      }
    >
      <FilterBar
        key={filters.q}
        filters={filters}
        counts={counts}
        onChange={(search) => void navigate({ search, replace: true })}
      />
      {list.isPending && <SkeletonRows rows={12} height={56} />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && total === 0 && isFiltered && (
        <Empty action={<Button onClick={clear}>Clear the filters</Button>}>No session fits these filters.</Empty>
      )}
      {list.isSuccess && total === 0 && !isFiltered && <NoSessions org={org} canRun={canRun} />}
      {list.isSuccess && total !== 0 && <SessionRows org={org} list={list} />}
    </Page>
  );
}

function NoSessions({ org, canRun }: { org: string; canRun: boolean }) {
  const start = (
    <Link to="/$org/sessions/new" params={{ org }} className={buttonClass()}>
      Start the first
    </Link>
  );
  return (
    <Empty action={canRun && start}>A session is one run of an agent against a repository. There are none yet.</Empty>
  );
}
