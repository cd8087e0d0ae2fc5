import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { ApiError } from '../../lib/api.ts';
import { Failed } from '../../ui/Notice.tsx';
import { Page, backLink } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Time } from '../../ui/Time.tsx';
import { Guarded } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { Actions } from './Actions.tsx';
import { Changes } from './Changes.tsx';
import { Conversation } from './Conversation.tsx';
import { ProofStrip } from './ProofStrip.tsx';
import { StateChip } from './StateChip.tsx';
import { commentsQuery, requestQuery, type ChangeRequest, type Place } from './queries.ts';

const from = '/$org/repositories/$repository/change-requests/$number' as const;

/** A change request: is it proven, what does it change, what was said, and what becomes of it. */
export function ChangeRequestScreen() {
  const { org, repository, number } = useParams({ from });
  return (
    <Guarded org={org} scope="repos:read">
      {/^\d{1,9}$/.test(number) ? <Request place={{ org, repository, number: Number(number) }} /> : <NotHere />}
    </Guarded>
  );
}

function Request({ place }: { place: Place }) {
  const query = useQuery(requestQuery(place));
  const request = query.data;
  if (query.error instanceof ApiError && query.error.status === 404) return <NotHere />;
  if (query.isError && request === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (request === undefined) return <SkeletonRows rows={8} height={40} />;
  return <Judged place={place} request={request} />;
}

function Judged({ place, request }: { place: Place; request: ChangeRequest }) {
  const { org } = place;
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const comments = useQuery(commentsQuery(place));
  const { number, title, state } = request;
  const back = (
    <Link to="/$org/change-requests" params={{ org }} aria-label="All change requests" className={backLink}>
      ‹
    </Link>
  );
  return (
    <Page
      title={title}
      tab={`#${number} ${title} · ${state}`}
      back={back}
      actions={<Actions key={request.id} place={place} request={request} />}
    >
      <Facts request={request} />
      <ProofStrip place={place} request={request} />
      <Tabs
        label="Change request"
        value={search.tab ?? 'changes'}
        onChange={(tab) =>
          void navigate({ search: tab === 'conversation' ? { tab } : {}, replace: true, resetScroll: false })
        }
        tabs={[
          {
            id: 'changes',
            label: 'Changes',
            amount: request.changed_files,
            content: () => <Changes place={place} request={request} comments={comments.data ?? []} />,
          },
          {
            id: 'conversation',
            label: 'Conversation',
            amount: comments.data?.length,
            content: () => <Conversation place={place} request={request} comments={comments} />,
          },
        ]}
      />
    </Page>
  );
}

function Facts({ request }: { request: ChangeRequest }) {
  const { number, repo, base_ref: base, head_ref: head, author, created_at: at, additions, deletions } = request;
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 pb-3 text-ink-2 sm:px-6">
      <StateChip of={request} />
      <span className="mono">#{number}</span>
      <span className="max-w-full truncate">{repo}</span>
      <span className="mono max-w-full truncate" title={`${head} into ${base}`}>
        {base} ← {head}
      </span>
      <span className="mono whitespace-nowrap">
        <span className="text-ok">+{additions}</span> <span className="text-bad">−{deletions}</span>
      </span>
      {author.type !== 'session' && author.name !== '' && <span className="max-w-full truncate">{author.name}</span>}
      <Time at={at} />
    </p>
  );
}
