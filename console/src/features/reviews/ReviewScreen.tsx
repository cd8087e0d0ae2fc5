import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { isGone } from '../../lib/errors.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { backLink, Body, Page } from '../../ui/Page.tsx';
import { Guarded, Needs } from '../shell/Needs.tsx';
import { Unread } from '../shell/Unread.tsx';
import { reviewQuery, type Review } from './queries.ts';
import { ReviewBody } from './ReviewBody.tsx';
import { stateOf } from './words.ts';

/** A review: what it says of a change request, and what it found. */
export function ReviewScreen() {
  const { org, id } = useParams({ from: '/$org/reviews/$id' });
  return (
    <Guarded org={org} scope="reviews:read">
      <ReadReview org={org} id={id} />
    </Guarded>
  );
}

function ReadReview({ org, id }: { org: string; id: string }) {
  const query = useQuery(reviewQuery(org, id));
  if (query.data === undefined || isGone(query.error)) return <Unread query={query} what="Review" />;
  return <OneReview org={org} review={query.data} />;
}

function OneReview({ org, review }: { org: string; review: Review }) {
  const { repo, repository_id: repository, number } = review;
  const title = `Review of ${repo} #${number}`;
  return (
    <Page
      title={title}
      tab={`${title} · ${stateOf(review).word}`}
      recent={title}
      back={
        <Link to="/$org/reviews" params={{ org }} aria-label="All reviews" className={backLink}>
          ‹
        </Link>
      }
      actions={
        <Link
          to="/$org/repositories/$repository/change-requests/$number"
          params={{ org, repository, number: String(number) }}
          className={buttonClass('primary')}
        >
          Change request
        </Link>
      }
    >
      <Body>
        <ReviewBody org={org} review={review} />
        <Needs org={org} scope="reviews:write" what="Deciding about findings" />
      </Body>
    </Page>
  );
}
