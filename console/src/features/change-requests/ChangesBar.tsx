import { cx } from '../../ui/cx.ts';
import type { DiffLayout } from '../../ui/diff/diff.ts';
import { LineChoice } from '../../ui/diff/LineChoice.tsx';

interface Props {
  /** How many files were viewed, of how many. */
  viewed: number;
  files: number;
  /** Given where something can be said about lines of the shown file. */
  say: ((line: number) => void) | undefined;
  layout: DiffLayout;
  arrange: (layout: DiffLayout) => void;
}

/** The line above the changed files. */
export function ChangesBar({ viewed, files, say, layout, arrange }: Props) {
  return (
    <div className="flex min-h-10 items-center gap-3 border-b border-line px-4 py-1">
      <span className="text-ink-3">
        <span className="mono">{viewed}</span> of <span className="mono">{files}</span> viewed
      </span>
      {say !== undefined && <LineChoice say={say} />}
      <span
        role="group"
        aria-label="Columns"
        className="ml-auto hidden overflow-hidden rounded-control border border-line-strong sm:flex"
      >
        {(['unified', 'split'] as const).map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={layout === one}
            onClick={() => arrange(one)}
            className={cx(
              'h-8 border-r border-line-strong px-3 last:border-r-0 pointer-coarse:h-11',
              layout === one ? 'bg-accent-soft font-medium' : 'bg-surface text-ink-2 hover:bg-sunken',
            )}
          >
            {one === 'unified' ? 'One column' : 'Two columns'}
          </button>
        ))}
      </span>
    </div>
  );
}
