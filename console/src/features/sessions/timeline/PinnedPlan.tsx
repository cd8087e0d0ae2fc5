import { Link } from '@tanstack/react-router';
import type { RowOf } from './rows.ts';

/** The step that the agent is at, while it works by a plan. */
export function PinnedPlan({ entries }: { entries: RowOf<'plan'>['is']['entries'] }) {
  const done = entries.filter(({ status }) => status === 'completed').length;
  const current = entries.find(({ status }) => status === 'in_progress');
  if (current === undefined) return null;
  return (
    <Link
      from="/$org/sessions/$id"
      search={(now) => ({ ...now, tab: 'plan' as const })}
      hash
      replace
      className="flex min-h-7 shrink-0 items-center gap-2 border-t border-line px-4 hover:bg-sunken pointer-coarse:min-h-11"
    >
      <span className="mono whitespace-nowrap text-ink-3">
        {done + 1} of {entries.length}
      </span>
      <span className="min-w-0 truncate text-run">{current.content}</span>
    </Link>
  );
}
