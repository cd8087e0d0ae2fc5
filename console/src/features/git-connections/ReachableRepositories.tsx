import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { apiOf, unwrap } from '../../lib/api.ts';
import { keys } from '../../lib/keys.ts';
import { useAction } from '../../lib/useAction.ts';
import { Button } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable } from '../../ui/DataTable.tsx';
import { Filters, SearchField } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { RepositoryName } from '../../ui/RepositoryName.tsx';
import { useCan } from '../shell/useCan.ts';
import { reachableKey, reachableQuery, type Connection, type Reachable } from './queries.ts';

interface Props {
  org: string;
  connection: Connection;
  search: string;
  setSearch: (search: string) => void;
}

/** The repositories that a connection reaches at its host; each can be connected. */
export function ReachableRepositories({ org, connection, search, setSearch }: Props) {
  const query = useInfiniteQuery(reachableQuery(org, connection.id, search));
  const canWrite = useCan(org, 'repos:write');
  return (
    <div className="pt-3">
      <Filters>
        <SearchField
          label="Search repositories"
          value={search === '' ? undefined : search}
          onChange={(next) => setSearch(next ?? '')}
        />
      </Filters>
      <DataTable
        label="Repositories that it reaches"
        query={query}
        columns={columnsOf(org, connection, canWrite)}
        keyOf={({ repo }) => repo}
        clear={search === '' ? undefined : () => setSearch('')}
        empty={
          <Empty>Its credential reaches no repository. Grant it some at the host, then verify the connection.</Empty>
        }
      />
    </div>
  );
}

const link = 'inline-flex min-h-6 items-center underline pointer-coarse:min-h-11';

function columnsOf(org: string, connection: Connection, canWrite: boolean): readonly Column<Reachable>[] {
  return [
    {
      name: 'Repository',
      cell: ({ repo }) => (
        <span title={repo}>
          <RepositoryName repo={repo} />
        </span>
      ),
    },
    {
      name: 'Branch',
      wide: true,
      width: 'minmax(0,0.4fr)',
      cell: ({ default_branch: branch }) =>
        branch === '' ? <span className="text-ink-3">empty</span> : <code title={branch}>{branch}</code>,
    },
    {
      name: 'Who reads it',
      wide: true,
      width: '96px',
      cell: ({ private: isPrivate }) => <Chip>{isPrivate ? 'private' : 'public'}</Chip>,
    },
    {
      name: 'Action',
      width: '104px',
      align: 'end',
      cell: (row) => {
        const { repo, repository_id: id } = row;
        if (id === '') return canWrite && <Connect org={org} connection={connection} repo={repo} />;
        return (
          <Link to="/$org/repositories/$id" params={{ org, id }} aria-label={`Open ${repo}`} className={link}>
            Open
          </Link>
        );
      },
    },
  ];
}

function Connect({ org, connection: { id, provider }, repo }: { org: string; connection: Connection; repo: string }) {
  const navigate = useNavigate();
  const connect = useAction({
    call: () =>
      unwrap(
        apiOf(org).POST('/v3/organizations/{orgId}/repositories', { body: { provider, repo, connection_id: id } }),
      ),
    touches: [keys.all(org, 'repositories'), reachableKey(org, id)],
    says: `${repo} is connected. Sessions can work on it.`,
    done: ({ id: repository }) => navigate({ to: '/$org/repositories/$id', params: { org, id: repository } }),
  });
  return (
    <Button onClick={() => connect.mutate()} disabled={connect.isPending} aria-label={`Connect ${repo}`}>
      Connect
    </Button>
  );
}
