import { Link } from '@tanstack/react-router';
import { GitPullRequest } from 'lucide-react';
import type { Session } from '../../../lib/api.ts';
import { useCan } from '../../shell/useCan.ts';

/** The first change request of a session, by its number; leads to it who may read it. */
export function RequestChip({ org, session: { change_requests: requests } }: { org: string; session: Session }) {
  const canRead = useCan(org, 'repos:read');
  const [request] = requests;
  if (request === undefined) return null;
  const { number, repo, state, repository_id: repository } = request;
  const look = 'mono inline-flex min-h-6 items-center gap-1 text-meta text-ink-2';
  const title = `Change request #${number} in ${repo}, ${state}`;
  const content = (
    <>
      <GitPullRequest size={12} strokeWidth={1.5} aria-hidden />
      <span className="sr-only">Change request</span>#{number}
    </>
  );
  if (!canRead)
    return (
      <span title={title} className={look}>
        {content}
      </span>
    );
  return (
    <Link
      to="/$org/repositories/$repository/change-requests/$number"
      params={{ org, repository, number: String(number) }}
      title={title}
      // It stands above the link of the whole row.
      className={`${look} relative z-1 hover:underline pointer-coarse:min-h-11`}
    >
      {content}
    </Link>
  );
}
