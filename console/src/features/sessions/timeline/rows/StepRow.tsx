import { Link } from '@tanstack/react-router';
import { count, duration, money } from '../../../../lib/format.ts';
import { cx } from '../../../../ui/cx.ts';
import type { FileChange } from '../items.ts';
import type { Step } from '../step.ts';
import { Fold } from './Fold.tsx';

/** The line that stands for what the agent did between two messages. */
export function StepRow({ step, isOpen, toggle }: { step: Step; isOpen: boolean; toggle: () => void }) {
  const { summary, durationMs, costUsd, failed, isRunning } = step;
  return (
    <Fold
      isOpen={isOpen}
      toggle={toggle}
      head={
        <>
          <span className={cx('truncate font-medium', isRunning ? 'text-run' : 'text-ink-2')}>{summary}</span>
          {failed > 0 && <span className="shrink-0 text-bad">{failed} failed</span>}
        </>
      }
      aside={[duration(durationMs), ...(costUsd > 0 ? [money(costUsd)] : [])].join(' · ')}
    />
  );
}

const shownFiles = 12;

/** The files that a step changed; each leads to its changes. */
export function FileChips({ files }: { files: readonly FileChange[] }) {
  const rest = files.length - shownFiles;
  return (
    <p className="flex flex-wrap gap-1 px-3 py-1">
      {files.slice(0, shownFiles).map(({ path, change, additions, deletions }) => (
        <Link
          key={path}
          from="/$org/sessions/$id"
          search={({ l: _lines, since: _since, ...now }) => ({ ...now, tab: 'changes' as const, file: path })}
          hash
          title={`${path}, ${change}`}
          className="mono inline-flex min-h-6 max-w-full items-center gap-1 rounded-chip border border-line px-1.5 text-meta hover:bg-sunken pointer-coarse:min-h-11"
        >
          <span aria-hidden>✎</span>
          <span className={cx('truncate', change === 'deleted' && 'line-through')}>{path}</span>
          {additions > 0 && <span className="text-ok">+{additions}</span>}
          {deletions > 0 && <span className="text-bad">−{deletions}</span>}
        </Link>
      ))}
      {rest > 0 && (
        <Link
          from="/$org/sessions/$id"
          search={({ since: _since, ...now }) => ({ ...now, tab: 'changes' as const })}
          hash
          className="inline-flex min-h-6 items-center px-1.5 text-meta text-accent underline pointer-coarse:min-h-11"
        >
          and {count(rest)} more
        </Link>
      )}
    </p>
  );
}
