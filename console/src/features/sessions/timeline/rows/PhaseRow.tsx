import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { count, duration } from '../../../../lib/format.ts';
import { cx } from '../../../../ui/cx.ts';
import type { RowOf } from '../rows.ts';

const names = { reproduce: 'Reproduce', implement: 'Implement', verify: 'Verify', deliver: 'Deliver' } as const;

const states: Record<RowOf<'phase'>['is']['status'], string> = {
  running: 'in progress',
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  could_not_run: 'could not run',
  not_reproduced: 'was not broken',
  stopped: 'stopped',
};

/** The check is meant to fail before the work: that proves that it can find the problem. */
function stateOf({ name, status }: RowOf<'phase'>['is']): { word: string; isBad: boolean } {
  if (name === 'reproduce' && status === 'passed') return { word: 'the check fails, as it should', isBad: false };
  return { word: states[status], isBad: status === 'failed' };
}

/** The rule where a phase begins, with its result; it folds what belongs to it. */
export function PhaseRow({
  row: { is, at },
  isOpen,
  hides,
  toggle,
}: {
  row: RowOf<'phase'>;
  isOpen: boolean;
  hides: number;
  toggle: () => void;
}) {
  const { word, isBad } = stateOf(is);
  return (
    <div className="mt-4 border-t border-line pt-1">
      <h2>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={toggle}
          className="flex min-h-8 w-full items-center gap-2 rounded-chip px-3 text-left hover:bg-sunken pointer-coarse:min-h-11"
        >
          <ChevronRight
            size={14}
            strokeWidth={1.5}
            aria-hidden
            className={cx('shrink-0 text-ink-3', isOpen && 'rotate-90')}
          />
          <span className="font-medium">{names[is.name]}</span>
          <span className={cx('min-w-0 flex-1 truncate', isBad ? 'text-bad' : 'text-ink-3')}>
            {word}
            {is.endedAt !== '' && ` · ${duration(Date.parse(is.endedAt) - Date.parse(at))}`}
            {hides > 0 && ` · ${count(hides)} folded`}
          </span>
        </button>
      </h2>
      {is.summary !== '' && <p className="max-w-[72ch] px-3 pl-9 break-words text-ink-2">{is.summary}</p>}
      {is.evidence.length > 0 && (
        <p className="px-3 pl-9">
          <Link
            from="/$org/sessions/$id"
            search={(now) => ({ ...now, tab: 'evidence' as const })}
            hash
            className="inline-flex min-h-6 items-center text-accent underline pointer-coarse:min-h-11"
          >
            Evidence
          </Link>
        </p>
      )}
    </div>
  );
}
