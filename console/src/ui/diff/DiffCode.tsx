import type { OnDiffLineClickProps, SelectedLineRange } from '@pierre/diffs';
import { CodeView, WorkerPoolContextProvider, type CodeViewHandle } from '@pierre/diffs/react';
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { withNonce } from '../../lib/nonce.ts';
import { showsSide, withoutLines, type DiffFile, type DiffLines, type DiffViewProps } from './diff.ts';
import { DiffItems, pathOf, type NoteMark } from './items.ts';
import { writtenLines } from './lines.ts';
import { makeReachable } from './reachable.ts';
import './diff.css';

withNonce();

const theme = { light: 'pierre-light', dark: 'pierre-dark' };
/**
 * The theme's hues, as light or dark as text on changed lines has to be, and more so on changed words. A chosen line keeps
 * its ground.
 */
const legible = `[data-line] span {
  color: oklch(
    from light-dark(var(--diffs-token-light, var(--diffs-light)), var(--diffs-token-dark, var(--diffs-dark)))
    clamp(var(--darkest, var(--ansi-darkest)), l, var(--lightest, var(--ansi-lightest))) c h
  );
}
[data-diff-span] {
  --darkest: calc(var(--ansi-darkest) * 1.18);
  --lightest: calc(var(--ansi-lightest) * 0.84);
}
[data-no-newline] span {
  color: var(--ink-2);
  opacity: 1;
}
[data-line][data-selected-line] {
  --diffs-computed-selected-line-bg: var(--diffs-computed-diff-line-bg);
  box-shadow: inset 2px 0 var(--accent);
}`;
const pool = {
  workerFactory: () => new Worker(new URL('@pierre/diffs/worker/worker.js', import.meta.url), { type: 'module' }),
  poolSize: 1,
};
const highlighter = { theme, preferredHighlighter: 'shiki-js' as const };

/** The viewer itself; loaded when a first diff is shown. */
export function DiffCode(props: DiffViewProps) {
  return (
    <WorkerPoolContextProvider poolOptions={pool} highlighterOptions={highlighter}>
      <Files {...props} />
    </WorkerPoolContextProvider>
  );
}

function Files({
  files,
  layout = 'unified',
  wrap = false,
  notes,
  renderNote,
  renderHeader,
  onLines,
  target,
  file: shown,
  className,
}: DiffViewProps) {
  const [cache] = useState(() => new DiffItems());
  const items = useMemo(() => cache.itemsOf(files, notes ?? []), [cache, files, notes]);
  const byPath = useMemo(() => new Map(files.map((file) => [file.path, file])), [files]);
  const view = useRef<CodeViewHandle<NoteMark, undefined>>(null);
  const canSelect = onLines !== undefined;
  const told = useRef(onLines);
  /** The lines that the reader chose here, or was led to: these stay where they stand. */
  const reached = useRef('');
  const isUnselected = useRef(false);
  useEffect(() => {
    told.current = onLines;
  }, [onLines]);
  const options = useMemo(() => {
    const tell = (range: SelectedLineRange | null, { item }: { item: { id: string } }) => {
      isUnselected.current = range === null;
      if (range === null) return;
      const lines = linesOf(pathOf(item), range);
      reached.current = nameOf(lines);
      told.current?.(lines);
    };
    // The viewer takes the choice of a chosen line for its end, even if it is the same number of the other side.
    const tellAgain = (line: OnDiffLineClickProps | { type: 'line' }, context: { item: { id: string } }) => {
      if (!isUnselected.current || line.type !== 'diff-line') return;
      const range = { start: line.lineNumber, end: line.lineNumber, side: line.annotationSide };
      view.current?.getInstance()?.setSelectedLines({ id: context.item.id, range }, { notify: false });
      tell(range, context);
    };
    return {
      theme,
      preferredHighlighter: 'shiki-js' as const,
      diffStyle: layout,
      diffIndicators: 'classic' as const,
      overflow: wrap ? ('wrap' as const) : ('scroll' as const),
      hunkSeparators: 'line-info' as const,
      stickyHeaders: true,
      unsafeCSS: legible,
      enableLineSelection: canSelect,
      enableGutterUtility: canSelect,
      onLineSelectionEnd: tell,
      onLineNumberClick: tellAgain,
      onGutterUtilityClick: tell,
      onPostRender: makeReachable,
      layout: { gap: 16, paddingTop: 0, paddingBottom: 24 },
    };
  }, [layout, wrap, canSelect]);
  useWayTo({ target, shown, byPath, view, reached });
  return (
    <CodeView<NoteMark>
      ref={view}
      items={items}
      options={options}
      className={className ?? 'h-full overflow-auto'}
      renderAnnotation={(...[annotation]) => <div className="pr-2">{renderNote?.(annotation.metadata.id)}</div>}
      renderHeaderMetadata={(item) => {
        const file = byPath.get(pathOf(item));
        if (file === undefined) return null;
        const why = withoutLines(file);
        return (
          <span className="flex items-center gap-2 text-ink-3">
            {why}
            {renderHeader?.(file)}
          </span>
        );
      }}
    />
  );
}

interface Way {
  target: DiffLines | undefined;
  shown: string | undefined;
  byPath: ReadonlyMap<string, DiffFile>;
  view: RefObject<CodeViewHandle<NoteMark, undefined> | null>;
  reached: RefObject<string>;
}

/** Scrolls to the lines that an address names, and marks them; without lines to the beginning of the file. */
function useWayTo({ target, shown, byPath, view, reached }: Way): void {
  useEffect(() => {
    const id = target?.path ?? shown;
    const file = id === undefined ? undefined : byPath.get(id);
    if (id === undefined || file === undefined) return;
    const lines = target !== undefined && showsSide(file, target.side) ? target : undefined;
    const place = lines === undefined ? id : nameOf(lines);
    const isThere = reached.current === place;
    reached.current = place;
    if (lines === undefined) {
      view.current?.getInstance()?.clearSelectedLines({ notify: false });
      if (!isThere) view.current?.scrollTo({ type: 'item', id, align: 'start' });
      return;
    }
    const { from, to, side } = lines;
    if (!isThere) view.current?.scrollTo({ type: 'line', id, lineNumber: from, side: sideOf(side), align: 'center' });
    const range = { start: from, end: to, side: sideOf(side) };
    view.current?.getInstance()?.setSelectedLines({ id, range }, { notify: false });
  }, [target, shown, byPath, view, reached]);
}

function nameOf(lines: DiffLines): string {
  return `${lines.path} ${writtenLines(lines)}`;
}

function linesOf(path: string, { start, end, side }: SelectedLineRange): DiffLines {
  return {
    path,
    side: side === 'deletions' ? 'old' : 'new',
    from: Math.min(start, end),
    to: Math.max(start, end),
  };
}

function sideOf(side: 'old' | 'new'): 'deletions' | 'additions' {
  return side === 'old' ? 'deletions' : 'additions';
}
