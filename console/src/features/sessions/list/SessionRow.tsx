import { Link } from '@tanstack/react-router';
import { GitPullRequest } from 'lucide-react';
import type { Session } from '../../../lib/api.ts';
import { cx } from '../../../ui/cx.ts';
import { Money } from '../../../ui/Money.tsx';
import { PhaseRail } from '../../../ui/PhaseRail.tsx';
import { Time } from '../../../ui/Time.tsx';
import { StateLabel } from '../StateLabel.tsx';
import { notchesOf } from '../state.ts';

/** A session in the list: what, where, who, in which state, for how much. */
export function SessionRow({ org, session }: { org: string; session: Session }) {
  const repository = session.repositories[0]?.repo;
  const isActive = ['provisioning', 'running'].includes(session.status) && session.activity.text !== '';
  const request = session.change_requests[0];
  return (
    <Link
      to="/$org/sessions/$id"
      params={{ org, id: session.id }}
      className="grid h-full grid-cols-[64px_minmax(0,1fr)_auto] items-center gap-x-3 border-b border-line px-4 hover:bg-sunken sm:px-6"
    >
      <PhaseRail notches={notchesOf(session)} />
      <div className="min-w-0">
        <p className={cx('truncate', session.unread ? 'font-bold' : 'font-medium')}>
          {session.unread && <span className="sr-only">Unread: </span>}
          {session.title}
        </p>
        <p className="flex gap-2 truncate text-meta text-ink-3">
          {repository !== undefined && <span className="truncate">{repository}</span>}
          <span className="truncate">{session.created_by.name}</span>
          <Time at={session.created_at} />
          {isActive && <span className="truncate text-ink-2">{session.activity.text}</span>}
        </p>
      </div>
      <div className="flex flex-col items-end">
        <StateLabel session={session} />
        <p className="flex items-center gap-2 text-meta text-ink-3">
          {request !== undefined && (
            <span className="inline-flex items-center gap-0.5">
              <GitPullRequest size={12} strokeWidth={1.5} aria-hidden />
              <span className="sr-only">Change request</span>#{request.number}
            </span>
          )}
          <Money usd={session.usage.cost_usd} />
        </p>
      </div>
    </Link>
  );
}
