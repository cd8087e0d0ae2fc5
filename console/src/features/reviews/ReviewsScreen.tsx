import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useSearch } from '../../lib/useSearch.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Chip } from '../../ui/Chip.tsx';
import type { Column } from '../../ui/column.ts';
import { DataTable, rowLink } from '../../ui/DataTable.tsx';
import { Filters, FilterSelect } from '../../ui/Filters.tsx';
import { Empty } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { reviewsQuery, type Review } from './queries.ts';
import { postingWord, stateOf, statusOptions } from './words.ts';

/** The reviews of the change requests of all repositories. */
export function ReviewsScreen() {
  const { org } = useParams({ from: '/$org/reviews' });
  return (
    <Guarded org={org} scope="reviews:read">
      <Reviews org={org} />
    </Guarded>
  );
}

function Reviews({ org }: { org: string }) {
  const filters = useSearch({ from: '/$org/reviews' });
  const navigate = useNavigate({ from: '/$org/reviews' });
  const query = useInfiniteQuery(reviewsQuery(org, filters));
  const empty = (
    <Empty
      action={
        <Link to="/$org/change-requests" params={{ org }} className={buttonClass()}>
          Choose a change request
        </Link>
      }
    >
      A review reads a change request and reports findings at its lines. Start one on a change request, or let the
      policy of a repository start them.
    </Empty>
  );
  return (
    <Page title="Reviews" total={query.data?.pages[0]?.total}>
      <Filters>
        <FilterSelect
          label="Status"
          value={filters.status}
          options={statusOptions}
          onChange={(status) => void navigate({ search: status === undefined ? {} : { status }, replace: true })}
        />
      </Filters>
      <DataTable
        label="Reviews"
        query={query}
        columns={columnsOf(org)}
        keyOf={({ id }) => id}
        empty={empty}
        clear={filters.status === undefined ? undefined : () => void navigate({ search: {} })}
        calm={JSON.stringify(filters)}
      />
    </Page>
  );
}

function columnsOf(org: string): readonly Column<Review>[] {
  return [
    {
      name: 'Change request',
      cell: ({ id, repo, number }) => (
        <Link to="/$org/reviews/$id" params={{ org, id }} className={rowLink} title={`${repo} #${number}`}>
          {repo} <span className="mono text-ink-3">#{number}</span>
        </Link>
      ),
    },
    {
      name: 'Commit',
      wide: true,
      width: '104px',
      cell: ({ head_sha: head }) => <code title={head}>{head.slice(0, 10)}</code>,
    },
    {
      name: 'Result',
      width: '144px',
      cell: (review) => {
        const { word, tone } = stateOf(review);
        return (
          <span title={review.problem}>
            <Chip tone={tone}>{word}</Chip>
          </span>
        );
      },
    },
    {
      name: 'Findings',
      wide: true,
      width: '80px',
      align: 'end',
      cell: ({ status, findings_count: count }) =>
        status === 'completed' ? <span className="mono">{count}</span> : <span className="text-ink-3">–</span>,
    },
    {
      name: 'Post',
      wide: 'lg',
      width: 'minmax(0,0.6fr)',
      cell: (review) => {
        const word = postingWord(review);
        return word === '' ? (
          <span className="text-ink-3">–</span>
        ) : (
          <span title={review.posting_problem === '' ? word : review.posting_problem}>{word}</span>
        );
      },
    },
    {
      name: 'Started by',
      wide: 'lg',
      width: '112px',
      cell: ({ trigger }) => (trigger === 'policy' ? 'the policy' : 'a request'),
    },
    { name: 'Started', wide: true, width: '96px', align: 'end', cell: ({ created_at: at }) => <Time at={at} /> },
  ];
}
