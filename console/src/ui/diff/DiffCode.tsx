import type { SelectedLineRange } from '@pierre/diffs';
import { CodeView, WorkerPoolContextProvider, type CodeViewHandle } from '@pierre/diffs/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { withNonce } from '../../lib/nonce.ts';
import { nameButtons } from './buttons.ts';
import { withoutLines, type DiffLines, type DiffViewProps } from './diff.ts';
import { DiffItems, pathOf, type NoteMark } from './items.ts';
import './diff.css';

withNonce();

const theme = { light: 'pierre-light', dark: 'pierre-dark' };
/** The theme's hues, as light or dark as text on changed lines has to be. */
const legible = `[data-line] span {
  color: oklch(
    from light-dark(var(--diffs-token-light, var(--diffs-light)), var(--diffs-token-dark, var(--diffs-dark)))
    clamp(var(--ansi-darkest), l, var(--ansi-lightest)) c h
  );
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
  className,
}: DiffViewProps) {
  const [cache] = useState(() => new DiffItems());
  const items = useMemo(() => cache.itemsOf(files, notes ?? []), [cache, files, notes]);
  const byPath = useMemo(() => new Map(files.map((file) => [file.path, file])), [files]);
  const view = useRef<CodeViewHandle<NoteMark, undefined>>(null);
  const canSelect = onLines !== undefined;
  const told = useRef(onLines);
  useEffect(() => {
    told.current = onLines;
  }, [onLines]);
  const options = useMemo(() => {
    const tell = (range: SelectedLineRange | null, { item }: { item: { id: string } }) => {
      if (range !== null) told.current?.(linesOf(pathOf(item), range));
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
      onGutterUtilityClick: tell,
      onPostRender: nameButtons,
      layout: { gap: 16, paddingTop: 0, paddingBottom: 24 },
    };
  }, [layout, wrap, canSelect]);
  useEffect(() => {
    if (target === undefined || !byPath.has(target.path)) return;
    const { path: id, side, from, to } = target;
    view.current?.scrollTo({ type: 'line', id, lineNumber: from, side: sideOf(side), align: 'center' });
    const range = { start: from, end: to, side: sideOf(side) };
    view.current?.getInstance()?.setSelectedLines({ id, range }, { notify: false });
  }, [target, byPath]);
  return (
    <CodeView<NoteMark>
      ref={view}
      items={items}
      options={options}
      className={className ?? 'h-full overflow-auto'}
      renderAnnotation={(...[annotation]) => renderNote?.(annotation.metadata.id)}
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
