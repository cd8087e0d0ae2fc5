import type { DiffLines } from '../../../../ui/diff/diff.ts';

/** A remark on lines of a change, kept until all are sent as one message. */
export interface LineComment extends DiffLines {
  id: string;
  text: string;
}

/** Returns the message that says all comments, by file and line. */
export function messageOf(comments: readonly LineComment[]): string {
  const parts = comments
    .filter(({ text }) => text.trim() !== '')
    .map(({ path, side, from, to, text }) => {
      const lines = from === to ? `line ${from}` : `lines ${from} to ${to}`;
      return `${path}, ${lines}${side === 'old' ? ' before the change' : ''}:\n${text.trim()}`;
    });
  return parts.join('\n\n');
}

/** Reads comments that a browser stored; what is none is left out. */
export function commentsOf(stored: string | undefined): LineComment[] {
  try {
    const list: unknown = JSON.parse(stored ?? '[]');
    return Array.isArray(list) ? list.flatMap((one) => (isComment(one) ? [one] : [])) : [];
  } catch {
    return [];
  }
}

function isComment(value: unknown): value is LineComment {
  const { id, path, side, from, to, text }: Partial<Record<string, unknown>> = Object(value);
  return (
    [id, path, text].every((one) => typeof one === 'string') &&
    (side === 'old' || side === 'new') &&
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to)
  );
}

/** The lines that an address names: `10-14`, or `old10-14`. */
export function linesOf(path: string, lines: string | undefined): DiffLines | undefined {
  const [, side = '', from, to] = /^(old)?(\d{1,7})(?:-(\d{1,7}))?$/.exec(lines ?? '') ?? [];
  if (from === undefined) return undefined;
  const first = Number(from);
  return { path, side: side === 'old' ? 'old' : 'new', from: first, to: Math.max(first, Number(to ?? from)) };
}

export function writtenLines({ side, from, to }: DiffLines): string {
  return `${side === 'old' ? 'old' : ''}${from}${to === from ? '' : `-${to}`}`;
}
