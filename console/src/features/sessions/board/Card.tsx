import { Link } from '@tanstack/react-router';
import type { Session } from '../../../lib/api.ts';
import { Money } from '../../../ui/Money.tsx';
import { PhaseRail } from '../../../ui/PhaseRail.tsx';
import { RepositoryName } from '../../../ui/RepositoryName.tsx';
import { Time } from '../../../ui/Time.tsx';
import { RequestChip } from '../list/RequestChip.tsx';
import { UnreadDot } from '../list/UnreadDot.tsx';
import { StateLabel } from '../StateLabel.tsx';
import { notchesOf } from '../state.ts';
import { isWorking, workedOf } from '../worked.ts';
import { ApprovalActions } from './ApprovalActions.tsx';
import { BudgetActions } from './BudgetActions.tsx';

/** A session on the board: what it is, what it does now, and what a person can do about it at once. */
export function Card({ org, session, canRun }: { org: string; session: Session; canRun: boolean }) {
  const { id, title, unread, attention, activity, status, error } = session;
  return (
    <article className="flex flex-col gap-1 border-b border-line px-4 py-3 focus-within:bg-sunken hover:bg-sunken">
      <p className="flex items-center gap-2">
        <PhaseRail notches={notchesOf(session)} />
        <StateLabel session={session} />
        <span className="ml-auto flex items-center gap-2 text-meta text-ink-3">
          <RequestChip org={org} session={session} />
          {unread && <UnreadDot />}
        </span>
      </p>
      <Link
        to="/$org/sessions/$id"
        params={{ org, id }}
        // Its target reaches beyond it, so that a title of one line leaves no gap.
        className="relative text-read font-medium break-words hover:underline pointer-coarse:after:absolute pointer-coarse:after:inset-x-0 pointer-coarse:after:-inset-y-2.5"
      >
        <span className="line-clamp-2">{title}</span>
      </Link>
      <Meta session={session} />
      {isWorking(session) && activity.text !== '' && (
        <p className="mono truncate text-ink-2" title={activity.text}>
          {activity.text}
        </p>
      )}
      {status === 'failed' && error?.message !== undefined && (
        <p className="line-clamp-2 break-words text-ink-2">{error.message}</p>
      )}
      {attention === 'approval' && <ApprovalActions org={org} session={session} canRun={canRun} />}
      {attention === 'budget' && canRun && <BudgetActions org={org} session={session} />}
      {attention === 'answer' && canRun && (
        <p>
          <Link
            to="/$org/sessions/$id"
            params={{ org, id }}
            className="inline-flex min-h-6 items-center font-medium text-wait underline pointer-coarse:min-h-11"
          >
            Answer
          </Link>
        </p>
      )}
    </article>
  );
}

function Meta({ session }: { session: Session }) {
  const { repositories, created_by: creator, created_at: at, ended_at: ended, usage } = session;
  const worked = isWorking(session) ? undefined : workedOf(session, 0);
  return (
    <p className="flex flex-wrap gap-x-2 text-meta whitespace-nowrap text-ink-3">
      {repositories[0] !== undefined && <RepositoryName repo={repositories[0].repo} />}
      {creator.name !== '' && <span className="max-w-40 min-w-12 truncate">{creator.name}</span>}
      <Time at={ended ?? at} />
      {worked !== undefined && (
        <span className="mono" title="Time that it worked">
          {worked}
        </span>
      )}
      <Money usd={usage.cost_usd} />
    </p>
  );
}
