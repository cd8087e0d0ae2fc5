import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useActions } from '../../lib/actions.ts';
import { recall, remember } from '../../lib/storage.ts';
import { Button } from '../../ui/Button.tsx';
import { cx } from '../../ui/cx.ts';
import type { DiffLayout, DiffLines, DiffNote } from '../../ui/diff/diff.ts';
import { DiffTree } from '../../ui/diff/DiffTree.tsx';
import { DiffView } from '../../ui/diff/DiffView.tsx';
import { Empty, Failed } from '../../ui/Notice.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { useCan } from '../shell/useCan.ts';
import { LineForm } from './LineForm.tsx';
import { ThreadBox } from './ThreadBox.tsx';
import { diffQuery, type ChangeRequest, type Comment, type Place } from './queries.ts';
import { addressOf, linesOf } from './search.ts';
import { isAtLine, threadsOf } from './threads.ts';
import { useViewed } from './viewed.ts';

interface Props {
  place: Place;
  request: ChangeRequest;
  comments: readonly Comment[];
}

const from = '/$org/repositories/$repository/change-requests/$number' as const;
const draftId = 'draft';
const none: never[] = [];

/** The changed files: as a tree, and their lines with what was said about them. */
export function Changes({ place, request, comments }: Props) {
  const { org, repository, number } = place;
  const { head_sha: head, session_id: session } = request;
  const query = useQuery(diffQuery(place, head));
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const [layout, setLayout] = useState<DiffLayout>(() => (recall('diff-layout') === 'split' ? 'split' : 'unified'));
  const [lines, setLines] = useState<DiffLines>();
  const { viewed, toggle } = useViewed(`viewed/${repository}/${number}`, head);
  const canWrite = useCan(org, 'repos:write');
  const canSay = (useCan(org, 'run') && session !== '') || canWrite;
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
  const { file: shown, l } = search;
  const target = useMemo(
    () => linesOf({ ...(shown === undefined ? {} : { file: shown }), ...(l === undefined ? {} : { l }) }),
    [shown, l],
  );
  const files = query.data?.files ?? none;
  const go = (file: string) => void navigate({ search: { file }, replace: true, resetScroll: false });
  const step = (by: 1 | -1) => {
    const at = files.findIndex(({ path }) => path === shown);
    const next = files[at + by];
    if (next !== undefined) go(next.path);
  };
  const arrange = (next: DiffLayout) => {
    setLayout(next);
    remember('diff-layout', next === 'split' ? next : undefined);
  };
  useActions('Changes', [
    { label: 'Next file', key: 'n', act: () => step(1) },
    { label: 'Previous file', key: 'p', act: () => step(-1) },
    ...(shown === undefined ? [] : [{ label: 'Tick the file as viewed', key: 'v', act: () => toggle(shown) }]),
    {
      label: layout === 'split' ? 'Show the change in one column' : 'Show the change in two columns',
      act: () => arrange(layout === 'split' ? 'unified' : 'split'),
    },
  ]);
  if (query.isPending) return <SkeletonRows rows={12} height={20} />;
  if (query.isError) return <Failed error={query.error} retry={() => void query.refetch()} />;
  if (files.length === 0) return <Empty>The change has no files.</Empty>;
  return (
    <div className="grid min-h-0 grid-cols-[minmax(0,1fr)] md:grid-cols-[240px_minmax(0,1fr)]">
      <div className="max-h-48 overflow-auto border-line p-2 md:sticky md:top-0 md:max-h-dvh md:border-r">
        <DiffTree
          files={files}
          selected={shown}
          onSelect={go}
          renderMark={({ path }) => (
            <span className="w-4 shrink-0 text-ok">
              {viewed.has(path) && (
                <>
                  <Check size={16} strokeWidth={1.5} aria-hidden />
                  <span className="sr-only">viewed</span>
                </>
              )}
            </span>
          )}
        />
      </div>
      <div className="flex h-[calc(100dvh-48px)] min-w-0 flex-col">
        <div className="flex items-center gap-2 border-b border-line px-4 py-1">
          <span className="mono text-ink-3">
            {viewed.size} of {files.length} viewed
          </span>
          {canSay && (
            <span className="hidden text-ink-3 lg:inline">Choose a line's number to say something about it.</span>
          )}
          <span className="ml-auto hidden sm:flex" role="group" aria-label="Columns">
            {(['unified', 'split'] as const).map((one) => (
              <Button
                key={one}
                look="bare"
                aria-pressed={layout === one}
                onClick={() => arrange(one)}
                className={cx(layout === one && 'bg-accent-soft')}
              >
                {one === 'unified' ? 'One column' : 'Two columns'}
              </Button>
            ))}
          </span>
        </div>
        <DiffView
          files={files}
          layout={layout}
          notes={notes}
          target={target}
          className="min-h-0 flex-1 overflow-auto"
          renderHeader={({ path }) => (
            <label className="flex min-h-6 items-center gap-1 font-sans pointer-coarse:min-h-11">
              <input
                type="checkbox"
                checked={viewed.has(path)}
                onChange={() => toggle(path)}
                className="size-4 accent-accent"
              />
              Viewed
            </label>
          )}
          {...(canSay
            ? {
                onLines: (chosen: DiffLines) => {
                  setLines(chosen);
                  void navigate({ search: addressOf(chosen), replace: true, resetScroll: false });
                },
              }
            : {})}
          renderNote={(id) => {
            if (id === draftId && lines !== undefined)
              return (
                <LineForm
                  key={`${lines.path}:${lines.side}:${lines.to}`}
                  place={place}
                  request={request}
                  lines={lines}
                  close={() => setLines(undefined)}
                />
              );
            const thread = threads.find(({ first }) => first.id === id);
            return thread === undefined ? null : <ThreadBox place={place} thread={thread} />;
          }}
        />
      </div>
    </div>
  );
}
