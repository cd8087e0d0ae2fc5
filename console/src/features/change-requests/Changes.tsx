import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useActions } from '../../lib/actions.ts';
import { recall, remember } from '../../lib/storage.ts';
import type { DiffFile, DiffLayout, DiffLines, DiffNote } from '../../ui/diff/diff.ts';
import { DiffView } from '../../ui/diff/DiffView.tsx';
import { linesOf, writtenLines } from '../../ui/diff/lines.ts';
import { Empty, Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { useCan } from '../shell/useCan.ts';
import { ChangesBar } from './ChangesBar.tsx';
import { FileTree, ViewedTick } from './FileTree.tsx';
import { LineForm } from './LineForm.tsx';
import { ThreadBox } from './ThreadBox.tsx';
import { diffQuery, type ChangeRequest, type Comment, type Place } from './queries.ts';
import { isAtLine, threadsOf } from './threads.ts';
import { useViewed } from './viewed.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
  comments: readonly Comment[];
}

const from = '/$org/repositories/$repository/change-requests/$number' as const;

/** The changed files: as a tree, and their lines with what was said about them. */
export function Changes({ place, request, comments }: Props) {
  const query = useQuery(diffQuery(place, request.head_sha));
  if (query.isPending) return <SkeletonRows rows={12} height={20} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (query.data.files.length === 0) return <Empty>The change has no files.</Empty>;
  return (
    <Files
      key={`${place.repository}/${place.number}`}
      place={place}
      request={request}
      comments={comments}
      files={query.data.files}
    />
  );
}

function Files({ place, request, comments, files }: Props & { files: readonly DiffFile[] }) {
  const { org, repository, number } = place;
  const { file: shown, l } = useSearch({ from });
  const navigate = useNavigate({ from });
  const { layout, arrange } = useLayout();
  const { viewed, toggle } = useViewed(`viewed/${repository}/${number}`, request.head_sha);
  const [lines, setLines] = useState<DiffLines>();
  const canWrite = useCan(org, 'repos:write');
  const canSay = (useCan(org, 'run') && request.session_id !== '') || canWrite;
  const { notes, renderNote } = useNotes({ place, request, comments, lines, close: () => setLines(undefined) });
  const target = useMemo(
    () =>
      shown === undefined ? undefined : (linesOf(shown, l) ?? { path: shown, side: 'new' as const, from: 1, to: 1 }),
    [shown, l],
  );
  const go = (search: { file: string; l?: string }) => void navigate({ search, replace: true, resetScroll: false });
  const step = (by: 1 | -1) => {
    const next = files[files.findIndex(({ path }) => path === shown) + by];
    if (next !== undefined) go({ file: next.path });
  };
  const choose = (chosen: DiffLines) => {
    setLines(chosen);
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

const draftId = 'draft';

/** What stands below lines: threads, and the form for the lines that were chosen. */
function useNotes({
  place,
  request,
  comments,
  lines,
  close,
}: Props & { lines: DiffLines | undefined; close: () => void }) {
  const threads = useMemo(() => threadsOf(comments).filter(isAtLine), [comments]);
  const notes = useMemo(() => {
    const said = threads.map(({ first: { id, file, side, line } }): DiffNote => ({
      id,
      path: file,
      side,
      line: line ?? 1,
    }));
    return lines === undefined ? said : [...said, { id: draftId, path: lines.path, side: lines.side, line: lines.to }];
  }, [threads, lines]);
  const renderNote = (id: string) => {
    if (id === draftId && lines !== undefined) {
      const key = `${lines.path}:${lines.side}:${lines.to}`;
      return <LineForm key={key} place={place} request={request} lines={lines} close={close} />;
    }
    const thread = threads.find(({ first }) => first.id === id);
    return thread === undefined ? null : <ThreadBox place={place} thread={thread} />;
  };
  return { notes, renderNote };
}
