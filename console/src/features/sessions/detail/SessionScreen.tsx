import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ApiError, type Session } from '../../../lib/api.ts';
import { shortId } from '../../../lib/format.ts';
import { useTitle } from '../../../lib/title.ts';
import { Failed } from '../../../ui/Notice.tsx';
import { Money } from '../../../ui/Money.tsx';
import { PhaseRail } from '../../../ui/PhaseRail.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { NotHere } from '../../shell/NotHere.tsx';
import { sessionQuery } from '../queries.ts';
import { StateLabel } from '../StateLabel.tsx';
import { notchesOf, stateOf } from '../state.ts';
import { Timeline } from '../timeline/Timeline.tsx';
import { useCan } from '../../shell/useCan.ts';
import { Reply } from './Reply.tsx';
import { useMarkRead } from './useMarkRead.ts';

/** A session: its state, its log, and a field to answer it. */
export function SessionScreen() {
  const { org, id } = useParams({ from: '/$org/sessions/$id' });
  const query = useQuery(sessionQuery(org, id));
  const session = query.data;
  const canReply = useCan(org, 'run') && session?.status !== 'canceled';
  useMarkRead(org, session);
  useTitle(session === undefined ? '' : `${session.title} · ${stateOf(session).word}`);
  if (query.error instanceof ApiError && query.error.status === 404) return <NotHere />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (session === undefined) return <SkeletonRows rows={8} height={40} />;
  return (
    <article data-fills className="flex min-h-0 flex-1 flex-col">
      <Header org={org} session={session} />
      {session.error !== null && <Failure error={session.error} />}
      <Timeline key={id} org={org} session={session} />
      {canReply && <Reply org={org} session={session} />}
    </article>
  );
}

function Header({ org, session }: { org: string; session: Session }) {
  const { budget, usage, repositories, change_requests: requests } = session;
  return (
    <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line bg-canvas px-4 py-2 sm:px-6">
      <Link to="/$org/sessions" params={{ org }} aria-label="All sessions" className="px-1 text-title text-ink-3">
        ‹
      </Link>
      <h1 className="min-w-0 flex-1 basis-64 truncate text-title font-medium" title={session.title}>
        {session.title}
      </h1>
      <PhaseRail notches={notchesOf(session)} size={14} />
      <StateLabel session={session} />
      <p className="flex w-full flex-wrap gap-x-4 pl-6 text-meta text-ink-3">
        {repositories.map(({ repo, branch }) => (
          <span key={repo}>
            {repo} <code>{branch}</code>
          </span>
        ))}
        {requests.map(({ number, repo, state }) => (
          <span key={`${repo}#${number}`}>
            Change request #{number}, {state}
          </span>
        ))}
        <span>
          <Money usd={usage.cost_usd} />
          {budget.max_cost_usd !== undefined && (
            <>
              {' of '}
              <Money usd={budget.max_cost_usd} />
            </>
          )}
        </span>
        <code title={session.id}>{shortId(session.id)}</code>
      </p>
    </header>
  );
}

function Failure({ error }: { error: NonNullable<Session['error']> }) {
  return (
    <p className="max-w-[72ch] border-l-2 border-bad bg-bad-soft px-3 py-2">
      {error.message} <code className="text-ink-3">{error.code}</code>
    </p>
  );
}
