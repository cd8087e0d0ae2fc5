import { ChevronRight } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { cx } from '../../../../ui/cx.ts';

interface FoldProps {
  isOpen: boolean;
  toggle: () => void;
  /** The line that is always there. */
  head: ReactNode;
  /** At the right of the line. */
  aside?: ReactNode;
  className?: string | undefined;
  children?: ReactNode;
}

/** A line that opens what is below it. The timeline holds whether it is open, since rows come and go with scrolling. */
export function Fold({ isOpen, toggle, head, aside, className, children }: FoldProps) {
  const id = useId();
  return (
    <div className={className}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen && children !== undefined ? id : undefined}
        onClick={toggle}
        className="flex min-h-6 w-full items-center gap-2 rounded-chip px-3 text-left hover:bg-sunken pointer-coarse:min-h-11"
      >
        <ChevronRight
          size={14}
          strokeWidth={1.5}
          aria-hidden
          className={cx('shrink-0 text-ink-3 transition-transform duration-120', isOpen && 'rotate-90')}
        />
        <span className="flex min-w-0 flex-1 items-center gap-2">{head}</span>
        {aside !== undefined && <span className="mono shrink-0 text-meta text-ink-3">{aside}</span>}
      </button>
      {isOpen && children !== undefined && (
        <div id={id} className="pl-6">
          {children}
        </div>
      )}
    </div>
  );
}
