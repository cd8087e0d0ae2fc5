import type { ReactNode } from 'react';

/** A changed file, as the API's diffs have it. `patch` is '' where it is not read yet, for binary and for huge files. */
export interface DiffFile {
  path: string;
  old_path: string;
  status: 'added' | 'modified' | 'deleted' | 'renamed';
  binary: boolean;
  additions: number;
  deletions: number;
  patch: string;
  /** Both states in full, in place of a patch: the browser compares them. */
  texts?: { before: string; after: string };
}

/** Lines of a file, by the numbers of one side: `old` is before the change. */
export interface DiffLines {
  path: string;
  side: 'old' | 'new';
  from: number;
  to: number;
}

/** Something that stands below a line, or below the nearest shown one, such as a comment; the caller draws it. */
export interface DiffNote {
  id: string;
  path: string;
  side: 'old' | 'new';
  line: number;
}

export type DiffLayout = 'unified' | 'split';

export interface DiffViewProps {
  /** The files with their patches, in their order. Pass the same objects again as long as they did not change. */
  files: readonly DiffFile[];
  /** One column or two; `unified` by default. */
  layout?: DiffLayout;
  /** Breaks long lines instead of scrolling sideways. */
  wrap?: boolean;
  /** Stand below their lines; `renderNote` draws each by its id. */
  notes?: readonly DiffNote[];
  renderNote?: (id: string) => ReactNode;
  /** Stands at the end of a file's header, such as a tick for what was viewed. */
  renderHeader?: (file: DiffFile) => ReactNode;
  /** Told which lines a reader chose by their numbers; without it, lines cannot be chosen. */
  onLines?: (lines: DiffLines) => void;
  /** Lines to scroll to and to mark. */
  target?: DiffLines | undefined;
  /** The path of the file to scroll to where there are no lines to go to. */
  file?: string | undefined;
  /** The classes of the scrolling element, which needs a height; `h-full overflow-auto` by default. */
  className?: string;
}

/** Returns why a file has no lines to show; '' if it has some. */
export function withoutLines({ binary, patch, texts, status, additions, deletions }: DiffFile): string {
  if (patch !== '') return '';
  if (texts !== undefined) return texts.before === texts.after ? 'No difference' : '';
  if (binary) return 'Binary file';
  if (additions + deletions > 0) return 'Too large to show here';
  return status === 'renamed' ? 'Renamed without a change' : 'Empty file';
}

/** True for a file that shows lines of a side: a deleted one has none after the change, an added one none before. */
export function showsSide(file: DiffFile, side: DiffLines['side']): boolean {
  return withoutLines(file) === '' && file.status !== (side === 'new' ? 'deleted' : 'added');
}
