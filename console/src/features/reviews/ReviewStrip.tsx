import { Link } from '@tanstack/react-router';
import { Chip } from '../../ui/Chip.tsx';
import type { ChangeRequest } from '../change-requests/queries.ts';
import { useRequestReview } from './useRequestReview.ts';
import { findingWords, stateOf } from './words.ts';

/** How the newest review of a change request stands, in one line; nothing before the first. */
export function ReviewStrip({ org, request }: { org: string; request: ChangeRequest }) {
  const { repository_id: repository, number, head_sha: head } = request;
  const { latest, findings } = useRequestReview(org, request);
  if (latest === undefined) return null;
  const { word, tone } = stateOf(latest);
  return (
    <section
      aria-label="Review"
      className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface px-4 py-1 sm:px-6"
    >
      <span className="text-ink-3">Review</span>
      <Chip tone={tone}>{word}</Chip>
      {latest.status === 'completed' && (
        <Link
          to="/$org/repositories/$repository/change-requests/$number"
          params={{ org, repository, number: String(number) }}
          search={{ tab: 'review' }}
          replace
          resetScroll={false}
          className="inline-flex min-h-6 items-center underline pointer-coarse:min-h-11"
        >
          {findingWords(findings)}
        </Link>
      )}
      {latest.head_sha !== head && (
        <span className="text-ink-2">
          of <code>{latest.head_sha.slice(0, 10)}</code>, before the last push
        </span>
      )}
    </section>
  );
}
