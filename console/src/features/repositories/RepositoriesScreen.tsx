import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { useActions } from '../../lib/actions.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect, SearchField } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { RepositoryName } from '../../ui/RepositoryName.tsx';
import { Time } from '../../ui/Time.tsx';
import { providerNames } from '../git-connections/words.ts';
import { Guarded } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { repositoriesPath, repositoriesQuery, type Repository, type RepositoryFilters } from './queries.ts';

/** The repositories that sessions can work on. */
export function RepositoriesScreen() {
  const { org } = useParams({ from: '/$org/repositories' });
  return (
    <Guarded org={org} scope="repos:read">
      <Repositories org={org} />
    </Guarded>
  );
}

function Repositories({ org }: { org: string }) {
  const filters = useSearch({ from: '/$org/repositories' });
  const navigate = useNavigate({ from: '/$org/repositories' });
  const query = useInfiniteQuery(repositoriesQuery(org, filters));
  const canWrite = useCan(org, 'repos:write');
  useActions(
    'Repositories',
    canWrite
      ? [
          {
            label: 'New repository',
            key: 'n',
            act: () => void navigate({ to: '/$org/repositories/new', params: { org } }),
          },
        ]
      : [],
  );
  const isDeleted = filters.state === 'deleted';
  const set = (q: string | undefined, state: RepositoryFilters['state']) =>
    void navigate({
      search: { ...(q === undefined ? {} : { q }), ...(state === undefined ? {} : { state }) },
      replace: true,
    });
  const add = canWrite && (
    <Link to="/$org/repositories/new" params={{ org }} className={buttonClass('primary')}>
      New repository
    </Link>
  );
  return (
    <Page title="Repositories" total={query.data?.pages[0]?.total} actions={add}>
      <Filters>
        <SearchField label="Search repositories" value={filters.q} onChange={(q) => set(q, filters.state)} />
        <FilterSelect
          label="State"
          value={filters.state}
          options={[['deleted', 'Deleted in the last 30 days']]}
          onChange={(state) => set(filters.q, state === 'deleted' ? state : undefined)}
        />
      </Filters>
      <DataTable
        label="Repositories"
        query={query}
        columns={isDeleted ? deletedColumns(org, canWrite) : columnsOf(org)}
        keyOf={(repository) => repository.id}
        clear={Object.keys(filters).length > 0 ? () => void navigate({ search: {} }) : undefined}
        empty={
          <Empty action={add}>
            A session works on a repository: it starts from a branch, and delivers its change on another one.
          </Empty>
        }
      />
    </Page>
  );
}

const never = <span className="text-ink-3">never</span>;

function columnsOf(org: string): readonly Column<Repository>[] {
  return [
    {
      name: 'Repository',
      cell: ({ id, repo }) => (
        <Link to="/$org/repositories/$id" params={{ org, id }} className={rowLink} title={repo}>
          <RepositoryName repo={repo} />
        </Link>
      ),
    },
    { name: 'Git host', wide: 'lg', width: '88px', cell: ({ provider }) => providerNames[provider] },
    {
      name: 'Branch',
      wide: true,
      width: 'minmax(0,0.4fr)',
      cell: ({ default_branch: branch }) => <code>{branch}</code>,
    },
    {
      name: 'Check',
      wide: true,
      width: 'minmax(0,0.6fr)',
      cell: ({ environment: { verify_command: check } }) =>
        check === '' ? <span className="text-ink-3">none</span> : <code title={check}>{check.slice(0, 200)}</code>,
    },
    {
      name: 'Last session',
      width: '112px',
      cell: ({ last_session_at: at }) => (at === null ? never : <Time at={at} />),
    },
  ];
}

function deletedColumns(org: string, canWrite: boolean): readonly Column<Repository>[] {
  return [
    { name: 'Repository', cell: ({ repo }) => <span title={repo}>{repo}</span> },
    { name: 'Deleted', width: '112px', cell: ({ deleted_at: at }) => (at === null ? never : <Time at={at} />) },
    {
      name: 'Action',
      width: '96px',
      align: 'end',
      cell: (repository) => canWrite && <Restore org={org} repository={repository} />,
    },
  ];
}

function Restore({ org, repository: { id, repo } }: { org: string; repository: Repository }) {
  const restore = useAction({
    call: () => unwrap(apiOf(org).POST(`${repositoriesPath}/{id}/restore`, { params: { path: { id } }, body: {} })),
    touches: [keys.all(org, 'repositories')],
    says: `${repo} is back.`,
  });
  return (
    <Button onClick={() => restore.mutate()} disabled={restore.isPending} aria-label={`Restore ${repo}`}>
      Restore
    </Button>
  );
}
