import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore, type ReactNode } from 'react';
import type { Session } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { cx } from '../../../ui/cx.ts';
import { Empty, Failed } from '../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { outlineQuery } from '../queries.ts';
import { itemsOf } from './items.ts';
import { Lost } from './Lost.tsx';
import { Minimap } from './Minimap.tsx';
import { Openness } from './openness.ts';
import { targetOf } from './place.ts';
import { TimelineItem } from './TimelineItem.tsx';
import { useSessionLog } from './useSessionLog.ts';
import { useTimelineScroll } from './useTimelineScroll.ts';
import { useWalk } from './useWalk.ts';

interface Props {
  org: string;
  session: Session;
  /** What stands behind the last row, such as messages that are on their way. */
  tail?: ReactNode;
}

/** The log of a session as rows: what was said, called, run and changed. It grows while it is shown. */
export function Timeline({ org, session, tail }: Props) {
  const { id, status } = session;
  const isWorking = status === 'running' || status === 'provisioning';
  const hash = useLocation({ select: (location) => location.hash });
  const target = useMemo(() => targetOf(hash), [hash]);
  const { log, state, retry } = useSessionLog(org, id, session.last_seq, target);
  const { data: outline } = useQuery(outlineQuery(org, id, isWorking));
  const [openness] = useState(() => new Openness());
  const opened = useSyncExternalStore(openness.subscribe, openness.version);
  const turns = useMemo(
    () => new Map(outline?.turns.map(({ turn, message_id: message }) => [`msg:${message}`, turn])),
    [outline],
  );
  const [live, setLive] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(
    () => itemsOf(state.fold.rows, { byHand: openness.byHand, live, turns }),
    // The version stands for what is open.
    [state.fold, openness, opened, live, turns],
  );
  const scroll = useTimelineScroll({ session: id, shown, log, state, openness, target });
  const { scroller, rows, isPinned, tinted, toEnd, toEvents, hold } = scroll;
  const lastStep = isWorking && state.isAttached ? shown.lastStep : undefined;
  useEffect(() => setLive(openness.liveWith(lastStep, isPinned)), [openness, lastStep, isPinned]);
  useWalk({ items: shown.items, scroll, outline });
  const toggle = useCallback(
    (key: string, isOpen: boolean) => {
      hold();
      openness.set([key], isOpen);
    },
    // What it calls does not change.
    [openness],
  );
  if (state.error !== undefined && state.fold.rows.length === 0) return <Failed error={state.error} retry={retry} />;
  return (
    <section aria-label="Log" className="relative flex min-h-0 flex-1 flex-col">
      {state.lostSince !== undefined && <Lost since={state.lostSince} />}
      <div className="flex min-h-0 flex-1">
        <div
          ref={scroller}
          tabIndex={-1}
          className="min-w-0 flex-1 overflow-x-hidden overflow-y-auto overscroll-contain outline-none [overflow-anchor:none]"
        >
          {state.isLoading && state.fold.rows.length === 0 && <SkeletonRows rows={6} height={40} />}
          {!state.isLoading && shown.items.length === 0 && (
            <Empty>Nothing has happened yet. It shows here when it does.</Empty>
          )}
          {!state.hasEarlier && state.firstKept !== undefined && (
            <p className="px-4 py-2 text-ink-3 sm:px-6">Earlier events are no longer kept.</p>
          )}
          <ol className="relative" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map(({ key, index, start }) => {
              const item = shown.items[index];
              return (
                item !== undefined && (
                  <li
                    key={key}
                    ref={rows.measureElement}
                    data-index={index}
                    data-seq={item.seq}
                    className="absolute inset-x-0 top-0 px-1 sm:px-3"
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    <TimelineItem
                      org={org}
                      session={id}
                      item={item}
                      turn={turns.get(item.key)}
                      isTinted={tinted !== undefined && item.seq <= tinted.to && item.lastSeq >= tinted.from}
                      toggle={toggle}
                    />
                  </li>
                )
              );
            })}
          </ol>
          {state.isAttached && tail}
        </div>
        {outline !== undefined && state.lastSeq > 0 && (
          <Minimap
            outline={outline}
            lastSeq={state.lastSeq}
            window={state.window}
            jump={(seq) => toEvents({ from: seq, to: seq })}
          />
        )}
      </div>
      {state.error !== undefined && <Failed error={state.error} retry={retry} />}
      {(!isPinned || !state.isAttached) && !state.isLoading && shown.items.length > 0 && (
        <p className="pointer-events-none absolute inset-x-0 bottom-2 flex justify-center">
          <Button
            onClick={toEnd}
            className={cx('pointer-events-auto bg-raised shadow-float', state.newRows > 0 && 'border-accent')}
          >
            ↓ {state.newRows > 0 && <span className="text-accent">{count(state.newRows)} new ·</span>} Jump to latest
          </Button>
        </p>
      )}
    </section>
  );
}
