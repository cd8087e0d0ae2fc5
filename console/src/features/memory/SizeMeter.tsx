import { useMemo } from 'react';
import { cx } from '../../ui/cx.ts';
import { mostBytes, sizeOf, sizeWords } from './size.ts';

/** How much of what a note may hold is used. */
export function SizeMeter({ text }: { text: string }) {
  const bytes = useMemo(() => sizeOf(text), [text]);
  const isOver = bytes > mostBytes;
  return (
    <div className="flex items-center gap-3">
      <div
        role="meter"
        aria-label="Size"
        aria-valuemin={0}
        aria-valuemax={mostBytes}
        aria-valuenow={Math.min(bytes, mostBytes)}
        aria-valuetext={`${sizeWords(bytes)} of ${sizeWords(mostBytes)}`}
        className="h-1.5 w-32 overflow-hidden rounded-chip bg-sunken"
      >
        <div
          className={cx('h-full', isOver ? 'bg-bad' : 'bg-accent')}
          style={{ width: `${Math.min(100, (100 * bytes) / mostBytes)}%` }}
        />
      </div>
      <span className={cx('text-meta', isOver ? 'text-bad' : 'text-ink-3')}>
        {sizeWords(bytes)} of {sizeWords(mostBytes)}
        {isOver && ': too large'}
      </span>
    </div>
  );
}
