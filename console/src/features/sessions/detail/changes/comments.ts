import type { DiffLines } from '../../../../ui/diff/diff.ts';
import { lineWords } from '../../../../ui/diff/lines.ts';

/** A remark on lines of a change, kept until all are sent as one message. */
export interface LineComment extends DiffLines {
  id: string;
  text: string;
}

/** Returns the message that says all comments, by file and line. */
export function messageOf(comments: readonly LineComment[]): string {
  const parts = comments
    .filter(({ text }) => text.trim() !== '')
    .map((comment) => `${comment.path}, ${lineWords(comment)}:\n${comment.text.trim()}`);
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
