import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Filters, SearchField } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { useCan } from '../shell/useCan.ts';
import { branchesQuery, type Branch, type Repository } from './queries.ts';

interface Props {
  org: string;
  repository: Repository;
  search: string;
  setSearch: (search: string) => void;
}

/** The branches of a repository. */
export function Branches({ org, repository: { id, repo }, search, setSearch }: Props) {
  const query = useInfiniteQuery(branchesQuery(org, id, search));
  const navigate = useNavigate({ from: '/$org/repositories/$id' });
  const canRun = useCan(org, 'run');
  const columns: readonly Column<Branch>[] = [
    {
      name: 'Branch',
      cell: ({ name, is_default: isDefault }) => (
        <span title={name}>
          <code>{name}</code> {isDefault && <Chip>default</Chip>}
        </span>
      ),
    },
    {
      name: 'Commit',
      wide: true,
      width: '112px',
      cell: ({ commit }) => <code title={commit}>{commit.slice(0, 10)}</code>,
    },
    {
      name: 'Action',
      width: '112px',
      align: 'end',
      cell: ({ name }) =>
        canRun && (
          <Link
            to="/$org/sessions/new"
            params={{ org }}
            search={{ repo, ref: name }}
            aria-label={`New session on ${name}`}
            className="inline-flex min-h-6 items-center underline pointer-coarse:min-h-11"
          >
            New session
          </Link>
        ),
    },
  ];
  return (
    <div className="pt-3">
      <Filters>
        <SearchField
          label="Search branches"
          value={search === '' ? undefined : search}
          onChange={(next) => setSearch(next ?? '')}
        />
      </Filters>
      <DataTable
        label="Branches"
        query={query}
        columns={columns}
        keyOf={({ name }) => name}
        clear={search === '' ? undefined : () => setSearch('')}
        empty={
          <Empty
            action={
              <Button onClick={() => void navigate({ search: { tab: 'push' }, replace: true })}>
                Show how to push
              </Button>
            }
          >
            Nothing has been pushed to it yet.
          </Empty>
        }
      />
    </div>
  );
}
