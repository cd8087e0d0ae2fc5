import { useQuery } from '@tanstack/react-query';
import { cx } from '../../../ui/cx.ts';
import { lastRunsQuery } from '../queries.ts';
import { runState, type AutomationRun } from '../words.ts';

/** The last runs of an automation as signs, the newest at the right. */
export function LastRuns({ org, id }: { org: string; id: string }) {
  const { data: runs = [] } = useQuery(lastRunsQuery(org, id));
  return <RunSigns runs={runs} />;
}

const colors = { plain: 'text-ink-2', ok: 'text-ok', wait: 'text-wait', bad: 'text-bad', run: 'text-run' } as const;

/** Runs as signs; `runs` has the newest first. */
function RunSigns({ runs }: { runs: readonly AutomationRun[] }) {
  if (runs.length === 0) return <span className="text-ink-3">none yet</span>;
  const shown = runs.toReversed().map(({ id, status }) => ({ id, ...runState(status) }));
  return (
    <span
      role="img"
      aria-label={`Newest last: ${shown.map(({ word }) => word).join(', ')}`}
      title={`Newest at the right: ${shown.map(({ word }) => word).join(', ')}`}
      className="mono flex"
    >
      {shown.map(({ id, sign, tone }) => (
        <span key={id} aria-hidden className={cx('w-3 text-center', colors[tone])}>
          {sign}
        </span>
      ))}
    </span>
  );
}
