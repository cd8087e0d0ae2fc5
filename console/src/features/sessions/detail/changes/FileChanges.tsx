import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Button } from '../../../../ui/Button.tsx';
import type { DiffFile, DiffLayout } from '../../../../ui/diff/diff.ts';
import { DiffView } from '../../../../ui/diff/DiffView.tsx';
import { Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { useMedia } from '../../../../lib/useMedia.ts';
import { fileChangeQuery } from '../queries.ts';
import { linesOf, writtenLines } from './comments.ts';
import type { useComments } from './useComments.ts';

interface Props {
  org: string;
  session: string;
  file: DiffFile;
  commit: string;
  layout: DiffLayout;
  /** Undefined for who may not comment. */
  notes: ReturnType<typeof useComments> | undefined;
}

/** The changed lines of one file. */
export function FileChanges({ org, session, file, commit, layout, notes }: Props) {
  const { l } = useSearch({ from: '/$org/sessions/$id' });
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const query = useQuery(fileChangeQuery(org, session, file.path, commit));
  const isNarrow = useMedia('(max-width: 1023px)');
  const files = useMemo(() => query.data?.files ?? [], [query.data]);
  const target = useMemo(() => linesOf(file.path, l), [file.path, l]);
  const marks = useMemo(() => notes?.comments.map(({ id, path, side, to }) => ({ id, path, side, line: to })), [notes]);
  if (query.isPending) return <SkeletonRows rows={10} height={20} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className="min-h-0 min-w-0 flex-1">
      <DiffView
        files={files}
        layout={isNarrow ? 'unified' : layout}
        wrap={isNarrow}
        target={target}
        {...(notes === undefined
          ? {}
          : {
              notes: marks ?? [],
              renderNote: (id: string) => <Note id={id} notes={notes} />,
              onLines: (lines) => {
                notes.add(lines);
                void navigate({
                  search: (now) => ({ ...now, tab: 'changes' as const, file: lines.path, l: writtenLines(lines) }),
                  hash: true,
                  replace: true,
                });
              },
            })}
      />
    </div>
  );
}

function Note({ id, notes }: { id: string; notes: ReturnType<typeof useComments> }) {
  const note = notes.comments.find((one) => one.id === id);
  if (note === undefined) return null;
  return (
    <div className="flex max-w-[72ch] flex-col gap-1 p-2 font-sans">
      <textarea
        aria-label={`Comment on line ${note.to}`}
        rows={2}
        maxLength={10_000}
        value={note.text}
        onChange={({ target }) => notes.write(id, target.value)}
        className="field-sizing-content max-h-60 w-full rounded-control border border-line-strong bg-surface px-2 py-1 text-ink"
      />
      <p className="flex items-center gap-2 text-meta text-ink-3">
        Is sent with the others, as one message.
        <Button look="bare" className="ml-auto" onClick={() => notes.drop(id)}>
          Remove
        </Button>
      </p>
    </div>
  );
}
