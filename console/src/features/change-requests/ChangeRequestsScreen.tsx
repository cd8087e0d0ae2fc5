import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { RepositoryName } from '../../ui/RepositoryName.tsx';
import { Time } from '../../ui/Time.tsx';
import { FollowChip } from '../follow/FollowChip.tsx';
import { followOptions } from '../follow/words.ts';
import { RepositoryChoice } from '../repositories/RepositoryField.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { ProofLabel } from './ProofLabel.tsx';
import { StateChip } from './StateChip.tsx';
import { requestsQuery, type ChangeRequest } from './queries.ts';
import type { RequestFilters } from './search.ts';

/** The change requests of all repositories. */
export function ChangeRequestsScreen() {
  const { org } = useParams({ from: '/$org/change-requests' });
  return (
    <Guarded org={org} scope="repos:read">
      <List org={org} />
    </Guarded>
  );
}

function List({ org }: { org: string }) {
  const filters = useSearch({ from: '/$org/change-requests' });
  const navigate = useNavigate({ from: '/$org/change-requests' });
  const query = useInfiniteQuery(requestsQuery(org, filters));
  const set = (name: keyof RequestFilters, value: string | undefined) => {
    const { [name]: _before, ...others } = filters;
    void navigate({ search: value === undefined ? others : { ...others, [name]: value }, replace: true });
  };
  const isFiltered = Object.keys(filters).length > 0;
  const empty = (
    <Empty
      action={
        <Link to="/$org/change-requests" params={{ org }} search={{ state: 'any' }} className={buttonClass()}>
          Show all states
        </Link>
      }
    >
      No change request is open. Sessions open one when their work is done, unless they are told to deliver something
      else.
    </Empty>
  );
  return (
    <Page title="Change requests" total={query.data?.pages[0]?.total}>
      <Filters>
        <select
          aria-label="State"
          value={filters.state ?? 'open'}
          onChange={({ target }) => set('state', target.value === 'open' ? undefined : target.value)}
          className="h-8 rounded-control border border-line-strong bg-surface px-2 pointer-coarse:h-11"
        >
          <option value="open">Open</option>
          <option value="merged">Merged</option>
          <option value="closed">Closed</option>
          <option value="any">All states</option>
        </select>
        <RepositoryChoice
          org={org}
          label="Repository"
          value={filters.repo ?? ''}
          onChange={(repo) => set('repo', repo === '' ? undefined : repo)}
        />
        <FilterSelect
          label="Author"
          value={filters.author}
          options={[['me', 'Me']]}
          onChange={(author) => set('author', author)}
        />
        <FilterSelect
          label="Until it merges"
          value={filters.follow}
          options={followOptions}
          onChange={(follow) => set('follow', follow)}
        />
      </Filters>
      <DataTable
        label="Change requests"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ id }) => id}
        empty={empty}
        clear={isFiltered ? () => void navigate({ search: {} }) : undefined}
        calm={JSON.stringify(filters)}
      />
    </Page>
  );
}

function columnsOf(org: string): Column<ChangeRequest>[] {
  return [
    { name: 'Change request', cell: (request) => <Title org={org} request={request} /> },
    { name: 'Proof', width: '128px', wide: true, cell: ({ evidence }) => <ProofLabel evidence={evidence} /> },
    { name: 'State', width: '112px', cell: (request) => <Standing request={request} /> },
    { name: 'Until it merges', width: '128px', wide: true, cell: ({ follow }) => <FollowChip follow={follow} /> },
    {
      name: 'Lines',
      width: '112px',
      wide: 'lg',
      align: 'end',
      cell: ({ additions, deletions }) => (
        <span className="mono">
          <span className="text-ok">+{additions}</span> <span className="text-bad">−{deletions}</span>
        </span>
      ),
    },
    { name: 'Opened', width: '96px', wide: 'lg', align: 'end', cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}

/** Its state; where there is no room for how it is followed, that one waits for a person or for its merge. */
function Standing({ request }: { request: ChangeRequest }) {
  const { state, follow } = request;
  const isPressing = state === 'open' && (follow.state === 'needs_person' || follow.state === 'ready');
  if (!isPressing) return <StateChip of={request} />;
  return (
    <>
      <span className="max-md:hidden">
        <StateChip of={request} />
      </span>
      <span className="md:hidden">
        <FollowChip follow={follow} />
      </span>
    </>
  );
}

function Title({ org, request }: { org: string; request: ChangeRequest }) {
  const { repository_id: repository, number, title, repo, author, created_at: at } = request;
  return (
    <>
      <p className="flex items-baseline gap-2">
        <span className="mono text-ink-3">#{number}</span>
        <Link
          to="/$org/repositories/$repository/change-requests/$number"
          params={{ org, repository, number: String(number) }}
          className={`truncate ${rowLink}`}
        >
          {title}
        </Link>
      </p>
      <p className="flex gap-2 text-meta text-ink-3">
        <RepositoryName repo={repo} />
        <span className="truncate">{author.name}</span>
        <span className="lg:hidden">
          <Time at={at} />
        </span>
      </p>
    </>
  );
}
