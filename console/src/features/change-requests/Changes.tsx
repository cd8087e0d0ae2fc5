import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useActions } from '../../lib/actions.ts';
import { recall, remember } from '../../lib/storage.ts';
import { useSearch } from '../../lib/useSearch.ts';
import type { DiffFile, DiffLayout, DiffLines } from '../../ui/diff/diff.ts';
import { DiffView } from '../../ui/diff/DiffView.tsx';
import { linesOf, writtenLines } from '../../ui/diff/lines.ts';
import { Empty, Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import type { Finding } from '../reviews/queries.ts';
import { useCan } from '../shell/useCan.ts';
import { ChangesBar } from './ChangesBar.tsx';
import { FileTree, ViewedTick } from './FileTree.tsx';
import { LeftComments } from './LeftComments.tsx';
import { diffQuery, type ChangeRequest, type Comment, type Place } from './queries.ts';
import { useNotes } from './useNotes.tsx';
import { unsentLines, unsentName } from './unsent.ts';
import { useViewed } from './viewed.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
  comments: readonly Comment[];
  /** Findings of a review at lines of this change. */
  findings: readonly Finding[];
}

const from = '/$org/repositories/$repository/change-requests/$number' as const;

/** The changed files: as a tree, and their lines with what was said about them. */
export function Changes({ place, request, comments, findings }: Props) {
  const query = useQuery(diffQuery(place, request.head_sha));
  const navigate = useNavigate({ from });
  if (query.isPending) return <SkeletonRows rows={12} height={20} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  const { files } = query.data;
  const key = `${place.repository}/${place.number}`;
  return (
    <>
      <LeftComments
        key={`left ${key}`}
        place={place}
        paths={new Set(files.map(({ path }) => path))}
        toWhole={() => void navigate({ search: { tab: 'conversation' }, replace: true, resetScroll: false })}
      />
      {files.length === 0 ? (
        <Empty>The change has no files.</Empty>
      ) : (
        <Files key={key} place={place} request={request} comments={comments} findings={findings} files={files} />
      )}
    </>
  );
}

function Files({ place, request, comments, findings, files }: Props & { files: readonly DiffFile[] }) {
  const { org, repository, number } = place;
  const { file: shown, l } = useSearch({ from });
  const navigate = useNavigate({ from });
  const { layout, arrange } = useLayout();
  const { viewed, toggle } = useViewed(`viewed/${repository}/${number}`, request.head_sha);
  const written = useWritten(place);
  const canWrite = useCan(org, 'repos:write');
  const canSay = (useCan(org, 'run') && request.session_id !== '') || canWrite;
  const { notes, renderNote } = useNotes({ place, request, comments, findings, written });
  const target = useMemo(() => (shown === undefined ? undefined : linesOf(shown, l)), [shown, l]);
  const go = (search: { file: string; l?: string }) => void navigate({ search, replace: true, resetScroll: false });
  const step = (by: 1 | -1) => {
    const next = files[files.findIndex(({ path }) => path === shown) + by];
    if (next !== undefined) go({ file: next.path });
  };
  const choose = (chosen: DiffLines) => {
    written.choose(chosen);
    go({ file: chosen.path, l: writtenLines(chosen) });
  };
  const other = layout === 'split' ? 'unified' : 'split';
  useActions('Changes', [
    { label: 'Next file', key: 'n', act: () => step(1) },
    { label: 'Previous file', key: 'p', act: () => step(-1) },
    ...(shown === undefined ? [] : [{ label: 'Tick the file as viewed', key: 'v', act: () => toggle(shown) }]),
    { label: `Show the change in ${other === 'split' ? 'two columns' : 'one column'}`, act: () => arrange(other) },
  ]);
  return (
    <div className="grid min-h-0 grid-cols-[minmax(0,1fr)] md:grid-cols-[240px_minmax(0,1fr)]">
      <FileTree files={files} shown={shown} viewed={viewed} go={(file) => go({ file })} />
      <div className="flex h-[calc(100dvh-48px)] min-w-0 flex-col">
        <ChangesBar
          viewed={files.filter(({ path }) => viewed.has(path)).length}
          files={files.length}
          say={
            canSay && shown !== undefined
              ? (line) => choose({ path: shown, side: 'new', from: line, to: line })
              : undefined
          }
          layout={layout}
          arrange={arrange}
        />
        <DiffView
          files={files}
          layout={layout}
          notes={notes}
          target={target}
          file={shown}
          className="min-h-0 flex-1 overflow-auto"
          renderHeader={({ path }) => <ViewedTick checked={viewed.has(path)} toggle={() => toggle(path)} />}
          {...(canSay ? { onLines: choose } : {})}
          renderNote={renderNote}
        />
      </div>
    </div>
  );
}

function useLayout() {
  const [layout, setLayout] = useState<DiffLayout>(() => (recall('diff-layout') === 'split' ? 'split' : 'unified'));
  const arrange = (next: DiffLayout) => {
    setLayout(next);
    remember('diff-layout', next === 'split' ? next : undefined);
  };
  return { layout, arrange };
}

/** The lines that a person writes about: those with an unsent text, and those that were chosen last. */
function useWritten(place: Place) {
  const [all, setAll] = useState(() => unsentLines(place));
  const [chosen, setChosen] = useState<string>();
  const idOf = (lines: DiffLines) => unsentName(place, lines);
  return {
    all,
    chosen,
    idOf,
    choose: (lines: DiffLines) => {
      const id = idOf(lines);
      setChosen(id);
      setAll((now) => [...now.filter((one) => idOf(one) !== id && recall(idOf(one)) !== undefined), lines]);
    },
    close: (lines: DiffLines) => setAll((now) => now.filter((one) => idOf(one) !== idOf(lines))),
  };
}
