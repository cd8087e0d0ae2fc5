import type { DiffLines } from '../../ui/diff/diff.ts';
import { lineWords } from '../../ui/diff/lines.ts';
import type { Comment } from './queries.ts';

/** A comment with its replies. */
export interface Thread {
  first: Comment;
  replies: Comment[];
}

/** Returns comments as threads, oldest first; a reply whose thread is not there begins one. */
export function threadsOf(comments: readonly Comment[]): Thread[] {
  const threads = new Map<string, Thread>();
  const roots = new Map<string, string>();
  for (const comment of comments) {
    const { id, in_reply_to: before } = comment;
    const root = roots.get(before);
    const thread = root === undefined ? undefined : threads.get(root);
    if (thread === undefined || root === undefined) {
      threads.set(id, { first: comment, replies: [] });
      roots.set(id, id);
    } else {
      thread.replies.push(comment);
      roots.set(id, root);
    }
  }
  return [...threads.values()];
}

/** Returns true for a thread that stands at a line of the change. */
export function isAtLine({ first: { file, line } }: Thread): boolean {
  return file !== '' && line !== null;
}

/** Returns where a thread stands; '' for one on the whole change. */
export function placeWords({ first: { side, line, start_line: start } }: Thread): string {
  return line === null ? '' : lineWords({ side, from: start ?? line, to: line });
}

/** Returns what an agent is told about lines: where they are, then what a person wants. */
export function questionOf(number: number, lines: DiffLines, text: string): string {
  return `About change request #${number}, \`${lines.path}\`, ${lineWords(lines)}:\n\n${text}`;
}

/** Returns the message that sends a change request back: what a person wrote, then what was said, each at its place. */
export function sendBackMessage(number: number, text: string, threads: readonly Thread[]): string {
  const said = threads.map((thread) => {
    const { first, replies } = thread;
    const where = [first.file, placeWords(thread)].filter((part) => part !== '').join(', ');
    const lines = [first, ...replies].map(({ author, body }) => `${author.name || 'Somebody'}: ${body.trim()}`);
    return [...(where === '' ? [] : [`${where}:`]), ...lines].join('\n');
  });
  return [`About change request #${number}:`, text.trim(), ...said].filter((part) => part !== '').join('\n\n');
}
