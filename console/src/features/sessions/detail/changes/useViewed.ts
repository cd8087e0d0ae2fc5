import { useState } from 'react';
import { recall, remember } from '../../../../lib/storage.ts';
import type { DiffFile } from '../../../../ui/diff/diff.ts';

/** Which files a reader has ticked; a file that changes again is not viewed any more. */
export function useViewed(session: string) {
  const name = `viewed/${session}`;
  const [marks, setMarks] = useState(() => new Set((recall(name) ?? '').split('\n').filter((mark) => mark !== '')));
  return {
    has: (file: DiffFile) => marks.has(markOf(file)),
    set: (file: DiffFile, isViewed: boolean) => {
      const next = new Set(marks);
      if (isViewed) next.add(markOf(file));
      else next.delete(markOf(file));
      setMarks(next);
      remember(name, next.size === 0 ? undefined : [...next].join('\n'));
    },
  };
}

function markOf({ path, additions, deletions }: DiffFile): string {
  return JSON.stringify([path, additions, deletions]);
}
