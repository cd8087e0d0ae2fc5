import { useQuery } from '@tanstack/react-query';
import type { ChangeRequest } from '../change-requests/queries.ts';
import { useCan } from '../shell/useCan.ts';
import { findingsQuery, requestReviewsQuery, type Finding } from './queries.ts';

const none: readonly Finding[] = [];

/** The newest review of a change request, and what it found; nothing for who may not read reviews. */
export function useRequestReview(org: string, request: ChangeRequest) {
  const { repository_id: repository, number, head_sha: head } = request;
  const canRead = useCan(org, 'reviews:read');
  const { data: reviews = [] } = useQuery({ ...requestReviewsQuery(org, repository, number), enabled: canRead });
  const latest = reviews.at(0);
  const isCompleted = latest?.status === 'completed';
  const { data: findings = none } = useQuery(findingsQuery(org, isCompleted ? latest.id : ''));
  // The lines of a finding are those of the commit that was reviewed.
  return { canRead, latest, findings, atLines: latest?.head_sha === head ? findings : none };
}
