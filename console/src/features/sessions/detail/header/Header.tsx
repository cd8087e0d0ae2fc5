import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { shortId } from '../../../../lib/format.ts';
import { Chip } from '../../../../ui/Chip.tsx';
import { Money } from '../../../../ui/Money.tsx';
import { PhaseRail } from '../../../../ui/PhaseRail.tsx';
import { useBackToList } from '../../../../ui/useBackToList.ts';
import { useCan } from '../../../shell/useCan.ts';
import { notchesOf } from '../../state.ts';
import { StateLabel } from '../../StateLabel.tsx';
import { Clock } from './Clock.tsx';
import { EditBar, type Editing } from './EditBar.tsx';
import { MainAction } from './MainAction.tsx';
import { SessionMenu } from './SessionMenu.tsx';
import { useSessionActions } from './useSessionActions.ts';

interface Props {
  org: string;
  session: Session;
  /** Leads to the field for a message. */
  answer: () => void;
}

/** What the session is and how it stands, the one thing to do, and everything else behind `⋯`. */
export function Header({ org, session, answer }: Props) {
  const actions = useSessionActions(org, session);
  const [editing, setEditing] = useState<Editing>();
  const toList = useBackToList();
  const { title, tags, archived } = session;
  const [heading, bar] = [useRef<HTMLHeadingElement>(null), useRef<HTMLDivElement>(null)];
  const close = () => {
    // The form would take the focus with it.
    if (bar.current?.contains(document.activeElement) === true) heading.current?.focus();
    setEditing(undefined);
  };
  return (
    <>
      <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2">
        <Link
          to="/$org/sessions"
          params={{ org }}
          aria-label="All sessions"
          onClickCapture={toList}
          className="grid size-8 place-items-center text-title text-ink-3 hover:text-ink pointer-coarse:size-11"
        >
          ‹
        </Link>
        <h1
          ref={heading}
          tabIndex={-1}
          className="line-clamp-2 min-w-0 flex-1 text-title font-medium break-words max-md:basis-[calc(100%-112px)] xl:line-clamp-1"
          title={title}
        >
          {title}
        </h1>
        <div className="order-1 flex flex-1 flex-wrap items-center gap-x-3 gap-y-1 pl-1 md:order-none md:flex-none">
          <PhaseRail notches={notchesOf(session)} size={14} />
          <span role="status">
            <StateLabel session={session} />
          </span>
          <Clock session={session} />
        </div>
        <span className="order-1 md:order-none">
          <MainAction
            org={org}
            session={session}
            actions={actions}
            answer={answer}
            raise={() => setEditing('budget')}
          />
        </span>
        <SessionMenu org={org} session={session} actions={actions} edit={setEditing} />
        <Facts org={org} session={session} />
        {(tags.length > 0 || archived) && (
          <p className="order-3 flex w-full flex-wrap gap-1 pl-1">
            {archived && <Chip tone="wait">archived</Chip>}
            {tags.map((tag) => (
              <Chip key={tag}>{tag}</Chip>
            ))}
          </p>
        )}
      </header>
      {editing !== undefined && (
        <div ref={bar} className="shrink-0">
          <EditBar key={editing} org={org} session={session} what={editing} close={close} />
        </div>
      )}
    </>
  );
}

function Facts({ org, session }: { org: string; session: Session }) {
  const { id, repositories, change_requests: requests, usage, budget } = session;
  const { automation_id: automation, automation_run_id: runId, forked_from: forkedFrom } = session;
  const canReadRepositories = useCan(org, 'repos:read');
  return (
    <p className="order-2 flex w-full flex-wrap items-baseline gap-x-4 pl-1 text-meta text-ink-3">
      {repositories.map(({ repo, branch }) => (
        <span key={repo} className="max-w-full truncate">
          {repo} <code>{branch}</code>
        </span>
      ))}
      {requests.map(({ number, repo, repository_id: repository, state, draft }) => {
        const words = `Change request #${number}, ${draft && state === 'open' ? 'draft' : state}`;
        return canReadRepositories ? (
          <Link
            key={`${repo}#${number}`}
            to="/$org/repositories/$repository/change-requests/$number"
            params={{ org, repository, number: String(number) }}
            className={factLink}
          >
            {words}
          </Link>
        ) : (
          <span key={`${repo}#${number}`}>{words}</span>
        );
      })}
      {forkedFrom !== '' && (
        <Link to="/$org/sessions/$id" params={{ org, id: forkedFrom }} className={factLink}>
          Forked from another session
        </Link>
      )}
      {runId !== '' && (
        <Link to="/$org/automations/$id/runs/$runId" params={{ org, id: automation, runId }} className={factLink}>
          Run of an automation
        </Link>
      )}
      <span>
        <Money usd={usage.cost_usd} />
        {budget.max_cost_usd !== undefined && (
          <>
            {' of '}
            <Money usd={budget.max_cost_usd} />
          </>
        )}
      </span>
      <code title={id}>{shortId(id)}</code>
    </p>
  );
}

const factLink = 'inline-flex min-h-6 items-center underline hover:text-ink pointer-coarse:min-h-11';
