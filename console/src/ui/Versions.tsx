import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { cx } from './cx.ts';
import { Time } from './Time.tsx';

interface VersionsProps {
  /** The newest first. */
  versions: readonly { number: number; label: string; at: string }[];
  shown: number;
  show: (number: number) => void;
  /** Reads older ones; undefined if there are none. */
  showOlder: (() => void) | undefined;
  /** The version that is shown; undefined if it is not among those that were read. */
  children: ReactNode | undefined;
}

/** The versions of something, and one of them beside the list. */
export function Versions({ versions, shown, show, showOlder, children }: VersionsProps) {
  return (
    <div className="grid gap-4 px-4 py-4 sm:px-6 md:grid-cols-[240px_minmax(0,1fr)]">
      <nav aria-label="Versions" className="flex flex-col gap-1">
        <ul className="max-h-[70vh] overflow-y-auto">
          {versions.map(({ number, label, at }) => (
            <li key={number}>
              <button
                type="button"
                aria-current={number === shown ? 'true' : undefined}
                onClick={() => show(number)}
                className={cx(
                  'flex min-h-8 w-full items-center gap-2 rounded-control px-2 py-1 text-left hover:bg-sunken pointer-coarse:min-h-11',
                  number === shown && 'bg-accent-soft',
                )}
              >
                <span className="mono">{number}</span>
                <span className="min-w-0 flex-1 truncate">{label}</span>
                <span className="text-meta text-ink-3">
                  <Time at={at} />
                </span>
              </button>
            </li>
          ))}
        </ul>
        {showOlder !== undefined && <Button onClick={showOlder}>Show older versions</Button>}
      </nav>
      {children ?? <p className="text-ink-2">This version is not in the list. Older versions may show it.</p>}
    </div>
  );
}
