import { useState } from 'react';
import type { Session } from '../../../lib/api.ts';
import { count } from '../../../lib/format.ts';
import { Button } from '../../../ui/Button.tsx';
import { Failed } from '../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../ui/Skeleton.tsx';
import { TimelineRow } from './TimelineRow.tsx';
import { shownRows } from './shown.ts';
import { useSessionLog } from './useSessionLog.ts';

/** The log of a session as rows: what was said, called, run and changed. It grows while it is shown. */
export function Timeline({ org, session }: { org: string; session: Session }) {
  const { log, state } = useSessionLog(org, session.id, session.last_seq);
  const [isBusy, setBusy] = useState(false);
  const loadEarlier = () => {
    setBusy(true);
    void log.loadEarlier().finally(() => setBusy(false));
  };
  if (state.isLoading) return <SkeletonRows rows={6} height={40} />;
  const { rows, commands } = shownRows(state.fold.rows);
  return (
    <section aria-label="Log" className="flex flex-col gap-1">
      {state.before > 0 && (
        <Button look="bare" disabled={isBusy} onClick={loadEarlier} className="self-start">
          {isBusy ? 'Loading …' : `Show earlier events, ${count(state.before)} before these`}
        </Button>
      )}
      <ol className="flex flex-col gap-1">
        {rows.map((row) => (
          <li
            key={row.key}
            id={`e${row.seq}`}
            className="[contain-intrinsic-block-size:auto_32px] [content-visibility:auto]"
          >
            <TimelineRow
              org={org}
              session={session.id}
              row={row}
              commands={row.kind === 'call' ? (commands.get(row.key) ?? []) : []}
            />
          </li>
        ))}
      </ol>
      {state.isLost && (
        <p role="status" className="text-wait">
          The connection is lost. The log goes on when it is back.
        </p>
      )}
      {state.error !== undefined && <Failed error={state.error} retry={() => location.reload()} />}
    </section>
  );
}
