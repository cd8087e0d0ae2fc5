import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo } from 'react';
import type { Session } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Empty, Failed } from '../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { missingIn } from '../detail/outbox.ts';
import { OutgoingRows } from '../detail/OutgoingRows.tsx';
import type { Outbox } from '../detail/useOutbox.ts';
import type { ReplyDraft } from '../detail/useReplyDraft.ts';
import { outlineQuery } from '../queries.ts';
import { Find } from './Find.tsx';
import { LogRows } from './LogRows.tsx';
import { Lost } from './Lost.tsx';
import { Minimap } from './Minimap.tsx';
import { PinnedPlan } from './PinnedPlan.tsx';
import { targetOf } from './place.ts';
import { useSessionLog } from './useSessionLog.ts';
import { useShown } from './useShown.ts';
import { useTimelineScroll } from './useTimelineScroll.ts';
import { useWalk } from './useWalk.ts';

interface Props {
  org: string;
  session: Session;
  outbox: Outbox;
  /** Takes a message that was not sent back into the field. */
  edit: (message: ReplyDraft) => void;
}

/** The log of a session as rows: what was said, called, run and changed. It grows while it is shown. */
export function Timeline({ org, session, outbox, edit }: Props) {
  const { id, status } = session;
  const isWorking = status === 'running' || status === 'provisioning';
  const hash = useLocation({ select: (location) => location.hash });
  const target = useMemo(() => targetOf(hash), [hash]);
  const { log, state, retry } = useSessionLog(org, id, session.last_seq, target);
  const { data: outline } = useQuery(outlineQuery(org, id, isWorking));
  const { openness, turns, shown, setLive } = useShown(state, outline);
  const scroll = useTimelineScroll({ session: id, shown, log, state, openness, target });
  const { scroller, rows, isPinned, tinted, toEnd, toEvents, hold } = scroll;
  const outgoing = missingIn(state.fold, outbox.list);
  const newest = outbox.list.at(-1)?.key;
  useEffect(() => {
    if (newest !== undefined) toEnd();
    // One's own message leads to the end once.
  }, [newest]);
  const lastStep = isWorking && state.isAttached ? shown.lastStep : undefined;
  useEffect(() => setLive(openness.liveWith(lastStep, isPinned)), [setLive, openness, lastStep, isPinned]);
  useWalk({ items: shown.items, scroll, outline });
  const toggle = useCallback(
    (key: string, isOpen: boolean) => {
      hold();
      openness.set([key], isOpen);
    },
    // What it calls does not change.
    [openness],
  );
  const { isLoading, isAttached, lostSince, error, lastSeq, newRows } = state;
  const plan = isWorking ? state.fold.rows.findLast(({ kind }) => kind === 'plan') : undefined;
  const isEmpty = shown.items.length === 0;
  if (error !== undefined && isEmpty) return <Failed error={error} retry={retry} />;
  return (
    <section aria-label="Log" className="flex min-h-0 flex-1 flex-col">
      {lostSince !== undefined && <Lost since={lostSince} />}
      {!state.hasEarlier && state.firstKept !== undefined && (
        <p className="border-b border-line px-4 py-1 text-ink-3">Earlier events are no longer kept.</p>
      )}
      <Find org={org} session={id} />
      <div className="relative flex min-h-0 flex-1">
        <div
          ref={scroller}
          tabIndex={-1}
          className="min-w-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain outline-none [overflow-anchor:none]"
        >
          {isLoading && isEmpty && <SkeletonRows rows={6} height={40} />}
          {session.forked_from !== '' && session.started_at === null && (
            <Empty>This fork has the files of the session that it comes from. Say what it is to do.</Empty>
          )}
          {!isLoading && isEmpty && <Empty>Nothing has happened yet. It shows here when it does.</Empty>}
          <LogRows
            org={org}
            session={id}
            items={shown.items}
            rows={rows}
            turns={turns}
            tinted={tinted}
            toggle={toggle}
          />
          {outgoing.length > 0 && <OutgoingRows messages={outgoing} outbox={outbox} edit={edit} />}
        </div>
        {outline !== undefined && lastSeq > 0 && (
          <Minimap
            outline={outline}
            lastSeq={lastSeq}
            window={state.window}
            jump={(seq) => toEvents({ from: seq, to: seq })}
          />
        )}
        {(!isPinned || !isAttached) && !isLoading && !isEmpty && <ToLatest rows={newRows} go={toEnd} />}
      </div>
      {error !== undefined && <Failed error={error} retry={retry} />}
      {plan?.kind === 'plan' && <PinnedPlan entries={plan.is.entries} />}
    </section>
  );
}

/** The way to the end, for who is not there; says how much has come meanwhile. */
function ToLatest({ rows, go }: { rows: number; go: () => void }) {
  return (
    <p className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
      <span className="pointer-events-auto rounded-control bg-raised shadow-float">
        <Button onClick={go}>
          ↓ {rows > 0 && <span className="text-accent">{count(rows)} new ·</span>} Jump to latest
        </Button>
      </span>
    </p>
  );
}
