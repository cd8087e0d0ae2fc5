import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import type { DiffLayout } from '../../ui/diff/diff.ts';

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

/** A line by its number: the way to its comments for who has no pointer. */
function LineChoice({ say }: { say: (line: number) => void }) {
  const [line, setLine] = useState('');
  return (
    <form
      className="flex items-center gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        if (Number(line) > 0) say(Number(line));
      }}
    >
      <input
        type="number"
        inputMode="numeric"
        min={1}
        step={1}
        aria-label="Line of the shown file"
        placeholder="Line"
        value={line}
        onChange={({ target }) => setLine(target.value)}
        className="h-8 w-20 rounded-control border border-line-strong bg-surface px-2 font-mono placeholder:text-ink-3 pointer-coarse:h-11"
      />
      <Button type="submit" look="bare" disabled={!(Number(line) > 0)}>
        Comment
      </Button>
    </form>
  );
}
