import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { DiffFile, DiffLayout, DiffLines } from '../../../../ui/diff/diff.ts';
import { DiffView } from '../../../../ui/diff/DiffView.tsx';
import { linesOf } from '../../../../ui/diff/lines.ts';
import { Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { useMedia } from '../../../../lib/useMedia.ts';
import { useSearch } from '../../../../lib/useSearch.ts';
import { fileChangeQuery } from '../queries.ts';
import { fitsTwoColumns } from './ChangesBar.tsx';
import { Note } from './Note.tsx';
import type { useComments } from './useComments.ts';

type Notes = ReturnType<typeof useComments>;

interface Props {
  org: string;
  session: string;
  file: DiffFile;
  commit: string;
  layout: DiffLayout;
  /** The comments, and how one begins; undefined for who may not comment. */
  comments: { notes: Notes; begin: (lines: DiffLines) => void } | undefined;
}

/** The changed lines of one file. */
export function FileChanges({ org, session, file, commit, layout, comments }: Props) {
  const { l, since } = useSearch({ from: '/$org/sessions/$id' });
  const query = useQuery(fileChangeQuery(org, session, { path: file.path, commit, from: since }));
  const isWide = useMedia(fitsTwoColumns);
  const files = useMemo(() => query.data?.files ?? [], [query.data]);
  const target = useMemo(() => linesOf(file.path, l), [file.path, l]);
  const notes = comments?.notes;
  const marks = useMemo(() => notes?.comments.map(({ id, path, side, to }) => ({ id, path, side, line: to })), [notes]);
  if (query.isPending) return <SkeletonRows rows={10} height={20} />;
  if (query.data === undefined) return <Failed error={query.error} retry={() => void query.refetch()} />;
  return (
    <div className="min-h-0 min-w-0 flex-1">
      <DiffView
        files={files}
        layout={isWide ? layout : 'unified'}
        wrap={!isWide}
        target={target}
        {...(comments === undefined
          ? {}
          : {
              notes: marks ?? [],
              renderNote: (id: string) => <Note id={id} notes={comments.notes} />,
              onLines: comments.begin,
            })}
      />
    </div>
  );
}
