import { useMemo, useRef, type ReactNode } from 'react';
import { bringIntoView } from '../bring-into-view.ts';
import { cx } from '../cx.ts';
import type { DiffFile } from './diff.ts';
import { treeOf, type TreeEntry } from './tree.ts';
import { usePlaced } from '../usePlaced.ts';

export interface DiffTreeProps {
  files: readonly DiffFile[];
  /** The path of the file that is shown. */
  selected?: string | undefined;
  onSelect: (path: string) => void;
  /** Stands before a file's name, such as a tick for what was viewed. */
  renderMark?: (file: DiffFile) => ReactNode;
}

/** The changed files as a tree of folders, in a box that scrolls; it keeps the file that is shown in view. */
export function DiffTree({ files, className, ...rest }: DiffTreeProps & { className: string }) {
  const tree = useMemo(() => treeOf(files), [files]);
  const box = useRef<HTMLElement>(null);
  usePlaced(() => {
    const chosen = box.current?.querySelector('[aria-current]');
    // Somebody may have closed its folder.
    if (box.current !== null && chosen?.checkVisibility() === true) bringIntoView(box.current, chosen);
  }, [rest.selected]);
  return (
    <nav ref={box} aria-label="Changed files" className={cx('overflow-auto p-2', className)}>
      <Entries entries={tree} {...rest} />
    </nav>
  );
}

interface EntriesProps extends Omit<DiffTreeProps, 'files'> {
  entries: readonly TreeEntry<DiffFile>[];
}

function Entries({ entries, ...rest }: EntriesProps) {
  return (
    <ul className="[ul_&]:pl-3">
      {entries.map((entry) =>
        entry.file === undefined ? (
          <li key={`${entry.path}/`}>
            <details open>
              <summary className="flex min-h-6 cursor-pointer items-center px-2 break-all text-ink-3 pointer-coarse:min-h-11">
                {entry.name}
              </summary>
              <Entries entries={entry.children} {...rest} />
            </details>
          </li>
        ) : (
          // Thousands of files are laid out only where they are seen.
          <li
            key={entry.path}
            className="[contain-intrinsic-size:auto_24px] [content-visibility:auto] pointer-coarse:[contain-intrinsic-size:auto_44px]"
          >
            <FileEntry name={entry.name} file={entry.file} {...rest} />
          </li>
        ),
      )}
    </ul>
  );
}

const colors = { added: 'text-ok', modified: 'text-ink-3', deleted: 'text-bad', renamed: 'text-run' } as const;
const letters = { added: 'A', modified: 'M', deleted: 'D', renamed: 'R' } as const;

function FileEntry({
  name,
  file,
  selected,
  onSelect,
  renderMark,
}: Omit<DiffTreeProps, 'files'> & { name: string; file: DiffFile }) {
  const { path, old_path: before, status, additions, deletions } = file;
  return (
    <span className={cx('flex items-center gap-1 rounded-chip', path === selected && 'bg-accent-soft')}>
      {renderMark?.(file)}
      <button
        type="button"
        aria-current={path === selected ? 'true' : undefined}
        title={before === '' ? path : `${before} → ${path}`}
        onClick={() => onSelect(path)}
        className="flex min-h-6 min-w-0 flex-1 items-baseline gap-2 rounded-chip px-2 text-left hover:bg-sunken pointer-coarse:min-h-11 pointer-coarse:items-center"
      >
        <span className={cx('mono text-meta', colors[status])} title={status}>
          {letters[status]}
        </span>
        <span className={cx('min-w-0 flex-1 truncate', status === 'deleted' && 'line-through')}>{name}</span>
        <span className="mono text-meta whitespace-nowrap">
          {additions > 0 && <span className="text-ok">+{additions}</span>}{' '}
          {deletions > 0 && <span className="text-bad">−{deletions}</span>}
        </span>
      </button>
    </span>
  );
}
