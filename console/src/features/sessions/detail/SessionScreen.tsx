import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useActions } from '../../../lib/actions.ts';
import type { Session } from '../../../lib/api.ts';
import { recall, remember } from '../../../lib/storage.ts';
import { useTitle } from '../../../lib/title.ts';
import { useMedia } from '../../../lib/useMedia.ts';
import { useCan } from '../../shell/useCan.ts';
import { Unread } from '../../shell/Unread.tsx';
import { sessionQuery } from '../queries.ts';
import { stateOf } from '../state.ts';
import { Timeline } from '../timeline/Timeline.tsx';
import { Header } from './header/Header.tsx';
import { Pane } from './pane/Pane.tsx';
import { SessionTabs } from './pane/SessionTabs.tsx';
import { NoReply } from './NoReply.tsx';
import { Reply } from './Reply.tsx';
import { useIsLost } from './useIsLost.ts';
import { useMarkRead } from './useMarkRead.ts';
import { useOutbox } from './useOutbox.ts';
import { useReplyDraft, type ReplyDraft } from './useReplyDraft.ts';

/** A session: its state, its log with a field to answer, and beside it what belongs to it. */
export function SessionScreen() {
  const { org, id } = useParams({ from: '/$org/sessions/$id' });
  // What the stream tells of is read at once; this mends what a failed read left behind.
  const query = useQuery({ ...sessionQuery(org, id), refetchInterval: 30_000 });
  const session = query.data;
  useMarkRead(org, session);
  useTitle(session === undefined ? '' : `${session.title} · ${stateOf(session).word}`, session?.title ?? '');
  if (session !== undefined) return <Content key={id} org={org} session={session} />;
  return <Unread query={query} what="Session" />;
}

const hiddenName = 'session-pane-hidden';

function Content({ org, session }: { org: string; session: Session }) {
  const { id, error } = session;
  const isWide = useMedia('(min-width: 1024px)');
  const [isHidden, setHidden] = useState(() => recall(hiddenName) === 'yes');
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const canRun = useCan(org, 'run');
  const isLost = useIsLost(org, session);
  const canReply = canRun && session.status !== 'canceled' && isLost === false;
  const outbox = useOutbox(org, id);
  const field = useRef<HTMLTextAreaElement>(null);
  const reply = useReplyDraft(id);
  const answer = () => {
    if (!isWide) void navigate({ search: ({ tab: _tab, ...now }) => now, hash: true, replace: true });
    // The field is there after the log is shown.
    requestAnimationFrame(() => field.current?.focus());
  };
  const hide = () => {
    setHidden(!isHidden);
    remember(hiddenName, isHidden ? undefined : 'yes');
  };
  useActions('Session', [
    ...(canReply ? [{ label: 'Reply', key: 'r', act: answer }] : []),
    ...(isWide ? [{ label: isHidden ? 'Show the right side' : 'Hide the right side', key: '\\', act: hide }] : []),
  ]);
  const edit = (back: ReplyDraft) => {
    reply.takeBack(back);
    answer();
  };
  const log = () => (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {error !== null && <Failure error={error} />}
      <Timeline org={org} session={session} outbox={outbox} edit={edit} />
      {canReply && <Reply org={org} session={session} outbox={outbox} reply={reply} field={field} />}
      {canRun && isLost === true && <NoReply org={org} session={session} />}
    </div>
  );
  return (
    <article data-fills className="flex min-h-0 flex-1 flex-col">
      <Header org={org} session={session} answer={answer} />
      {isWide ? (
        <div className="flex min-h-0 flex-1">
          {log()}
          {!isHidden && (
            <Pane>
              <SessionTabs org={org} session={session} />
            </Pane>
          )}
        </div>
      ) : (
        <SessionTabs org={org} session={session} log={log} />
      )}
    </article>
  );
}

function Failure({ error }: { error: NonNullable<Session['error']> }) {
  return (
    <p className="shrink-0 border-l-2 border-bad bg-bad-soft px-4 py-2 break-words">
      {error.message} <code className="text-ink-3">{error.code}</code>
    </p>
  );
}
