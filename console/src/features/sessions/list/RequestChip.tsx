import { GitPullRequest } from 'lucide-react';
import type { Session } from '../../../lib/api.ts';

/** The first change request of a session, by its number. */
export function RequestChip({ session: { change_requests: requests } }: { session: Session }) {
  const [request] = requests;
  if (request === undefined) return null;
  return (
    <span
      title={`Change request #${request.number} in ${request.repo}, ${request.state}`}
      className="mono inline-flex items-center gap-1 text-meta text-ink-2"
    >
      <GitPullRequest size={12} strokeWidth={1.5} aria-hidden />
      <span className="sr-only">Change request</span>#{request.number}
    </span>
  );
}
