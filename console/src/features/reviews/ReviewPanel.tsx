import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Chip } from '../../ui/Chip.tsx';
import { Failed } from '../../ui/Notice.tsx';
import { Body, Section } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Time } from '../../ui/Time.tsx';
import type { ChangeRequest } from '../change-requests/queries.ts';
import { Needs } from '../shell/Needs.tsx';
import { useCan } from '../shell/useCan.ts';
import { requestReviewsQuery, type Review } from './queries.ts';
import { ReviewBody } from './ReviewBody.tsx';
import { StartReview } from './StartReview.tsx';
import { stateOf } from './words.ts';

/** The newest review of a change request, and how to start one of its present head. */
export function ReviewPanel({ org, request }: { org: string; request: ChangeRequest }) {
  const { repository_id: repository, number, head_sha: head, state } = request;
  const query = useQuery(requestReviewsQuery(org, repository, number));
  const canStart = useCan(org, 'reviews:write') && state === 'open';
  if (query.isPending) return <SkeletonRows rows={6} height={40} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const [latest, ...earlier] = query.data;
  const isReviewed = query.data.some(({ head_sha: commit }) => commit === head);
  return (
    <Body>
      {!isReviewed && (
        <>
          <p className="text-ink-2">
            {latest === undefined ? 'No review has read this change.' : 'No review has read the present commit.'}
          </p>
          {canStart && <StartReview org={org} request={request} />}
        </>
      )}
      {latest !== undefined && <ReviewBody key={latest.id} org={org} review={latest} />}
      {earlier.length > 0 && <Earlier org={org} reviews={earlier} />}
      <Needs org={org} scope="reviews:write" what="Starting reviews and deciding about findings" />
    </Body>
  );
}

function Earlier({ org, reviews }: { org: string; reviews: readonly Review[] }) {
  return (
    <Section title="Earlier reviews">
      <ul>
        {reviews.map((review) => {
          const { id, head_sha: head, created_at: at } = review;
          const { word, tone } = stateOf(review);
          return (
            <li
              key={id}
              className="flex min-h-8 flex-wrap items-center gap-3 border-b border-line pointer-coarse:min-h-11"
            >
              <Link
                to="/$org/reviews/$id"
                params={{ org, id }}
                className="mono inline-flex min-h-6 items-center underline pointer-coarse:min-h-11"
              >
                {head.slice(0, 10)}
              </Link>
              <Chip tone={tone}>{word}</Chip>
              <span className="text-ink-3">
                <Time at={at} />
              </span>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
