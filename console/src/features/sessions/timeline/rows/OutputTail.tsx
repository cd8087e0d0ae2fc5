import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { count } from '../../../../lib/format.ts';
import { omitted, type Clip } from '../clip.ts';
import { OutputLine } from '../OutputLine.tsx';
import { linesOf } from '../output.ts';

const shownLines = 12;

/** The last lines of an output, and the way to all of it. `whole` names it in the terminal. */
export function OutputTail({
  clip,
  whole,
  isPart,
}: {
  clip: Clip;
  whole: string;
  /** True if the log has only a part of it. */
  isPart: boolean;
}) {
  const lines = useMemo(() => linesOf(clip.head + clip.tail), [clip]);
  if (clip.length === 0) return null;
  const before = lines.length - shownLines;
  const isMore = before > 0 || omitted(clip) > 0 || isPart;
  return (
    <div className="overflow-hidden rounded-control bg-sunken">
      {isMore && (
        <p className="flex items-center gap-2 px-3 pt-2 text-meta text-ink-3">
          {omitted(clip) > 0 || isPart ? 'Many lines before these' : `${count(before)} lines before these`}
          <Link
            from="/$org/sessions/$id"
            search={({ l: _lines, ...now }) => ({ ...now, tab: 'terminal' as const, cmd: whole })}
            hash
            className="inline-flex min-h-6 items-center rounded-chip px-1 font-medium text-accent underline pointer-coarse:min-h-11"
          >
            Open all of it
          </Link>
        </p>
      )}
      <pre className="px-3 py-2 break-words whitespace-pre-wrap">
        {lines.slice(-shownLines).map((line, at) => (
          <div key={at}>
            <OutputLine line={shortened(line)} />
          </div>
        ))}
      </pre>
    </div>
  );
}

function shortened(line: string): string {
  return line.length <= 4_000 ? line : `${line.slice(0, 2_000)} … ${line.slice(-2_000)}`;
}
