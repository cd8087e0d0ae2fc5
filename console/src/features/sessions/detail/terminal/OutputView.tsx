import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { Link as LinkIcon } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import { useActions } from '../../../../lib/actions.ts';
import { count } from '../../../../lib/format.ts';
import { cx } from '../../../../ui/cx.ts';
import { Button } from '../../../../ui/Button.tsx';
import { fieldClass } from '../../../../ui/Field.tsx';
import { OutputLine } from '../../timeline/OutputLine.tsx';
import { plain } from '../../timeline/output.ts';
import type { LineRange } from './lines.ts';
import { useLineLink } from './useLineLink.ts';

const lineHeight = 20;

/** Lines of an output, any number of them: only those in view are in the page. Searches in them, and links to them. */
export function OutputView({ lines, label }: { lines: readonly string[]; label: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const hits = useMemo(() => hitsOf(lines, wanted), [lines, wanted]);
  const [at, setAt] = useState(0);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  const hit = hits[at];
  const { marked, link } = useLineLink();
  const first = marked?.from;
  const isThere = first !== undefined && first <= lines.length;
  useEffect(() => setAt(0), [wanted]);
  useEffect(() => {
    if (hit !== undefined) rows.scrollToIndex(hit, { align: 'center' });
  }, [hit, rows]);
  useEffect(() => {
    // A line that somebody pointed at stays where it is.
    if (isThere && !isSeen(rows, first)) rows.scrollToIndex(first - 1, { align: 'center' });
  }, [isThere, first, rows]);
  const linkHere = () => {
    const shown = first !== undefined && isSeen(rows, first) ? first : (rows.range?.startIndex ?? 0) + 1;
    link(hit === undefined ? shown : hit + 1, false);
  };
  useActions('Output', [{ label: 'Link to this line of the output', key: 'Shift+L', act: linkHere }]);
  const step = (by: number) => setAt((now) => (hits.length === 0 ? 0 : (now + by + hits.length) % hits.length));
  const digits = `${String(lines.length).length}ch`;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="flex flex-wrap items-center gap-2 px-4 py-1">
        <input
          type="search"
          aria-label="Find in the output"
          placeholder="Find in the output"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          }}
          className={cx(fieldClass, 'max-w-64')}
        />
        {wanted !== '' && (
          <>
            <span role="status" className="mono text-ink-3">
              {hits.length === 0 ? 'no lines' : `${count(at + 1)} of ${count(hits.length)}`}
            </span>
            <Button look="bare" onClick={() => step(1)} disabled={hits.length < 2}>
              Next
            </Button>
          </>
        )}
        <span className="ml-auto whitespace-nowrap text-ink-3">
          {lines.length === 1 ? '1 line' : `${count(lines.length)} lines`}
        </span>
        <Button look="bare" onClick={linkHere} title="Link to this line of the output, key Shift L">
          <LinkIcon size={16} strokeWidth={1.5} aria-hidden />
          Link
        </Button>
      </div>
      <div
        ref={scroller}
        role="region"
        aria-label={label}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto bg-sunken py-2 font-mono text-meta"
      >
        <div className="relative min-w-max" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ key, index, start }) => (
            <NumberedLine
              key={key}
              number={index + 1}
              line={lines[index] ?? ''}
              isMarked={index === hit || isIn(index + 1, marked)}
              digits={digits}
              top={start}
              link={link}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

interface LineProps {
  number: number;
  line: string;
  isMarked: boolean;
  /** The width of its number. */
  digits: string;
  top: number;
  link: (line: number, isRange: boolean) => void;
}

function NumberedLine({ number, line, isMarked, digits, top, link }: LineProps) {
  return (
    <div
      className={cx('absolute flex min-w-full gap-3 px-4', isMarked && 'bg-accent-soft')}
      style={{ height: lineHeight, lineHeight: `${lineHeight}px`, transform: `translateY(${top}px)` }}
    >
      {/* For a pointer; the key and the button above do the same. */}
      <button
        type="button"
        tabIndex={-1}
        aria-hidden
        title="Link to this line; with Shift, to all from the marked one"
        onClick={({ shiftKey }) => link(number, shiftKey)}
        className="shrink-0 text-right text-ink-3 select-none hover:text-accent hover:underline"
        style={{ width: digits }}
      >
        {number}
      </button>
      <span className="whitespace-pre">
        <OutputLine line={line.slice(0, 10_000)} />
      </span>
    </div>
  );
}

function isSeen({ range }: Pick<Virtualizer<HTMLDivElement, Element>, 'range'>, line: number): boolean {
  return range !== null && range.startIndex < line && line <= range.endIndex + 1;
}

function isIn(line: number, range: LineRange | undefined): boolean {
  return range !== undefined && range.from <= line && line <= range.to;
}

const mostHits = 5_000;

function hitsOf(lines: readonly string[], wanted: string): number[] {
  const hits: number[] = [];
  if (wanted === '') return hits;
  for (let at = 0; at < lines.length && hits.length < mostHits; at += 1)
    if (
      plain(lines[at] ?? '')
        .toLowerCase()
        .includes(wanted)
    )
      hits.push(at);
  return hits;
}
