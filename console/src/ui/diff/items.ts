import { parsePatchFiles, type CodeViewItem, type DiffLineAnnotation, type FileDiffMetadata } from '@pierre/diffs';
import type { DiffFile, DiffNote } from './diff.ts';
import { visible } from '../../lib/visible.ts';
import { compare } from './texts.ts';

/** The id of a note, at its line. */
export type NoteMark = { id: string };

/** Above this length, lines that changed are not paired by their similarity, which takes too long. */
const longestPaired = 200_000;

/** All viewers of the page share one cache of highlighted lines, so its keys are never used twice. */
let parsed = 0;

/** Makes what the viewer shows of files; what did not change stays the same object, so that it is not drawn again. */
export class DiffItems {
  readonly #parsed = new WeakMap<DiffFile, CodeViewItem<NoteMark>[]>();
  readonly #shown = new Map<string, { base: CodeViewItem<NoteMark>; marks: string; item: CodeViewItem<NoteMark> }>();
  #count = 0;

  itemsOf(files: readonly DiffFile[], notes: readonly DiffNote[]): CodeViewItem<NoteMark>[] {
    return files.flatMap((file) => {
      const mine = notes.filter(({ path }) => path === file.path);
      return this.#basesOf(file).map((base) => this.#with(base, mine));
    });
  }

  #basesOf(file: DiffFile): CodeViewItem<NoteMark>[] {
    const known = this.#parsed.get(file);
    if (known !== undefined) return known;
    parsed += 1;
    const items = partsOf(file, `d${parsed}`);
    this.#parsed.set(file, items);
    return items;
  }

  #with(base: CodeViewItem<NoteMark>, notes: readonly DiffNote[]): CodeViewItem<NoteMark> {
    const marks = notes.map(({ id, side, line }) => `${id} ${side} ${line}`).join('\n');
    const before = this.#shown.get(base.id);
    if (before?.base === base && before.marks === marks) return before.item;
    this.#count += 1;
    const item =
      base.type === 'diff' ? { ...base, annotations: annotationsOf(notes, base.fileDiff), version: this.#count } : base;
    this.#shown.set(base.id, { base, marks, item });
    return item;
  }
}

function annotationsOf(notes: readonly DiffNote[], diff: FileDiffMetadata): DiffLineAnnotation<NoteMark>[] {
  return notes.map(({ id, side, line }) => ({
    side: side === 'old' ? ('deletions' as const) : ('additions' as const),
    lineNumber: diff.isPartial ? nearestOf(diff, side, line) : line,
    metadata: { id },
  }));
}

/** Returns the line of a patch that is nearest to a line, so that a note at a line that is not in it is seen as well. */
function nearestOf({ hunks }: FileDiffMetadata, side: DiffNote['side'], line: number): number {
  const near = hunks
    .map((hunk) =>
      side === 'old' ? [hunk.deletionStart, hunk.deletionCount] : [hunk.additionStart, hunk.additionCount],
    )
    .filter(([, count = 0]) => count > 0)
    .map(([start = 1, count = 1]) => Math.min(Math.max(line, start), start + count - 1));
  return near.toSorted((a, b) => Math.abs(a - line) - Math.abs(b - line))[0] ?? line;
}

/** Returns the id of an item; a file whose type changed, such as from a file to a link, is two items. */
function idOf(path: string, part: number): string {
  return part === 0 ? path : `${path}\u0000${part}`;
}

/** Returns the path of the file that an item shows. */
export function pathOf(item: { id: string }): string {
  return item.id.split('\u0000', 1)[0] ?? '';
}

/** A patch that cannot be parsed is shown as the text that it is. */
function partsOf(file: DiffFile, cacheKey: string): CodeViewItem<NoteMark>[] {
  const { path, texts } = file;
  const [name, patch] = [visible(path), visible(file.patch)];
  if (texts !== undefined && texts.before !== texts.after) {
    const [before, after] = [visible(texts.before), visible(texts.after)];
    return [{ id: path, type: 'diff', fileDiff: { ...compare(name, { before, after }), cacheKey } }];
  }
  if (patch === '') return [{ id: path, type: 'diff', fileDiff: emptyDiff(file) }];
  try {
    const options = { throwOnError: true, disableLineMatching: patch.length > longestPaired };
    const parts = parsePatchFiles(patch, options).flatMap(({ files }) => files);
    if (parts.length === 0) throw new Error('The patch has no file.');
    return parts.map((part, at) => ({
      id: idOf(path, at),
      type: 'diff' as const,
      fileDiff: { ...part, name, cacheKey: `${cacheKey}.${at}` },
    }));
  } catch {
    return [{ id: path, type: 'file', file: { name, contents: patch, lang: 'diff', cacheKey } }];
  }
}

const types = { added: 'new', modified: 'change', deleted: 'deleted', renamed: 'rename-pure' } as const;

function emptyDiff({ path, old_path: before, status }: DiffFile): FileDiffMetadata {
  return {
    name: visible(path),
    ...(before === '' ? {} : { prevName: visible(before) }),
    type: types[status],
    hunks: [],
    splitLineCount: 0,
    unifiedLineCount: 0,
    isPartial: true,
    deletionLines: [],
    additionLines: [],
    deletionCharacterCount: 0,
    additionCharacterCount: 0,
  };
}
