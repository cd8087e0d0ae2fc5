import type { Session } from '../../../../lib/api.ts';
import { count } from '../../../../lib/format.ts';
import { useMedia } from '../../../../lib/useMedia.ts';
import { Button, buttonClass } from '../../../../ui/Button.tsx';
import type { DiffLayout } from '../../../../ui/diff/diff.ts';
import { LineChoice } from '../../../../ui/diff/LineChoice.tsx';
import { SinceChoice } from './SinceChoice.tsx';

interface Props {
  org: string;
  session: Session;
  /** True while all changes are shown, of which there is a patch. */
  isWhole: boolean;
  /** The extent of all changes. */
  changed: { files: readonly unknown[]; additions: number; deletions: number };
  /** Begins a comment on a line of the shown file; undefined for who may not comment. */
  comment: ((line: number) => void) | undefined;
  layout: DiffLayout;
  choose: (layout: DiffLayout) => void;
}

/** The line above the changed files. */
export function ChangesBar({ org, session, isWhole, changed, comment, layout, choose }: Props) {
  const { files, additions, deletions } = changed;
  const isWide = useMedia(fitsTwoColumns);
  return (
    <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-1">
      <SinceChoice org={org} session={session} />
      <p className="mr-auto">
        {files.length === 1 ? '1 file' : `${count(files.length)} files`}{' '}
        <span className="mono">
          <span className="text-ok">+{count(additions)}</span> <span className="text-bad">−{count(deletions)}</span>
        </span>
      </p>
      {comment !== undefined && <LineChoice say={comment} />}
      {isWide && (
        <Button
          look="bare"
          aria-pressed={layout === 'split'}
          onClick={() => choose(layout === 'split' ? 'unified' : 'split')}
        >
          Side by side
        </Button>
      )}
      {isWhole && (
        <a
          className={buttonClass('bare')}
          href={`/v3/organizations/${encodeURIComponent(org)}/sessions/${session.id}/patch`}
          download={`${session.id}.patch`}
        >
          Download the patch
        </a>
      )}
    </div>
  );
}

/** Narrower windows show one column with wrapped lines. */
export const fitsTwoColumns = '(min-width: 1024px)';
