import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isGone } from '../../lib/errors.ts';
import { useSearch } from '../../lib/useSearch.ts';
import { Page, backLink } from '../../ui/Page.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Time } from '../../ui/Time.tsx';
import { FollowStrip } from '../follow/FollowStrip.tsx';
import type { Finding } from '../reviews/queries.ts';
import { ReviewPanel } from '../reviews/ReviewPanel.tsx';
import { ReviewStrip } from '../reviews/ReviewStrip.tsx';
import { useRequestReview } from '../reviews/useRequestReview.ts';
import { Guarded } from '../shell/Needs.tsx';
import { NotHere } from '../shell/NotHere.tsx';
import { useCan } from '../shell/useCan.ts';
import { Unread } from '../shell/Unread.tsx';
import { Actions } from './Actions.tsx';
import { AskForm } from './AskForm.tsx';
import { Changes } from './Changes.tsx';
import { Conversation } from './Conversation.tsx';
import { ProofStrip } from './ProofStrip.tsx';
import { Refused } from './Refused.tsx';
import { StateChip } from './StateChip.tsx';
import { commentsQuery, requestQuery, type ChangeRequest, type Place } from './queries.ts';
import { useEnding } from './useEnding.ts';

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
  if (request === undefined || isGone(query.error)) return <Unread query={query} what="Change request" />;
  return <Judged key={request.id} place={place} request={request} />;
}

function Judged({ place, request }: { place: Place; request: ChangeRequest }) {
  const { org } = place;
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const comments = useQuery(commentsQuery(place));
  const { number, title, state } = request;
  const ending = useEnding({ place, request });
  const review = useRequestReview(org, request);
  const [isAsking, setAsking] = useState(false);
  const back = (
    <Link to="/$org/change-requests" params={{ org }} aria-label="All change requests" className={backLink}>
      ‹
    </Link>
  );
  return (
    <Page
      title={title}
      tab={`#${number} ${title} · ${state}`}
      recent={`#${number} ${title}`}
      back={back}
      actions={<Actions place={place} request={request} ending={ending} isAsking={isAsking} setAsking={setAsking} />}
    >
      <Refused place={place} request={request} error={ending.error} />
      {isAsking && (
        <div className="px-4 pb-3 sm:px-6">
          <AskForm place={place} request={request} close={() => setAsking(false)} />
        </div>
      )}
      <Facts org={org} request={request} />
      <ProofStrip place={place} request={request} />
      <ReviewStrip org={org} request={request} />
      <FollowStrip place={place} request={request} />
      <Tabs
        label="Change request"
        value={search.tab ?? 'changes'}
        onChange={(tab) =>
          void navigate({ search: tab === 'changes' ? {} : { tab }, replace: true, resetScroll: false })
        }
        tabs={[
          {
            id: 'changes',
            label: 'Changes',
            amount: request.changed_files,
            content: () => (
              <Changes place={place} request={request} comments={comments.data ?? []} findings={review.atLines} />
            ),
          },
          {
            id: 'conversation',
            label: 'Conversation',
            amount: comments.data?.length,
            content: () => <Conversation place={place} request={request} comments={comments} />,
          },
          ...(review.canRead ? [reviewTab(org, request, review.findings)] : []),
        ]}
      />
    </Page>
  );
}

function reviewTab(org: string, request: ChangeRequest, findings: readonly Finding[]) {
  return {
    id: 'review' as const,
    label: 'Review',
    amount: findings.filter(({ status }) => status === 'open').length,
    content: () => <ReviewPanel org={org} request={request} />,
  };
}

function Facts({ org, request }: { org: string; request: ChangeRequest }) {
  const { number, repo, base_ref: base, head_ref: head, author, created_at: at, additions, deletions } = request;
  // The proof names the session that opened it, for who may see it.
  const isNamed = useCan(org, 'sessions:read') && author.type === 'session' && author.id === request.session_id;
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
      {!isNamed && author.name !== '' && <span className="max-w-full truncate">{author.name}</span>}
      <Time at={at} />
    </p>
  );
}
