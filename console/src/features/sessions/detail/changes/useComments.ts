import { useState } from 'react';
import { recall, remember } from '../../../../lib/storage.ts';
import type { DiffLines } from '../../../../ui/diff/diff.ts';
import { commentsOf, type LineComment } from './comments.ts';

/** The comments on a session's changes; they survive a reload. */
export function useComments(session: string) {
  const name = `comments/${session}`;
  const [comments, setComments] = useState(() => commentsOf(recall(name)));
  const [fresh, setFresh] = useState('');
  const keep = (next: LineComment[]) => {
    setComments(next);
    remember(name, next.length === 0 ? undefined : JSON.stringify(next));
  };
  return {
    comments,
    /** The id of the comment that was begun last. */
    fresh,
    add: (lines: DiffLines) => {
      const isThere = comments.some(
        ({ path, side, to }) => path === lines.path && side === lines.side && to === lines.to,
      );
      if (isThere) return;
      const id = crypto.getRandomValues(new Uint32Array(2)).join('.');
      keep([...comments, { ...lines, id, text: '' }]);
      setFresh(id);
    },
    write: (id: string, text: string) => keep(comments.map((one) => (one.id === id ? { ...one, text } : one))),
    drop: (id: string) => keep(comments.filter((one) => one.id !== id)),
    /** Forgets comments that were sent, but for what was written on meanwhile. */
    forget: (sent: readonly LineComment[]) =>
      keep(comments.filter(({ id, text }) => !sent.some((one) => one.id === id && one.text === text))),
  };
}
