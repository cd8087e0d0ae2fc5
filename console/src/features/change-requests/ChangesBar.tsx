import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import type { DiffLayout } from '../../ui/diff/diff.ts';

interface Props {
  /** How many files were viewed, of how many. */
  viewed: number;
  files: number;
  canSay: boolean;
  layout: DiffLayout;
  arrange: (layout: DiffLayout) => void;
}

/** The line above the changed files. */
export function ChangesBar({ viewed, files, canSay, layout, arrange }: Props) {
  return (
    <div className="flex min-h-10 items-center gap-3 border-b border-line px-4 py-1">
      <span className="text-ink-3">
        <span className="mono">{viewed}</span> of <span className="mono">{files}</span> viewed
      </span>
      {canSay && <span className="hidden text-ink-3 lg:inline">Choose a line by its number to say something.</span>}
      <span className="ml-auto hidden sm:flex" role="group" aria-label="Columns">
        {(['unified', 'split'] as const).map((one) => (
          <Button
            key={one}
            look="bare"
            aria-pressed={layout === one}
            onClick={() => arrange(one)}
            className={cx(layout === one && 'bg-accent-soft')}
          >
            {one === 'unified' ? 'One column' : 'Two columns'}
          </Button>
        ))}
      </span>
    </div>
  );
}
