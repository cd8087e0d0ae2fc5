import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import type { Session } from '../../../../lib/api.ts';
import { recall, remember } from '../../../../lib/storage.ts';
import { useSearch } from '../../../../lib/useSearch.ts';
import type { DiffFile, DiffLayout, DiffLines } from '../../../../ui/diff/diff.ts';
import { DiffTree } from '../../../../ui/diff/DiffTree.tsx';
import { writtenLines } from '../../../../ui/diff/lines.ts';
import { Empty, Failed } from '../../../../ui/Notice.tsx';
import { SkeletonRows } from '../../../../ui/Skeleton.tsx';
import { useCan } from '../../../shell/useCan.ts';
import { changesQuery } from '../queries.ts';
import { ChangesBar } from './ChangesBar.tsx';
import { FileChanges } from './FileChanges.tsx';
import { LeftNotes } from './Note.tsx';
import { SinceChoice } from './SinceChoice.tsx';
import { Tray } from './Tray.tsx';
import { useComments } from './useComments.ts';
import { useViewed } from './useViewed.ts';

/** What the session changed: the files, and the lines of one of them at a time. */
export function ChangesTab({ org, session }: { org: string; session: Session }) {
  const { file, since } = useSearch({ from: '/$org/sessions/$id' });
  const navigate = useNavigate({ from: '/$org/sessions/$id' });
  const query = useQuery(changesQuery(org, session.id, since));
  const viewed = useViewed(session.id);
  const notes = useComments(session.id);
  const canComment = useCan(org, 'run') && session.status !== 'canceled';
  const [layout, setLayout] = useState<DiffLayout>(() => (recall('diff-layout') === 'split' ? 'split' : 'unified'));
  const files = useMemo(() => query.data?.files ?? [], [query.data]);
  if (query.isPending) return <SkeletonRows rows={8} height={24} />;
  if (query.data === undefined)
    return (
      <NoFiles org={org} session={session}>
        <Failed error={query.error} retry={() => void query.refetch()} />
      </NoFiles>
    );
  const open = (path: string) =>
    void navigate({
      search: ({ l: _lines, ...now }) => ({ ...now, tab: 'changes' as const, file: path }),
      hash: true,
      replace: true,
    });
  const comment = (lines: DiffLines) => {
    notes.add(lines);
    void navigate({
      search: (now) => ({ ...now, tab: 'changes' as const, file: lines.path, l: writtenLines(lines) }),
      hash: true,
      replace: true,
    });
  };
  const shown = files.find(({ path }) => path === file) ?? files[0];
  const choose = (next: DiffLayout) => {
    setLayout(next);
    remember('diff-layout', next);
  };
  const why = since === undefined ? 'The file is no longer changed.' : 'The file has not changed since then.';
  const left = canComment && <LeftNotes files={files} notes={notes} why={why} />;
  const tray = canComment && <Tray org={org} session={session} notes={notes} open={open} />;
  if (files.length === 0)
    return (
      <NoFiles org={org} session={session}>
        {left}
        <NothingChanged since={since} />
        {tray}
      </NoFiles>
    );
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <ChangesBar
        org={org}
        session={session}
        isWhole={since === undefined}
        changed={query.data}
        comment={
          canComment && shown !== undefined
            ? (line) => comment({ path: shown.path, side: 'new', from: line, to: line })
            : undefined
        }
        layout={layout}
        choose={choose}
      />
      {left}
      <div className="flex min-h-0 flex-1 flex-col @2xl/pane:flex-row">
        <DiffTree
          files={files}
          selected={shown?.path}
          onSelect={open}
          className="max-h-48 shrink-0 border-b border-line @2xl/pane:max-h-none @2xl/pane:w-56 @2xl/pane:border-r @2xl/pane:border-b-0"
          renderMark={(one) => <Viewed file={one} viewed={viewed} />}
        />
        {shown !== undefined && (
          <FileChanges
            key={shown.path}
            org={org}
            session={session.id}
            file={shown}
            commit={query.data.head_commit}
            layout={layout}
            comments={canComment ? { notes, begin: comment } : undefined}
          />
        )}
      </div>
      {tray}
    </div>
  );
}

/** What stands where no files are shown, below the choice of what they are compared with. */
function NoFiles({ children, ...props }: { org: string; session: Session; children: ReactNode }) {
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="px-4 py-1">
        <SinceChoice {...props} />
      </div>
      {children}
    </div>
  );
}

function NothingChanged({ since }: { since: string | undefined }) {
  if (since !== undefined) return <Empty>Nothing has changed since this checkpoint.</Empty>;
  return <Empty>Nothing has changed yet. The files stand here when the agent’s first work is saved.</Empty>;
}

function Viewed({ file, viewed }: { file: DiffFile; viewed: ReturnType<typeof useViewed> }) {
  return (
    <label className="grid size-6 shrink-0 place-items-center pointer-coarse:size-11">
      <input
        type="checkbox"
        aria-label={`${file.path} is viewed`}
        checked={viewed.has(file)}
        onChange={({ target }) => viewed.set(file, target.checked)}
        className="size-3.5 accent-accent"
      />
    </label>
  );
}
